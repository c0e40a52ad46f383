"""The presets `truth` and `noise`: learners on generated systems whose true models are known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from casestudies.accuracy import generator, truth_tables
from casestudies.accuracy.generator import NFP, Truth, pure_noise, truth
from casestudies.accuracy.learners import PRESETS, READABLE, code_of, known
from casestudies.accuracy.real_systems import number_of_terms, rounded
from casestudies.accuracy.truth_pictures import noise_pictures, truth_pictures
from casestudies.accuracy.truth_tables import BINS, SETTLED
from casestudies.evaluation.evaluation import Evaluation, Row, hash_of
from splc.data.accuracy import mean_relative_error
from splc.errors import SplcError
from splc.io.tables import Table
from splc.learning import LearningResult, learn
from splc.learning.judging import predictions
from splc.study.records import reason_of

# The systems of a task.
_BLOCK = 10


@dataclass(frozen=True)
class TruthEvaluation(Evaluation):
    """Learners on systems whose true models are known.

    Attributes:
        path: None.
        learners: names of learners.
        systems: the number of systems.
    """

    preset: ClassVar[str] = "truth"

    learners: tuple[str, ...] = known()
    systems: int = 200

    def cells(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the title and the cell of each task."""
        for learner in self.learners:
            for first in range(0, self.systems, _BLOCK):
                last = min(first + _BLOCK, self.systems)
                cell = {"learner": learner, "first": first, "last": last, "code": code_of(learner)}
                yield f"{learner}: systems {first} to {last - 1}", cell

    def shared(self) -> dict[str, Any]:
        """Return what decides the systems: the source of the generator."""
        return {"generator": hash_of(Path(generator.__file__))}

    def rows(self, cell: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return a row per system."""
        return [truth_row(cell["learner"], index, truth(index)) for index in range(cell["first"], cell["last"])]

    def tables(self, rows: Sequence[Row]) -> tuple[Table, ...]:
        """Return the tables of `table.md`."""
        return truth_tables.tables_of(rows)

    def pictures(self, rows: Sequence[Row]) -> dict[str, bytes]:
        """Return the pictures of errors, terms and probabilities."""
        return truth_pictures(rows)

    def picture_names(self) -> tuple[str, ...]:
        """Return the names of all pictures."""
        return ("pictures/recovery.png", "pictures/calibration.png")


@dataclass(frozen=True)
class NoiseEvaluation(TruthEvaluation):
    """Learners whose models have terms on systems without influences."""

    preset: ClassVar[str] = "noise"

    learners: tuple[str, ...] = known(READABLE)

    def rows(self, cell: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return a row per system."""
        return [truth_row(cell["learner"], index, pure_noise(index)) for index in range(cell["first"], cell["last"])]

    def tables(self, rows: Sequence[Row]) -> tuple[Table, ...]:
        """Return the tables of `table.md`."""
        return (truth_tables.noise_table(rows),)

    def pictures(self, rows: Sequence[Row]) -> dict[str, bytes]:
        """Return the picture of the shares of models with terms."""
        return noise_pictures(rows)

    def picture_names(self) -> tuple[str, ...]:
        """Return the names of all pictures."""
        return ("pictures/noise.png",)


def truth_row(learner: str, index: int, known_truth: Truth) -> dict[str, Any]:
    """Return the row of a learner on a system."""
    row: dict[str, Any] = {
        "system": index,
        "kind": known_truth.kind,
        "style": known_truth.style,
        "noise": known_truth.noise,
        "rows": known_truth.rows,
        "learner": learner,
    }
    try:
        result = learn(
            known_truth.measurements,
            NFP,
            PRESETS.get(learner, "default"),
            learner=learner,
            learning_set=np.arange(known_truth.rows),
            seed=index,
        )
    except SplcError as error:
        return {**row, "reason": reason_of(error)}
    test = slice(known_truth.rows, None)
    configurations = known_truth.measurements.configurations[test]
    found = {
        "error": mean_relative_error(predictions(result.predictor, configurations), known_truth.true_values[test]),
        "terms": number_of_terms(result),
        "form": result.model.link if result.readable else None,
        "seconds": result.seconds,
        **covered(result, known_truth),
        **recovered(result, known_truth),
        **calibrated(result, known_truth),
    }
    return {**row, **{key: rounded(value) for key, value in found.items()}}


def covered(result: LearningResult, known_truth: Truth) -> dict[str, float | None]:
    """Return the share of new measurements inside of their intervals, in percent."""
    if result.intervals is None:
        return {"covered": None}
    test = known_truth.measurements[slice(known_truth.rows, None)]
    low, high = result.intervals.interval(test.configurations)
    values = test.column(NFP)
    return {"covered": 100 * float(np.mean((low <= values) & (values <= high)))}


def recovered(result: LearningResult, known_truth: Truth) -> dict[str, int]:
    """Return the numbers of true terms, and of true and false ones of the model; of sets of options likewise.

    Empty for a model without terms, and for a sum in ln y (y) of a property that is additive in y (ln y): there is no
    true model in that form.
    """
    if not result.readable or result.model.link != known_truth.model.link:
        return {}
    found: dict[str, int] = {}
    for name, items in (("terms", known_truth.keys), ("sets", known_truth.sets)):
        true, printed = set(items(known_truth.model)), set(items(result.model))
        found |= {
            f"true {name}": len(true),
            f"true {name} found": len(true & printed),
            f"false {name}": len(printed - true),
        }
    return found


def calibrated(result: LearningResult, known_truth: Truth) -> dict[str, Any]:
    """Return numbers of influences of true terms: by the probability of their sign, with the right sign, covered."""
    if not result.estimates or result.model.link != known_truth.model.link:
        return {}
    true = known_truth.model.influences
    keys = known_truth.keys(known_truth.model)
    estimates = [each for each in result.estimates if each.term.factors]
    mine = [each for each in estimates if each.term in true]
    settled = [each for each in estimates if each.sign_probability >= SETTLED]
    found: dict[str, Any] = {
        "influences": len(mine),
        "influences covered": sum(each.low <= true[each.term] <= each.high for each in mine),
        "settled": len(settled),
        "settled and true": sum(known_truth.key(each.term) in keys for each in settled),
    }
    for low, high in BINS:
        inside = [each for each in mine if low <= each.sign_probability < high]
        right = sum(np.sign(each.influence) == np.sign(true[each.term]) for each in inside)
        found |= {
            f"P {low:g}": len(inside),
            f"P {low:g} sum": float(sum(each.sign_probability for each in inside)),
            f"P {low:g} right": int(right),
        }
    return found
