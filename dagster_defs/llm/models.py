"""Models under test and the roles they play, as declared in models.yml."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol
from urllib.parse import urlsplit

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from dagster_defs.errors import RunError
from dagster_defs.llm.calls import Call

MODELS_FILE = Path(__file__).with_name("models.yml")
_MILLION = 1_000_000
# Request parameters that Assay sets itself, or that could carry a key into a file.
_RESERVED = frozenset(
    {"model", "messages", "stream", "n", "response_format", "max_tokens", "max_completion_tokens", "reasoning_effort"}
)
_SECRET = re.compile(r"key|token$|secret|auth|password|header", re.IGNORECASE)
_KEY_LIKE = re.compile(r"^(sk|pk|gsk|hf|xai|AIza)[-_A-Za-z0-9]{12,}$")


class Role(StrEnum):
    """What a step needs a model for; models.yml says which model that is."""

    PROPOSER = "proposer"
    EXTRACTOR = "extractor"
    COMPOSER = "composer"
    REFINER = "refiner"
    JUDGE = "judge"
    SOLVER = "solver"
    EMBEDDER = "embedder"


class Secret(Protocol):
    """A key that does not show itself, such as pydantic's SecretStr."""

    def get_secret_value(self) -> str:
        """The key."""
        ...


class ModelsError(RunError):
    """models.yml cannot be used, or lacks what was asked for; one sentence that names the entry."""


class Price(BaseModel):
    """US dollars per million tokens; ``as_of`` is when that was so, ``batch_factor`` the batch route's share of it."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    as_of: date
    batch_factor: float = Field(1.0, gt=0, le=1)

    def dollars(self, prompt_tokens: float, completion_tokens: float, *, batch: bool = False) -> float:
        """What so many tokens cost, in US dollars."""
        whole = (prompt_tokens * self.input + completion_tokens * self.output) / _MILLION
        return whole * self.batch_factor if batch else whole


class _Entry(BaseModel):
    """One model as it stands in the file."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    model_id: str = Field(min_length=1)
    base_url: str | None
    key_variable: Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9_]*$")] | None = None
    kind: Literal["chat", "embedding"] = "chat"
    context_tokens: int = Field(gt=0)
    max_output_tokens: int = Field(0, ge=0)
    output_limit: Literal["max_tokens", "max_completion_tokens"] = "max_completion_tokens"
    json_schema: bool = True
    price: Price | None = None
    reasoning_effort: Literal["none", "minimal", "low", "medium", "high", "xhigh"] | None = None
    parameters: dict[str, Any] = Field(default_factory=dict)
    base_model: str | None = None
    batch: bool = False
    tools: bool = False


@dataclass(frozen=True)
class ModelSpec:
    """A model: where it is, how it is asked and what it costs. The fields are explained at the top of models.yml."""

    name: str
    model_id: str
    base_url: str | None
    context_tokens: int
    max_output_tokens: int = 0
    key_variable: str | None = None
    kind: Literal["chat", "embedding"] = "chat"
    output_limit: Literal["max_tokens", "max_completion_tokens"] = "max_completion_tokens"
    json_schema: bool = True
    price: Price | None = None
    reasoning_effort: str | None = None
    parameters: Mapping[str, Any] | None = None
    base_model: str | None = None
    batch: bool = False
    tools: bool = False

    @property
    def identity(self) -> list[Any]:
        """What of a model changes its answers, as JSON takes it; no address and no key."""
        return [self.name, self.model_id, self.max_output_tokens, dict(self.parameters or {}), self.reasoning_effort]

    def enabled(self, keys: Mapping[str, Secret]) -> bool:
        """Whether it can be asked: it needs no key, or its key is among ``keys`` (variable -> key) and not empty."""
        if self.key_variable is None:
            return True
        key = keys.get(self.key_variable)
        return key is not None and bool(key.get_secret_value().strip())

    def call(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        schema: Mapping[str, Any] | None = None,
        sample: int = 0,
        prompt_sha: str = "",
        max_output_tokens: int | None = None,
        **parameters: Any,
    ) -> Call:
        """A call of this model: its own parameters, its limit on the answer, and ``parameters`` over both.

        A parameter given as None is left out of the request.
        """
        limit = min(max_output_tokens or self.max_output_tokens, self.max_output_tokens)
        merged = {
            self.output_limit: limit,
            "reasoning_effort": self.reasoning_effort,
            **(self.parameters or {}),
            **parameters,
        }
        kept = {name: value for name, value in merged.items() if value is not None}
        return Call(self.name, self.model_id, tuple(messages), kept, schema, sample, prompt_sha)


