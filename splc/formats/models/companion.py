"""The JSON file that `splc learn` writes beside a log: it has the full model, which a log cannot hold."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from splc.errors import SplcError
from splc.formats.models.stored_model import StoredModel
from splc.io.files import STANDARD, Source, read_source
from splc.system.variability import VariabilityModel

SUFFIX = ".json"


def companion_of(log: str) -> str:
    """Return the name of the JSON file that is written beside a log."""
    return str(Path(log.removesuffix(".gz")).with_suffix(SUFFIX))


def with_full_model(stored: StoredModel, source: Source, system: VariabilityModel | None) -> StoredModel:
    """Return a model of a log with the full model of the JSON file that was written with it, if that is there.

    Args:
        stored: a model, which is returned as it is unless it is one of a log.
        source: its file.
        system: the system, for files that do not describe it.
    """
    if stored.kind != "log" or source.name == STANDARD:
        return stored
    # Commands that only write models need no reader of texts.
    from splc.formats.models.json import log_hash_of, parse_stored_json

    file = companion_of(source.name)
    if not Path(file).is_file():
        return stored
    try:
        own = read_source(file)
        expected = log_hash_of(own)
        if expected is None:
            return stored
        if expected != source.sha256:
            what = f"{file} was written with another log, so that its full model is not used"
            return replace(stored, unused=f"{what}: predictions are those of the printed model")
        found = parse_stored_json(own, system)
    except SplcError as error:
        return replace(stored, unused=f"the full model cannot be read, the printed one predicts: {error}")
    return replace(
        stored,
        full=found.full,
        intervals=found.intervals,
        printed_intervals=found.printed_intervals,
        system=found.system,
        provenance=found.provenance,
        support=found.support,
        folds=found.folds,
    )
