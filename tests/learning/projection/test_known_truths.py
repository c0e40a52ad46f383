"""Printed models of small systems whose true models are known: short, as good as the full model, and consistent."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest

from sampling import Space
from splc import parse_model
from splc.data.accuracy import mean_relative_error
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.learning import LearningResult, learn
from splc.models.influence import InfluenceModel
from splc.models.terms import Term
from splc.system.options import BinaryOption, NumericOption, Option
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.support.objects import present
from tests.support.systems import group

NOISE = 0.02


@dataclass(frozen=True)
class Known:
    """A system with its true model; further binary options have no influence."""

    text: str  # the true model
    numeric: dict[str, range | tuple[int, ...]]  # numeric option → its values
    binary: int  # the number of binary options b0, b1, …
    rows: int  # the number of rows to learn from
    codec: bool = False  # whether there is an alternative group of three members

    @property
    def terms(self) -> int:
        """The number of true terms, with the constant."""
        return len(parse_model(self.text, self.system).terms)

    @property
    def system(self) -> VariabilityModel:
        """The options."""
        options: list[Option] = [BinaryOption(f"b{place}") for place in range(self.binary)]
        options += group("codec_a", "codec_b", "codec_c") if self.codec else ()
        options += [NumericOption(name, tuple(map(float, values))) for name, values in self.numeric.items()]
        return VariabilityModel("known", tuple(options))


STEP = "min(1, floor(size / 32))"
KNOWN = {
    "falling": Known("100 - 4 * x + 20 * b0", {"x": range(1, 17)}, 4, 40),
    "saturating": Known("50 + 10 * min(x, 8) + 20 * b0", {"x": range(1, 17)}, 4, 40),
    "rising and falling": Known("60 + 8 * x - 0.5 * x^2 + 15 * b0", {"x": range(1, 17)}, 6, 50),
    "step": Known(f"50 + 30 * {STEP} + 20 * b0 * {STEP} + 10 * b1", {"size": range(8, 72, 8)}, 5, 50),
    "three-way": Known("100 + 40 * b0 * b1 * b2 + 3 * x * b0 * b4 + 25 * b6", {"x": range(1, 9)}, 8, 80),
    "codec": Known(
        "20 + 100 / threads + 10 * codec_b + 25 * codec_c + 15 * b0", {"threads": (1, 2, 4, 8, 16)}, 4, 40, codec=True
    ),
}


@dataclass(frozen=True)
class Run:
    """A model learned from a sample of a known system."""

    name: str  # the name of the system, and the seed
    known: Known
    result: LearningResult
    others: Configurations  # the configurations that were not learned from
    truth: Array  # their true values
    measured: Array  # their values with noise

    @property
    def printed_error(self) -> float:
        """The error of the printed model against the true values."""
        return mean_relative_error(self.result.model.predict(self.others), self.truth) or 0.0

    @property
    def full_error(self) -> float:
        """The error of the full model against the true values."""
        return mean_relative_error(self.result.predict(self.others), self.truth) or 0.0


@cache
def run_of(name: str, seed: int) -> Run:
    """Learn from a sample of a known system."""
    known = KNOWN[name]
    space = Space(known.system)
    rng = np.random.default_rng([7, seed])
    configurations = space.draw(min(space.count, 1500), rng)
    truth = parse_model(known.text, known.system).predict(configurations)
    values = truth * (1 + NOISE * np.clip(rng.standard_normal(len(truth)), -3, 3))
    result = learn(Measurements(configurations, {"y": values}), "y", learning_set=np.arange(known.rows))
    rest = slice(known.rows, None)
    return Run(f"{name}, seed {seed}", known, result, configurations[rest], truth[rest], values[rest])


@pytest.fixture(
    scope="module", params=[(1, "saturating", "step", "codec"), pytest.param((3, *KNOWN), marks=pytest.mark.slow)]
)
def runs(request: pytest.FixtureRequest) -> list[Run]:
    """Some systems with one seed, or all with three."""
    seeds, *names = request.param
    return [run_of(name, seed) for name in names for seed in range(seeds)]


def test_printed_models_are_short(runs: list[Run]) -> None:
    """At most 2 n + 3 terms where the truth has n, but in one of 18 runs; never more than 20, or half of the rows."""
    found = {run.name: (len(run.result.model.terms), run.known.terms) for run in runs}
    long = {name: pair for name, pair in found.items() if pair[0] > 2 * pair[1] + 3}
    assert len(long) <= len(runs) // 18, long
    assert all(len(run.result.model.terms) <= min(20, run.known.rows // 2) for run in runs), found


def test_printed_models_are_as_good_as_the_full_ones(runs: list[Run]) -> None:
    """The error against the true values is at most 1.2 times that of the full model, except in one of 18 runs."""
    worse = {run.name: (run.printed_error, run.full_error) for run in runs if run.printed_error > 1.2 * run.full_error}
    assert len(worse) <= len(runs) // 18, worse


def test_stated_errors_are_honest(runs: list[Run]) -> None:
    """The stated error is that at new measurements, in the geometric mean."""
    stated = []
    for run in runs:
        errors = run.result.printed_errors
        true = present(mean_relative_error(run.result.model.predict(run.others), run.measured))
        stated.append(np.log(present(present(errors).cross_validated).mean / true))
    assert 0.85 <= np.exp(np.mean(stated)) <= 1.15


def test_interactions_that_are_none_are_rare_and_small(runs: list[Run]) -> None:
    """Of codec and threads, whose effects add up, at most one of 18 models has a term of both, of at most 5 %."""
    found = 0
    for run in runs:
        model = run.result.model

        def is_of_both(term: Term, model: InfluenceModel = model) -> bool:
            names = model.options_of(term)
            return "threads" in names and any(name.startswith("codec") for name in names)

        both = tuple(pair for pair in model.terms if run.known.codec and is_of_both(pair[0]))
        found += bool(both)
        effect = replace(model, terms=both).predict(run.others)
        assert (abs(effect) <= 0.05 * run.truth).all(), (run.name, model.text)
    assert found <= len(runs) // 18


def test_no_predictions_below_zero(runs: list[Run]) -> None:
    """Neither model predicts values that are not positive."""
    for run in runs:
        space = Space(run.known.system)
        configurations = space.draw(min(space.count, 1500), np.random.default_rng(1))
        assert (run.result.model.predict(configurations) > 0).all(), run.name
        assert (run.result.predict(configurations) > 0).all(), run.name


def test_the_form_with_the_best_score_is_chosen(runs: list[Run]) -> None:
    """The chosen form comes first; its score is at most 10 % above the best."""
    for run in runs:
        scores = [form.score for form in run.result.forms]
        assert scores[0] <= 1.1 * min(scores), run.name


def test_predictions_are_inside_of_their_intervals(runs: list[Run]) -> None:
    """Predictions of both models are in their own 90 % intervals."""
    for run in runs:
        result = run.result
        models = ((result.predict(run.others), result.intervals),)
        for predicted, intervals in (*models, (result.model.predict(run.others), result.printed_intervals)):
            low, high = present(intervals).interval(run.others)
            assert ((low <= predicted) & (predicted <= high)).all(), run.name
