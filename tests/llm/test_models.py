"""models.yml: what it declares, and one sentence for everything that can be wrong with it."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import SecretStr

from dagster_defs.llm.models import MODELS_FILE, ModelsError, ModelSpec, Price, Registry, Role, load_registry

MULTI_ENTITY = {"gpt-3.5-turbo", "gpt-4", "llama-3-8b-instruct", "llama-3-8b-instruct-ft", "text-embedding-ada-002"}
DEEP_RESEARCH = {
    "claude-opus-4.6",
    "gemini-2.5-flash",
    "gpt-5.2",
    "llama-4-maverick",
    "qwen3-30b-a3b",
    "mistral-small-3.2",
    "gpt-oss-120b",
}
CHAT = {"model_id": "m", "base_url": "http://127.0.0.1:1/v1", "context_tokens": 100, "max_output_tokens": 10}
EMBEDDING = {"kind": "embedding", "model_id": "e", "base_url": None, "context_tokens": 100}


@pytest.fixture
def registry() -> Registry:
    return load_registry()


def written(
    path: Path, change: dict[str, Any] | None = None, roles: dict[str, str] | None = None, **models: Any
) -> Path:
    """A models.yml with a chat model 'a', changed, and an embedding model 'e'."""
    content = {
        "roles": {**dict.fromkeys(Role, "a"), "embedder": "e", **(roles or {})},
        "models": {"a": {**CHAT, **(change or {})}, "e": EMBEDDING, **models},
    }
    plain = {part: {str(name): value for name, value in held.items()} for part, held in content.items()}
    file = path / "models.yml"
    file.write_text(yaml.safe_dump(plain))
    return file


def test_the_papers_models_are_declared_and_wait_for_their_keys(registry: Registry) -> None:
    assert set(registry.models) >= MULTI_ENTITY | DEEP_RESEARCH
    assert {spec.name for spec in registry.enabled({})} == {"local", "minilm"}
    with_one = {spec.name for spec in registry.enabled({"OPENAI_API_KEY": SecretStr("x")})}
    assert with_one == {"local", "minilm", "gpt-3.5-turbo", "gpt-4", "gpt-5.2", "text-embedding-ada-002"}


def test_a_variable_that_is_set_to_nothing_enables_nothing(registry: Registry) -> None:
    assert not registry.model("gpt-4").enabled({"OPENAI_API_KEY": SecretStr("  ")})


def test_every_price_is_dated_and_past(registry: Registry) -> None:
    priced = [spec for spec in registry.models.values() if spec.price]
    assert len(priced) >= 8
    assert all(date(2023, 1, 1) <= spec.price.as_of <= date(2026, 12, 31) for spec in priced if spec.price)


def test_a_price_counts_tokens_in_millions() -> None:
    price = Price(input=0.5, output=1.5, as_of=date(2024, 1, 25), batch_factor=0.5)
    assert price.dollars(2_000_000, 1_000_000) == 2.5
    assert price.dollars(2_000_000, 1_000_000, batch=True) == 1.25


def test_the_fine_tuned_model_is_paired_with_its_base(registry: Registry) -> None:
    assert registry.model("llama-3-8b-instruct-ft").base_model == "llama-3-8b-instruct"


def test_every_role_is_played(registry: Registry) -> None:
    assert {role: registry.role(role).name for role in Role} == {
        **dict.fromkeys(Role, "local"),
        Role.EMBEDDER: "minilm",
    }


def test_a_role_can_be_given_to_another_model(registry: Registry) -> None:
    assert registry.with_role("judge", "gpt-5.2").role(Role.JUDGE).name == "gpt-5.2"
    assert registry.role(Role.JUDGE).name == "local"
    for role, model, said in (
        ("judge", "minilm", "needs a model of kind 'chat'"),
        ("embedder", "local", "needs a model of kind 'embedding'"),
        ("judge", "nobody", "which models.yml does not declare"),
        ("critic", "local", "There is no role 'critic'"),
    ):
        with pytest.raises(ModelsError, match=said):
            registry.with_role(role, model)


def test_the_local_model_can_be_moved(registry: Registry) -> None:
    moved = registry.with_base_url("local", "http://127.0.0.1:9999/v1/")
    assert moved.model("local").base_url == "http://127.0.0.1:9999/v1"
    with pytest.raises(ModelsError, match="http or https address"):
        registry.with_base_url("local", "127.0.0.1:9999")


def test_unknown_model_is_answered_with_the_known(registry: Registry) -> None:
    with pytest.raises(ModelsError, match=r"No model is called 'gpt-9': models\.yml declares bge-small"):
        registry.model("gpt-9")


def test_a_call_holds_what_the_model_and_the_step_ask_for() -> None:
    spec = ModelSpec(
        "m", "id", "http://x/v1", 1000, 100, reasoning_effort="low", parameters={"top_p": 0.5, "temperature": 0}
    )
    call = spec.call(
        [{"role": "user", "content": "q"}], temperature=1.0, seed=7, sample=2, prompt_sha="abc", top_p=None
    )
    assert call.parameters == {"max_completion_tokens": 100, "reasoning_effort": "low", "temperature": 1.0, "seed": 7}
    assert (call.model, call.model_id, call.sample, call.prompt_sha) == ("m", "id", 2, "abc")
    assert spec.call([], max_output_tokens=5000).parameters["max_completion_tokens"] == 100
    assert spec.call([], max_output_tokens=50).parameters["max_completion_tokens"] == 50


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"model_id": ""}, "Model 'a' has an unusable 'model_id'"),
    ({"base_url": "ftp://x"}, "http or https address"),
    ({"base_url": "http://"}, "http or https address"),
    ({"base_url": "http://x:99999"}, "http or https address"),
    ({"base_url": "http://[x"}, "http or https address"),
    ({"base_url": "http://a b/"}, "http or https address"),
    ({"base_url": "https://u:p@x/v1"}, "may hold no user, password"),
    ({"base_url": "https://x/v1?key=1"}, "may hold no user, password"),
    ({"base_url": None}, "needs a 'base_url'"),
    ({"key_variable": "sk-proj-0123456789abcdef"}, "holds a key"),
    ({"key_variable": "lower"}, "unusable 'key_variable'"),
    ({"kind": "image"}, "unusable 'kind'"),
    ({"context_tokens": 0}, "unusable 'context_tokens'"),
    ({"context_tokens": "8k"}, "unusable 'context_tokens'"),
    ({"max_output_tokens": 0}, "needs a 'max_output_tokens' above 0 and below"),
    ({"max_output_tokens": 100}, "needs a 'max_output_tokens' above 0 and below"),
    ({"price": {"input": 1}}, r"unusable 'price\.output'"),
    ({"price": {"input": 1, "output": 1}}, r"unusable 'price\.as_of'"),
    ({"price": {"input": -1, "output": 1, "as_of": date(2026, 1, 1)}}, r"unusable 'price\.input'"),
    ({"price": {"input": float("nan"), "output": 1, "as_of": date(2026, 1, 1)}}, r"unusable 'price\.input'"),
    ({"price": {"input": 1, "output": 1, "as_of": "lately"}}, r"unusable 'price\.as_of'"),
    ({"reasoning_effort": "very"}, "unusable 'reasoning_effort'"),
    ({"parameters": {"api_key": "x"}}, "may not set 'api_key'"),
    ({"parameters": {"extra_headers": {}}}, "may not set 'extra_headers'"),
    ({"parameters": {"messages": []}}, "may not set 'messages'"),
    ({"parameters": []}, "unusable 'parameters'"),
    ({"base_model": "a"}, "'a' is no other model"),
    ({"base_model": "zzz"}, "'zzz' is no other model"),
    ({"base_model": "e"}, "of different kinds"),
    ({"batch": "yes"}, "unusable 'batch'"),
    ({"prise": 1}, "unusable 'prise'"),
]


@pytest.mark.parametrize(("change", "said"), WRONG)
def test_a_wrong_entry_is_answered_with_one_sentence(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    with pytest.raises(ModelsError, match=said) as caught:
        load_registry(written(tmp_path, change))
    message = str(caught.value)
    assert "\n" not in message
    assert message.endswith(".")
    assert "'a'" in message


def test_a_key_in_the_wrong_place_is_not_repeated(tmp_path: Path) -> None:
    with pytest.raises(ModelsError) as caught:
        load_registry(written(tmp_path, {"key_variable": "sk-proj-0123456789abcdef"}))
    assert "0123456789" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "must hold exactly two parts"),
        ("models: {}\nroles: {}\nextra: 1", "must hold exactly two parts"),
        ("models: {}\nroles: {}", "must map a name to each model"),
        ("models: {1: {}}\nroles: {}", "must map a name to each model"),
        ("models: {A: {}}\nroles: {}", "Model name 'A' may hold only"),
        ("models: {a: 1}\nroles: {}", "Model 'a' must be a mapping"),
        ("models: [", "is not valid YAML"),
        ("roles: {}\nmodels:\n  a: {model_id: x}\n  a: {model_id: y}\n", "'a' is given twice"),
        (
            "roles: []\nmodels: {e: {kind: embedding, model_id: e, base_url: null, context_tokens: 9}}",
            "'roles' in models",
        ),
    ],
)
def test_a_file_of_the_wrong_shape_is_answered_with_one_sentence(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "models.yml").write_text(text)
    with pytest.raises(ModelsError, match=said) as caught:
        load_registry(tmp_path / "models.yml")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("roles", "said"),
    [
        ({"solver": "zzz"}, "Role 'solver' is played by 'zzz'"),
        ({"critic": "a"}, "There is no role 'critic'"),
        ({"embedder": "a"}, "needs a model of kind 'embedding'"),
        ({"judge": None}, "No model plays the role 'judge'"),
    ],
)
def test_wrong_roles_are_answered_with_one_sentence(tmp_path: Path, roles: dict[str, Any], said: str) -> None:
    with pytest.raises(ModelsError, match=said):
        load_registry(written(tmp_path, roles=roles))


def test_a_missing_or_binary_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelsError, match=r"Cannot read none\.yml: No such file"):
        load_registry(tmp_path / "none.yml")
    (tmp_path / "b.yml").write_bytes(b"\xff\xfe\xfa")
    with pytest.raises(ModelsError, match=r"Cannot read b\.yml: it is no text"):
        load_registry(tmp_path / "b.yml")


def test_an_embedding_model_takes_no_batch(tmp_path: Path) -> None:
    with pytest.raises(ModelsError, match="it takes neither 'batch'"):
        load_registry(written(tmp_path, x={**EMBEDDING, "batch": True}))


def test_no_key_stands_in_the_file() -> None:
    assert re.findall(r"\b(?:sk|gsk|hf|xai)[-_][A-Za-z0-9]{8,}|AIza\w+", MODELS_FILE.read_text()) == []
