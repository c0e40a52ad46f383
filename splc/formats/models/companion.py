"""The JSON file that `splc learn` writes beside a log: it has the full model, which a log cannot hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from splc.errors import SplcError
from splc.formats.models.stored_model import StoredModel
from splc.io.files import Source, read_source
from splc.system.variability import VariabilityModel

SUFFIX = ".json"


def _candidates(log: str, stated_names: Sequence[str]) -> list[str]:
    """Return where the JSON file of a log may be: beside the log, or the file that a link leads to.

    Files that were moved together may have other names than the log states.
    """
    logs = dict.fromkeys((log, str(Path(log).resolve())))
    # A log cannot refer to a file in another folder.
    beside_log = [
        str(Path(log_file).with_name(Path(name).name)) for log_file in logs for name in stated_names if Path(name).name
    ]
    return list(dict.fromkeys([*map(companion_of, logs), *beside_log]))


def companion_of(log: str) -> str:
    """Return the name of the JSON file that is written beside a log."""
    return str(Path(log.removesuffix(".gz")).with_suffix(SUFFIX))


@dataclass(frozen=True)
class Companion:
    """The JSON file that was written with a log."""

    file: str | None = None  # its name, None where it is not there, is another one, or cannot be read
    model: StoredModel | None = None  # its model, None where `file` is None
    problem: str = ""  # why they are None, empty where there is none to be expected

    @property
    def system(self) -> VariabilityModel | None:
        """The system that it describes, which tells names of options in the log from operators."""
        return None if self.model is None else self.model.system

    def added_to(self, stored: StoredModel) -> StoredModel:
        """Return the model of the log with the full model of this file."""
        model = self.model
        if model is None:
            return replace(stored, unused=self.problem)
        return replace(
            stored,
            full=model.full,
            intervals=model.intervals,
            printed_intervals=model.printed_intervals,
            system=model.system,
            provenance=model.provenance,
            support=model.support,
            folds=model.folds,
            companion=self.file,
            stated_unit=model.stated_unit,
            expected_error=model.expected_error,
        )


def read_companion(source: Source, system: VariabilityModel | None) -> Companion:
    """Return the JSON file that was written with a log, if it is there."""
    # Imported here, since commands that only write models do not need the readers.
    from splc.formats.models.json import log_hash_of, parse_stored_json
    from splc.formats.models.log_writer import COMPANION

    lines = source.data.decode("utf-8", errors="replace").splitlines()
    stated_names = [line.removeprefix(COMPANION).strip() for line in lines if line.startswith(COMPANION)]
    problem = ""
    for file in _candidates(source.name, stated_names):
        if not Path(file).is_file():
            continue
        try:
            companion = read_source(file)
            expected = log_hash_of(companion)
            if expected is None and Path(file).name not in stated_names:
                continue
            if expected == source.sha256:
                return Companion(file, parse_stored_json(companion, system))
            reason = f"{file} was written with another log, so that its full model is not used"
            problem = problem or f"{reason}: predictions are those of the printed model"
        except SplcError as error:
            problem = problem or f"the full model cannot be read, the printed one predicts: {error}"
    if stated_names and not problem:
        reason = f"{stated_names[-1]}, which was written with {source.name}, is not beside it"
        problem = f"{reason}: predictions are those of the printed model"
    return Companion(problem=problem)