@dataclass(frozen=True)
class Registry:
    """The declared models by name, and which of them plays each role."""

    models: Mapping[str, ModelSpec]
    roles: Mapping[Role, str]

    def model(self, name: str) -> ModelSpec:
        """The model called ``name``; raises ModelsError when none is."""
        if name not in self.models:
            raise ModelsError(f"No model is called '{name}': models.yml declares {', '.join(sorted(self.models))}.")
        return self.models[name]

    def role(self, role: Role | str) -> ModelSpec:
        """The model that plays ``role``; raises ModelsError for an unknown role."""
        return self.model(self.roles[_role(role)])

    def enabled(self, keys: Mapping[str, Secret]) -> list[ModelSpec]:
        """The models that can be asked with ``keys``, in the file's order."""
        return [spec for spec in self.models.values() if spec.enabled(keys)]

    def with_role(self, role: Role | str, name: str) -> Registry:
        """The same registry with another model in ``role``; raises ModelsError when the model cannot play it."""
        roles = {**self.roles, _role(role): name}
        _check_roles(self.models, roles)
        return replace(self, roles=roles)

    def with_base_url(self, name: str, base_url: str) -> Registry:
        """The same registry with ``name`` served at ``base_url``; raises ModelsError for an unusable address."""
        _check_url(name, base_url)
        spec = replace(self.model(name), base_url=base_url.rstrip("/"))
        return replace(self, models={**self.models, name: spec})


def load_registry(path: Path = MODELS_FILE) -> Registry:
    """Read and check models.yml.

    Raises ModelsError, with one sentence that names the entry and what is wrong, for anything that cannot be used.
    """
    try:
        content = yaml.load(path.read_text(encoding="utf-8"), Loader=_OneOfEach)
    except (OSError, UnicodeDecodeError) as error:
        raise ModelsError(f"Cannot read {path.name}: {getattr(error, 'strerror', None) or 'it is no text'}.") from error
    except yaml.YAMLError as error:
        detail = " ".join(str(error).split())
        raise ModelsError(f"{path.name} is not valid YAML: {detail}.") from error
    if not isinstance(content, dict) or set(content) != {"models", "roles"}:
        raise ModelsError(f"{path.name} must hold exactly two parts, 'models' and 'roles'.")
    models, roles = content["models"], content["roles"]
    if not isinstance(models, dict) or not models or not all(isinstance(name, str) for name in models):
        raise ModelsError(f"'models' in {path.name} must map a name to each model.")
    specs = {name: _spec(name, entry) for name, entry in models.items()}
    for spec in specs.values():
        _check_base_model(spec, specs)
    if not isinstance(roles, dict):
        raise ModelsError(f"'roles' in {path.name} must map each role to a model.")
    _check_roles(specs, roles)
    return Registry(specs, {Role(role): name for role, name in roles.items()})


