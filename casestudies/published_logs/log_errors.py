"""The errors of the rounds of logs, recomputed on measurements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from splc.data.accuracy import mean_relative_error
from splc.data.measurements import Measurements
from splc.errors import ExpressionError, InputError, Problems, shorten
from splc.formats.models.log_reader import Learning, RoundLine, model_of
from splc.learning.learner import predictions
from splc.models.text.log_grammar import expand_product, is_number, split_model
from splc.system.variability import ROOT
from splc.types import Array

# The rules by which logs state errors: the mean relative error of all configurations (but for values of 0), or that of
# those with a value of at least 1, as a part of SPL Conqueror's program computes it.
ALL_VALUES, WITHOUT_SMALL = "all values", "without values below 1"
Errors = Mapping[int, float | None]

# The columns of products that are kept take at most this number of bytes.
MAX_BYTES = 1 << 27
# Configurations whose predictions are computed at a time, so that these stay in the cache of a processor.
CHUNK = 1 << 12


class LogErrors:
    """Recomputes the errors of rounds on all measured configurations; products of options are evaluated once."""

    def __init__(self, measurements: Measurements, nfp: str) -> None:
        measured_rows = measurements.measured(nfp)
        self._configurations = measured_rows.configurations
        self._measured = measured_rows.column(nfp)
        self._names = measured_rows.system.term_table
        rows_by_rule = {ALL_VALUES: self._measured != 0, WITHOUT_SMALL: self._measured >= 1}
        if not rows_by_rule[WITHOUT_SMALL].any() or (rows_by_rule[WITHOUT_SMALL] == rows_by_rule[ALL_VALUES]).all():
            rows_by_rule.pop(WITHOUT_SMALL)
        self._counted = rows_by_rule
        weights = [_weights(self._measured, rows) for rows in rows_by_rule.values()]
        self._weights = np.array(weights).T
        self._columns: dict[str, Array] = {}
        # The columns of single options, which most products consist of.
        self._options: dict[str, Array] = {}

    def of(self, learning: Learning, file: str) -> Mapping[str, Errors]:
        """Return rule → round → error in percent, None where it is undefined; an averaged model is round 0."""
        if learning.link != "identity" or learning.definitions or not learning.rounds:
            numbers = tuple(learning.rounds) or (0,)
            # The models are not only sums of products of options.
            system = self._configurations.system
            models = [model_of(learning, each if learning.rounds else "last", file, system) for each in numbers]
            return self._errors(numbers, [predictions(model, self._configurations) for model in models])
        problems = Problems(file)
        rows = [self._terms(round_line, problems) for round_line in learning.rounds.values()]
        problems.raise_if_any(InputError)
        products = list(dict.fromkeys(product for row in rows for product in row))
        influences = np.array([[row.get(product, 0.0) for product in products] for row in rows])
        columns = [self._columns[product] for product in products]
        errors = np.zeros((len(influences), len(self._counted)))
        with np.errstate(over="ignore", invalid="ignore"):
            for start in range(0, len(self._measured), CHUNK):
                chunk = slice(start, start + CHUNK)
                predicted = influences @ np.array([column[chunk] for column in columns])
                predicted -= self._measured[chunk]
                errors += np.abs(predicted, out=predicted) @ self._weights[chunk]
            if np.isfinite(errors).all() and self._counted[ALL_VALUES].any():
                return {
                    rule: dict(zip(learning.rounds, errors_by_round, strict=True))
                    for rule, errors_by_round in zip(self._counted, errors.T.tolist(), strict=True)
                }
            # The influence 0 of a term that a round does not have, times infinity, is not 0.
            matrix = np.array(columns)
            predicted_rounds = [influences[at, is_used] @ matrix[is_used] for at, is_used in enumerate(influences != 0)]
        return self._errors(tuple(learning.rounds), [np.where(np.isfinite(p), p, np.nan) for p in predicted_rounds])

    def _errors(self, numbers: Sequence[int], predicted: Sequence[Array]) -> Mapping[str, Errors]:
        """Return the errors of predictions that may be undefined."""
        return {
            rule: {
                number: mean_relative_error(prediction[rows], self._measured[rows])
                for number, prediction in zip(numbers, predicted, strict=True)
            }
            for rule, rows in self._counted.items()
        }

    def _terms(self, round_line: RoundLine, problems: Problems) -> dict[str, float]:
        """Return product → influence of a round, after its columns were computed."""
        influence_of: dict[str, float] = {}
        for influence, product in split_model(round_line.model):
            text = product or ROOT
            if not is_number(influence):
                problems.add("a term must begin with its influence, a finite number", round_line.line, text=influence)
            elif text in self._columns or self._evaluated(text, round_line.line, problems):
                influence_of[text] = influence_of.get(text, 0.0) + float(influence)
        return influence_of

    def _evaluated(self, product: str, line: int, problems: Problems) -> bool:
        try:
            expansion = expand_product(product, self._names, self._configurations.system)
        except ExpressionError as error:
            for problem in error.problems:
                problems.add(f"in the term {shorten(product, 80)!r}: {problem.message}", line, hint=problem.hint)
            return False
        total = np.zeros(len(self._configurations))
        with np.errstate(over="ignore", invalid="ignore"):
            for term, weight in expansion.items():
                total += weight * term.evaluate(self._option)
        self._columns[product] = total
        return True

    def _option(self, name: str) -> Array:
        if name not in self._options:
            self._options[name] = self._configurations.column(name)
        return self._options[name]

    def forget(self) -> None:
        """Drop the columns if they take much memory."""
        for columns in (self._columns, self._options):
            if len(columns) * 8 * len(self._measured) > MAX_BYTES:
                columns.clear()


def _weights(measured: Array, rows: Array) -> Array:
    """Return the weight of each absolute error in the mean relative error of some rows, in percent."""
    weights = np.zeros(len(measured))
    if rows.any():
        weights[rows] = 100 / np.abs(measured[rows]) / rows.sum()
    return weights
