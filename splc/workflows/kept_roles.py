"""The inputs and roles of columns that `splc init --keep` writes to `splc.toml`."""

from __future__ import annotations

import os
from pathlib import Path

from splc.errors import OutputError, Problem, listed
from splc.formats.measurements.inference import Inference
from splc.io.files import read_source
from splc.io.toml import parse_toml, toml_value
from splc.project.config import FILE_NAME


def project_text(inference: Inference, folder: Path, system: str, measurements: str) -> str:
    """Return the content of `splc.toml` with the inputs and the roles of all columns; its present content is kept."""
    only = inference.properties[0] if len(inference.properties) == 1 else None
    roles = {
        "system": os.path.relpath(system, folder),
        "measurements": os.path.relpath(measurements, folder),
        "property": inference.main or only,
        "options": list(inference.columns),
        "contexts": list(inference.contexts),
        "ignore": list(inference.ignored),
    }
    lines = [f"{key} = {toml_value(value)}" for key, value in roles.items() if value]
    file, existing = folder / FILE_NAME, ""
    if file.exists():
        source = read_source(file)
        existing = "\n" + source.text()
        if keys := [key for key in parse_toml(source)[0] if key in roles]:
            hint = "remove them from it, or edit them by hand"
            raise OutputError(Problem(f"the file states {listed(keys)} already", str(file), hint=hint))
    return "\n".join(lines) + "\n" + existing
