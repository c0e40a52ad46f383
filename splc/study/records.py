"""What a task gives: a model with its log, or why there is none; as a file that nothing can spoil unseen."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from splc.formats.models.json import parse_model_json
from splc.io.files import Source, sha256_of
from splc.models.influence import InfluenceModel
from splc.system.variability import VariabilityModel

SCHEMA = "splc.study.task/1"


@dataclass(frozen=True)
class Record:
    """What a task gave; no times, so that the same inputs give the same record.

    Attributes:
        key: the task's hash.
        reason: why nothing was learned, None if something was.
        learned_from: number of configurations that were learned from.
        rounds: number of rounds.
        termination: why learning ended.
        learning_error: mean relative error on the learning set, in percent.
        error: on the measured configurations outside of it.
        error_all: on all measured configurations.
        model: the model as JSON.
        log: the log.
        notes: what to know.
    """

    key: str
    reason: str | None = None
    learned_from: int | None = None
    rounds: int | None = None
    termination: str | None = None
    learning_error: float | None = None
    error: float | None = None
    error_all: float | None = None
    model: str | None = None
    log: str | None = None
    notes: tuple[str, ...] = ()

    def text(self) -> str:
        """Return the text of its file; it states its own hash."""
        return sealed({"schema": SCHEMA, **asdict(self)})

    def learned(self, system: VariabilityModel) -> InfluenceModel | None:
        """Return the model, None where nothing was learned."""
        if self.model is None:
            return None
        return parse_model_json(Source(f"task {self.key[:8]}", self.model.encode("utf-8")), system)


def parse_record(data: bytes, key: str) -> Record | None:
    """Return the record of a task, None where the file is not whole, was changed, or is another task's."""
    content = unsealed(data, SCHEMA, key)
    if content is None:
        return None
    try:
        return Record(**{**content, "notes": tuple(content["notes"])})
    except (KeyError, TypeError):
        return None


def sealed(content: Mapping[str, Any]) -> str:
    """Return the text of a record's file: the content (in JSON's types) and its hash."""
    text = _as_text(content)
    return _as_text({"check": sha256_of(text), "record": json.loads(text)}) + "\n"


def unsealed(data: bytes, schema: str, key: str) -> dict[str, Any] | None:
    """Return a record's content without its schema, None where the file is not whole, was changed, or is another's."""
    try:
        found = json.loads(data)
        content: dict[str, Any] = found["record"]
        if found["check"] != sha256_of(_as_text(content)) or content.pop("schema") != schema or content["key"] != key:
            return None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return content


def _as_text(content: Any) -> str:
    return json.dumps(content, indent=1, ensure_ascii=False, sort_keys=True)
