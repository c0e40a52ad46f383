"""The presets `truth`, `difficult` and `noise`: learners on generated systems whose true models are known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from casestudies.accuracy import difficult_tables, generator, truth_tables
from casestudies.accuracy.difficult import difficult
from casestudies.accuracy.generator import NFP, Truth, pure_noise, truth
from casestudies.accuracy.learners import DEFAULT, PRESETS, READABLE, code_of, known
from casestudies.accuracy.printed_models import number_of_terms, printed_figures
from casestudies.accuracy.real_systems import rounded
from casestudies.accuracy.truth_pictures import difficult_pictures, noise_pictures, truth_pictures
from casestudies.accuracy.truth_tables import BINS, SETTLED, SUPPORT
from casestudies.evaluation.evaluation import Evaluation, Row, hash_of
from splc.data.accuracy import mean_relative_error
from splc.data.configurations import Configurations
from splc.errors import SplcError
from splc.io.tables import Table
from splc.learning import LearningResult, learn
from splc.learning.effects import group_titles
from splc.learning.learner import predictions
from splc.learning.result import InfluenceEstimate
from splc.models.influence import InfluenceModel
from splc.models.terms import Term
from splc.study.tasks import reason_of
from splc.types import Array

# The systems of a task.
_BLOCK = 10


@dataclass(frozen=True)
class TruthEvaluation(Evaluation):
    """Learners on systems whose true models are known."""

    preset: ClassVar[str] = "truth"

    learners: tuple[str, ...] = known()  # names of learners
    systems: int = 200  # the number of systems

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
class DifficultEvaluation(TruthEvaluation):
    """The default learner on systems whose true models are hard to print."""

    preset: ClassVar[str] = "difficult"

    learners: tuple[str, ...] = known((DEFAULT,))
    systems: int = 60

    def shared(self) -> dict[str, Any]:
        """Return what decides the systems: the source of their generator."""
        return {**super().shared(), "difficult": hash_of(Path(generator.__file__).with_name("difficult.py"))}

    def rows(self, cell: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return a row per system."""
        return [truth_row(cell["learner"], index, difficult(index)) for index in range(cell["first"], cell["last"])]

    def tables(self, rows: Sequence[Row]) -> tuple[Table, ...]:
        """Return the tables of `table.md`."""
        return difficult_tables.tables_of(rows)

    def pictures(self, rows: Sequence[Row]) -> dict[str, bytes]:
        """Return the picture of errors and numbers of terms."""
        return difficult_pictures(rows)

    def picture_names(self) -> tuple[str, ...]:
        """Return the names of all pictures."""
        return ("pictures/printed.png",)


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
    measured = known_truth.measurements[test]
    true_values = known_truth.true_values[test]
    found = {
        "error": mean_relative_error(predictions(result.predictor, measured.configurations), true_values),
        "terms": number_of_terms(result),
        "form": result.model.link if result.readable else None,
        "seconds": result.seconds,
        **printed_figures(result, measured.configurations, true_values),
        **covered(result, known_truth),
        **blamed(result, known_truth),
        **recovered(result, known_truth),
        **calibrated(result, known_truth),
    }
    return {**row, **{key: rounded(value) for key, value in found.items()}}


def covered(result: LearningResult, known_truth: Truth) -> dict[str, float | None]:
    """Return the coverage of new measurements, and the error of the printed model at them, as the stated one is."""
    test = known_truth.measurements[slice(known_truth.rows, None)]
    found = printed_figures(result, test.configurations, test.column(NFP))
    return {"covered": found.get("covered"), "measured": found.get("printed")}


def blamed(result: LearningResult, known_truth: Truth) -> dict[str, int]:
    """Return the numbers of true terms, of options without influence, and of those in a term of a settled sign.

    An alternative group counts as one option.
    """
    if not result.estimates:
        return {}
    system = known_truth.measurements.system
    titles = group_titles(system)
    needed = {titles.get(name, name) for name in known_truth.model.options}
    unneeded = {titles.get(name, name) for name in system.names if name not in system.mandatory} - needed
    terms = [result.model.options_of(each.term) for each in result.estimates if is_settled(each, result)]
    found = {titles.get(name, name) for options in terms for name in options}
    return {"true size": len(known_truth.model.terms) - 1, "unneeded": len(unneeded), "blamed": len(unneeded & found)}


def is_settled(estimate: InfluenceEstimate, result: LearningResult) -> bool:
    """Return whether the sign of an influence is settled: by its probability, and in three quarters of the folds."""
    supported = estimate.folds is None or estimate.folds >= SUPPORT * result.folds
    return estimate.sign_probability >= SETTLED and supported


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
    keys = known_truth.keys(known_truth.model)
    estimates = [each for each in result.estimates if each.term.factors]
    true = true_influences(result.model, known_truth)
    mine = [each for each in estimates if each.term in true]
    settled = [each for each in estimates if is_settled(each, result)]
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


def true_influences(model: InfluenceModel, known_truth: Truth) -> dict[Term, float]:
    """Return the true influences of the terms of a model, for those that have the values of a true term."""
    configurations = known_truth.measurements.configurations
    known = list(zip(values_of_terms(known_truth.model, configurations), known_truth.model.terms, strict=True))
    found: dict[Term, float] = {}
    for values, (term, _) in zip(values_of_terms(model, configurations), model.terms, strict=True):
        same = [influence for column, (_, influence) in known if np.allclose(column, values, rtol=1e-6, atol=1e-9)]
        found |= dict.fromkeys([term], same[0]) if same else {}
    return found


def values_of_terms(model: InfluenceModel, configurations: Configurations) -> list[Array]:
    """Return the values of the terms of a model without their influences."""
    unit = replace(model, terms=tuple((term, 1.0) for term, _ in model.terms))
    return list(unit.contributions(configurations).T)
