"""Learn again what logs of SPL Conqueror state, and compare every round."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from casestudies.published_logs.log_learnings import Learning
from casestudies.published_logs.samples import Redrawn, redrawn
from sampling import Space
from splc.data.measurements import Measurements
from splc.errors import ExpressionError, RequestError, SplcError
from splc.formats.models.log_reader import RoundLine
from splc.learning.features import feature_table
from splc.learning.stepwise.algorithm import ForwardSelection, Outcome
from splc.learning.stepwise.settings import FIRST, OF_2019, Settings
from splc.models.basis.regression import least_squares
from splc.models.terms import Term
from splc.models.text.log_grammar import expand_product, split_model
from splc.types import Array

# The relative difference up to which influences and errors are equal.
EQUAL = 1e-9
# The errors of exact models are rounding errors.
MIN_ERROR = 1e-3
Expansion = Mapping[Term, float]


@dataclass(frozen=True)
class Relearned:
    """A learning of a log that was learned again."""

    rounds: int  # the number of rounds of the log
    equal: int = 0  # the number of first rounds that are equal: terms, influences, and error
    sample: str = ""  # how the sample was drawn; empty: it cannot be drawn again
    reason: str = ""  # why it cannot be drawn, or what differs in the first round that is not equal; empty: nothing

    @property
    def complete(self) -> bool:
        """True if all rounds are equal."""
        return not self.reason


def relearned(learning: Learning, measured: Measurements, nfp: str, log: str, folder: Path) -> Relearned:
    """Draw the sample of a log again, learn from it with the settings of the log, and compare the rounds.

    The first term is that of the log where the program took an arbitrary one, and so is the choice between candidates
    that are equally good.
    """
    usable = measured.measured(nfp)
    try:
        stated_model = _Stated(learning, usable)
        best = None
        for sample in redrawn(learning, usable, Space(usable.system), log, folder):
            comparison = _comparison(stated_model, sample, usable, nfp)
            if best is None or comparison.equal > best.equal:
                best = comparison
            if best.complete:
                break
    except SplcError as error:
        return Relearned(len(learning.rounds), reason=error.problems[0].message)
    size = learning.stated.configurations
    return best or Relearned(len(learning.rounds), reason=f"no sample has the stated size of {size}")


class _Stated:
    """The statements of a log about a learning.

    Raises:
        RequestError: if it is not one of SPL Conqueror's algorithm, or it depends on other random draws.
    """

    def __init__(self, learning: Learning, measured: Measurements) -> None:
        self.rounds: list[RoundLine] = [learning.rounds[number] for number in sorted(learning.rounds)]
        if not self.rounds or "lossFunction" not in learning.stated.settings:
            raise RequestError("the log states no settings of SPL Conqueror's algorithm")
        settings = Settings().changed(learning.stated.settings)
        for name in ("bagging", "crossValidation", "useBackward"):
            if getattr(settings, name):
                raise RequestError(f"with {name} the program's rounds depend on more than its sample")
        self.system = measured.system
        self.names = self.system.term_table
        self.products: list[list[tuple[float, Expansion]]] = [
            [(float(influence), self.expansion(product)) for influence, product in split_model(round_line.model)]
            for round_line in self.rounds
        ]
        # Terms are in the order in which they were chosen.
        self.chosen = [self.products[-1][at][1] for at in range(1, len(self.products[-1]))]
        if len(self.chosen) != len(self.rounds):
            raise RequestError("the rounds of the log do not add one term each")
        # In the program of 2018 all first candidates have .NET's largest number as their score.
        if self.rounds[0].score >= sys.float_info.max:
            first = settings.first or split_model(self.rounds[0].model)[-1][1]
            settings = settings.changed({FIRST: first, "leastValue": OF_2019.leastValue})
        self.settings = settings

    def expansion(self, product: str) -> Expansion:
        """Return a product of the log as a sum of terms."""
        try:
            return expand_product(product or "1", self.names, self.system)
        except ExpressionError as error:
            raise RequestError(error.problems[0].message) from None


def _comparison(stated_model: _Stated, sample: Redrawn, measured: Measurements, nfp: str) -> Relearned:
    """Return the first difference between the rounds of a log and those learned from a sample."""
    total = len(stated_model.rounds)
    if not _refits(stated_model, sample.rows, measured, nfp):
        if sample.doubt:
            return Relearned(total, reason=sample.doubt)
        return Relearned(total, 0, sample.how, "round 1: the influences of the log's model are others in this sample")
    table = feature_table(
        measured.configurations[sample.rows],
        measured.column(nfp)[sample.rows],
        stated_model.settings.learn_numeric_disabled,
    )
    outcome = ForwardSelection(table, stated_model.settings, followed=stated_model.chosen).run()
    for at in range(max(total, len(outcome.rounds))):
        reason = _difference(stated_model, outcome, at)
        if reason:
            return Relearned(total, min(at, total), sample.how, f"round {at + 1}: {reason}")
    return Relearned(total, total, sample.how)


def _refits(stated_model: _Stated, rows: Array, measured: Measurements, nfp: str) -> bool:
    """Return whether least squares gives the influences of the first round's model."""
    configurations = measured.configurations[rows]
    columns = []
    for _, expansion in stated_model.products[0]:
        column = np.zeros(len(rows))
        for term, weight in expansion.items():
            column += weight * term.evaluate(configurations.column)
        columns.append(column)
    if not np.isfinite(columns).all():
        return False
    coefficients = least_squares(np.array(columns).T, measured.column(nfp)[rows])
    return _are_close(coefficients, [influence for influence, _ in stated_model.products[0]])


def _difference(stated_model: _Stated, outcome: Outcome, at: int) -> str:
    """Return what differs in a round, empty if nothing does."""
    if at >= len(outcome.rounds):
        return f"learning ends before it ({outcome.termination})"
    own_round = outcome.rounds[at]
    if at >= len(stated_model.rounds):
        return f"the log ends before it, here {own_round.added.log_text()} follows"
    stated_terms = stated_model.products[at]
    added = dict(own_round.added.expansion or ((own_round.added.term, 1.0),))
    if added != stated_terms[-1][1]:
        stated_term = split_model(stated_model.rounds[at].model)[-1][1]
        return f"the log chooses {stated_term}, here {own_round.added.log_text()} is better"
    if not _are_close([term.influence for term in own_round.terms], [influence for influence, _ in stated_terms]):
        return "the influences differ"
    if not _are_close([own_round.error], [stated_model.rounds[at].error], MIN_ERROR):
        return "the errors differ"
    return ""


def _are_close(values: Sequence[float] | Array, reference: Sequence[float], min_scale: float = 0.0) -> bool:
    """Return whether numbers are equal relative to the reference, or to `min_scale` where that is larger."""
    actual, expected = np.asarray(values, dtype=np.float64), np.asarray(reference, dtype=np.float64)
    return actual.shape == expected.shape and bool(
        np.all(np.abs(actual - expected) <= EQUAL * np.maximum(np.abs(expected), min_scale))
    )