class _OneOfEach(yaml.SafeLoader):
    """YAML in which a key given twice is an error, where PyYAML would keep the last."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """A mapping; raises ConstructorError for a repeated key."""
        names = [self.construct_object(key, deep=True) for key, _ in node.value]
        for name in names:
            if names.count(name) > 1:
                raise yaml.constructor.ConstructorError(None, None, f"'{name}' is given twice", node.start_mark)
        return super().construct_mapping(node, deep)


def _spec(name: str, entry: object) -> ModelSpec:
    """One checked entry."""
    if not re.fullmatch(r"[a-z0-9][a-z0-9._-]*", name):
        raise ModelsError(f"Model name '{name}' may hold only lower-case letters, digits, '.', '_' and '-'.")
    if not isinstance(entry, dict):
        raise ModelsError(f"Model '{name}' must be a mapping of its settings.")
    guilty = entry.get("key_variable")
    if isinstance(guilty, str) and _KEY_LIKE.match(guilty):
        raise ModelsError(f"Model '{name}' holds a key: 'key_variable' takes the name of a variable, never the key.")
    try:
        checked = _Entry.model_validate(entry)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in problem["loc"])
        raise ModelsError(f"Model '{name}' has an unusable '{where}': {problem['msg']}.") from None
    if checked.base_url is not None:
        _check_url(name, checked.base_url)
    elif checked.kind == "chat":
        raise ModelsError(f"Model '{name}' needs a 'base_url': only an embedding model can run in this process.")
    _check_limits(name, checked)
    _check_parameters(name, checked.parameters)
    values = {field: getattr(checked, field) for field in type(checked).model_fields}
    values["base_url"] = checked.base_url.rstrip("/") if checked.base_url else None
    return ModelSpec(name=name, **values)


def _check_url(name: str, base_url: str) -> None:
    try:
        parts = urlsplit(base_url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        usable = False
    if not usable or re.search(r"\s", base_url):
        raise ModelsError(f"Model '{name}' has an unusable 'base_url': it must be an http or https address.")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ModelsError(
            f"Model '{name}' has an unusable 'base_url': it may hold no user, password, query or fragment."
        )


def _check_limits(name: str, entry: _Entry) -> None:
    if entry.kind == "chat" and not 0 < entry.max_output_tokens < entry.context_tokens:
        raise ModelsError(f"Model '{name}' needs a 'max_output_tokens' above 0 and below its 'context_tokens'.")
    if entry.kind == "embedding" and (entry.batch or entry.max_output_tokens):
        raise ModelsError(f"Model '{name}' embeds: it takes neither 'batch' nor 'max_output_tokens'.")


def _check_parameters(name: str, parameters: Iterable[str]) -> None:
    for parameter in parameters:
        if parameter in _RESERVED:
            raise ModelsError(f"Model '{name}' may not set '{parameter}' under 'parameters': Assay sets it.")
        if _SECRET.search(parameter):
            raise ModelsError(f"Model '{name}' may not set '{parameter}' under 'parameters': it could hold a key.")


def _check_base_model(spec: ModelSpec, specs: Mapping[str, ModelSpec]) -> None:
    if spec.base_model is None:
        return
    if spec.base_model not in specs or spec.base_model == spec.name:
        raise ModelsError(f"Model '{spec.name}' has an unusable 'base_model': '{spec.base_model}' is no other model.")
    if specs[spec.base_model].kind != spec.kind:
        raise ModelsError(f"Model '{spec.name}' and its 'base_model' are of different kinds.")


def _role(role: Role | str) -> Role:
    try:
        return Role(role)
    except ValueError:
        raise ModelsError(f"There is no role '{role}': the roles are {', '.join(Role)}.") from None


def _check_roles(models: Mapping[str, ModelSpec], roles: Mapping[Any, Any]) -> None:
    """Every role is played by a declared model of the right kind."""
    unknown = [str(role) for role in roles if role not in tuple(Role)]
    if unknown:
        raise ModelsError(f"There is no role '{unknown[0]}': the roles are {', '.join(Role)}.")
    for role in Role:
        name = roles.get(role)
        if name is None:
            raise ModelsError(f"No model plays the role '{role}': name one under 'roles' in models.yml.")
        if name not in models:
            raise ModelsError(f"Role '{role}' is played by '{name}', which models.yml does not declare.")
        kind = "embedding" if role is Role.EMBEDDER else "chat"
        if models[name].kind != kind:
            raise ModelsError(f"Role '{role}' needs a model of kind '{kind}', and '{name}' is none.")
