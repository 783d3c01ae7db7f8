"""The files and batches of the loopback server, with everything that goes wrong with them."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Script:
    """How a batch goes. polls: looks until it ends. status: how it ends.

    done: only the first so many requests are answered, None for all. errors: the error line of a request, by its
    place. lines: changes the lines of the output file. no_output: there is no output file. lost: the batch is made,
    and the answer that would say so is an error.
    """

    polls: int = 1
    status: str = "completed"
    done: int | None = None
    errors: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    lines: Callable[[list[str]], list[str]] = lambda lines: lines
    no_output: bool = False
    lost: bool = False
    problems: list[Mapping[str, Any]] = field(default_factory=list)


def expired(custom_id: str) -> Mapping[str, Any]:
    """The error line of a request that was not reached in time."""
    error = {"code": "batch_expired", "message": "This request could not be executed before the window expired."}
    return {"id": f"batch_req_{custom_id[:8]}", "custom_id": custom_id, "response": None, "error": error}


class Batches:
    """Files and batches by id. scripts: taken one a new batch from the front. answers: a body for a request's body."""

    def __init__(self, answers: Callable[[Mapping[str, Any]], Mapping[str, Any]]) -> None:
        self.answers = answers
        self.scripts: list[Script] = []
        # Answers given instead of the next ones, whatever is asked.
        self.broken: list[tuple[int, Any]] = []
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self._scripts: dict[str, Script] = {}

    def respond(
        self, method: str, path: str, headers: Mapping[str, str], content: bytes, body: Any
    ) -> tuple[int, Any] | None:
        """Status and value (bytes for a file's content), None for an address that is not ours."""
        if self.broken:
            return self.broken.pop(0)
        path, _, query = path.partition("?")
        if (method, path) == ("POST", "/v1/files"):
            return 200, self._upload(headers, content)
        if found := re.fullmatch(r"/v1/files/([^/]+)/content", path):
            return (200, self.files[found[1]]) if found[1] in self.files else (404, {"error": {"message": "no file"}})
        if (method, path) == ("POST", "/v1/batches"):
            return self._create(body)
        if (method, path) == ("GET", "/v1/batches"):
            return 200, self._list(query)
        if found := re.fullmatch(r"/v1/batches/([^/]+)", path):
            if found[1] not in self.batches:
                return 404, {"error": {"message": f"No batch found with id '{found[1]}'."}}
            return 200, self._look(found[1])
        return None

    def requests(self) -> list[list[dict[str, Any]]]:
        """The requests of each batch, in order."""
        return [self._read(batch["input_file_id"]) for batch in self.batches.values()]

    def _upload(self, headers: Mapping[str, str], content: bytes) -> dict[str, Any]:
        """Take the part called file out of a multipart form."""
        boundary = headers["content-type"].partition("boundary=")[2].strip('"').encode()
        for part in content.split(b"--" + boundary):
            head, _, held = part.partition(b"\r\n\r\n")
            if b'name="file"' in head:
                return self._keep(held.removesuffix(b"\r\n"))
        raise AssertionError("no file in the form")

    def _keep(self, content: bytes) -> dict[str, Any]:
        name = f"file-{len(self.files) + 1}"
        self.files[name] = content
        return {
            "id": name,
            "object": "file",
            "bytes": len(content),
            "created_at": 1,
            "filename": "f",
            "purpose": "batch",
        }

    def _create(self, body: Mapping[str, Any]) -> tuple[int, Any]:
        name = f"batch_{len(self.batches) + 1}"
        script = self.scripts.pop(0) if self.scripts else Script()
        self._scripts[name] = script
        self.batches[name] = {
            "id": name,
            "object": "batch",
            "endpoint": body["endpoint"],
            "input_file_id": body["input_file_id"],
            "completion_window": body["completion_window"],
            "status": "validating",
            "created_at": 1,
            "metadata": body.get("metadata"),
            "errors": None,
        }
        return (500, {"error": {"message": "lost"}}) if script.lost else (200, self.batches[name])

    def _list(self, query: str) -> dict[str, Any]:
        """Newest first, two a page, as clients have to turn pages."""
        newest = list(reversed(self.batches.values()))
        after = re.search(r"after=([^&]+)", query)
        start = 0 if after is None else [batch["id"] for batch in newest].index(after[1]) + 1
        page = newest[start : start + 2]
        return {
            "object": "list",
            "data": page,
            "first_id": page[0]["id"] if page else None,
            "last_id": page[-1]["id"] if page else None,
            "has_more": start + 2 < len(newest),
        }

    def _look(self, name: str) -> dict[str, Any]:
        batch, script = self.batches[name], self._scripts[name]
        if batch["status"] in ("validating", "in_progress"):
            script.polls -= 1
            batch["status"] = "in_progress" if script.polls > 0 else script.status
            if script.polls <= 0:
                self._end(batch, script)
        return batch

    def _end(self, batch: dict[str, Any], script: Script) -> None:
        if script.status == "failed":
            batch["errors"] = {"object": "list", "data": script.problems}
            return
        requests = self._read(batch["input_file_id"])
        done = len(requests) if script.done is None else script.done
        output, errors = [], []
        for place, request in enumerate(requests):
            if place in script.errors:
                errors.append(json.dumps({"custom_id": request["custom_id"], **script.errors[place]}))
            elif place >= done:
                errors.append(json.dumps(expired(request["custom_id"])))
            else:
                answer = {"status_code": 200, "request_id": "r", "body": self.answers(request["body"])}
                line = {"id": f"b{place}", "custom_id": request["custom_id"], "response": answer, "error": None}
                output.append(json.dumps(line))
        random.Random(len(output)).shuffle(output)
        if output and not script.no_output:
            batch["output_file_id"] = self._keep("\n".join(script.lines(output)).encode())["id"]
        if errors:
            batch["error_file_id"] = self._keep("\n".join(errors).encode())["id"]
        batch["request_counts"] = {"total": len(requests), "completed": len(output), "failed": len(errors)}

    def _read(self, file: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.files[file].decode().splitlines()]
