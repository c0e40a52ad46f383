"""The content of a model file beside the model: errors, intervals of influences, path, settings."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from splc.errors import SplcError
from splc.formats.models.stored_model import StoredModel
from splc.io.files import STANDARD, read_source
from splc.io.json import parse_json


def learned_content(stored: StoredModel, file: str) -> Mapping[str, Any]:
    """Return the keys of the JSON file of a model; of a log, of the one that was written with it."""
    source = stored.companion if stored.kind == "log" else file
    if source is None or source == STANDARD or stored.kind == "text" or not Path(source).is_file():
        return {}
    try:
        content = parse_json(read_source(source).text())
    except SplcError:
        return {}
    return content if isinstance(content, dict) else {}
