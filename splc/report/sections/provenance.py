"""The files, settings and version that produced a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from splc.io.numbers import count_text, short_number
from splc.report.page import Section
from splc.report.subject import ModelSubject
from splc.workflows.views import Facts


def provenance_section(subject: ModelSubject) -> Section:
    """Return the files, the settings and the version that produced the model."""
    return Section("provenance", "Where it comes from", (Facts(tuple(_facts(subject))),))


def _facts(subject: ModelSubject) -> Iterator[tuple[str, str]]:
    stored, content = subject.stored, subject.content
    system = subject.space.system
    yield "model", stored.name or subject.file
    yield "system", f"{system.name}: {len(system.names)} options"
    if (count := subject.valid_configurations) is not None:
        yield "valid configurations", count_text(count)
    provenance: Mapping[str, Any] = stored.provenance
    for key in ("sampling", "learner", "splc"):
        if isinstance(value := provenance.get(key), str):
            yield {"splc": "version of splc"}.get(key, key), value
    for name in ("preset", "seed", "learning_configurations"):
        if content.get(name) is not None:
            yield name.replace("_", " "), _text(content[name])
    settings = content.get("settings")
    if isinstance(settings, dict) and settings:
        yield "settings", ", ".join(f"{name} = {_text(value)}" for name, value in settings.items() if value is not None)
    files = provenance.get("files")
    for role, file in files.items() if isinstance(files, dict) else ():
        if isinstance(file, dict):
            yield f"{role} file", str(file.get("name") or file.get("path") or "")
            if file.get("sha256"):
                yield f"{role} SHA-256", str(file["sha256"])


def _text(value: object) -> str:
    return short_number(value) if isinstance(value, float) else str(value)
