"""Settings: names, values, and what each does to a run."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

from splc.errors import LearningError, SpecError
from splc.formats.models.log_writer import settings_line
from splc.io.settings import settings_in
from splc.learning.features import Feature, FeatureTable
from splc.learning.result import Round
from splc.learning.stepwise import candidates
from splc.learning.stepwise.algorithm import REASONS, ForwardSelection, stop_reason
from splc.learning.stepwise.candidates import CandidateGrid
from splc.learning.stepwise.settings import PRESETS, WITHOUT_EFFECT, Settings, preset
from splc.learning.stepwise.stepwise import bagged, folds_of, part_of

# The settings that logs of SPL Conqueror's program state where none was changed.
LOGGED = (
    "epsilon:0 lossFunction:RELATIVE parallelization:True bagging:False baggingNumbers:3 considerEpsilonTube:False "
    "baggingTestDataFraction:50 useBackward:False abortError:1 limitFeatureSize:False featureSizeTreshold:4 "
    "quadraticFunctionSupport:True crossValidation:False crossValidation-k:5 learn-logFunction:False "
    "learn-accumulatedLogFunction:False learn-asymFunction:False learn-ratioFunction:False "
    "learn-mirrowedFunction:False numberOfRounds:70 backwardErrorDelta:1 minImprovementPerRound:0.1 "
    "withHierarchy:False bruteForceCandidates:False ignoreBadFeatures:False stopOnLongRound:True "
    "candidateSizePenalty:True learnTimeLimit:00:00:00 scoreMeasure:RELERROR outputRoundsToStdout:False blacklisted:"
)
# What the logs published in 2019 state instead.
LOGGED_IN_2019 = {
    "abortError": "10",
    "featureSizeTreshold": "7",
    "learn_logFunction": "True",
    "minImprovementPerRound": "0.25",
    "leastValue": "1",
    "stopOnLongRound": "False",
}


def problem(rows: int = 120, options: int = 6, seed: int = 0) -> FeatureTable:
    """A problem with interactions of two and three options, and noise."""
    rng = np.random.default_rng(seed)
    b = rng.integers(0, 2, (options, rows)).astype(float)
    x = rng.integers(1, 9, rows).astype(float)
    target = 10 + 4 * b[0] + 3 * b[1] * b[2] + 2 * b[0] * b[3] * b[4] + 0.5 * x + 0.2 * x * b[1]
    target += rng.uniform(0, 0.3, rows)
    features = (*(Feature(f"b{i}", False) for i in range(options)), Feature("x", True, 1.0, 8.0, has_zero=False))
    return FeatureTable(features, {**{f"b{i}": b[i] for i in range(options)}, "x": x}, target)


def rounds(**values: Any) -> tuple[Round, ...]:
    """Return the rounds of a run with these settings."""
    chosen = {"abortError": 0, "minImprovementPerRound": 0, "numberOfRounds": 12, **values}
    return ForwardSelection(problem(), Settings().changed(chosen)).run().rounds


def test_names_and_values_are_read_as_spl_conqueror_writes_them() -> None:
    """Dashes are underscores, case does not matter, times are HH:MM:SS, and the threshold is spelled both ways."""
    chosen = Settings().changed(
        {"ABORTERROR": "5", "learn-logFunction": "True", "featureSizeThreshold": 3, "learnTimeLimit": "01:02:03"}
    )
    assert (chosen.abortError, chosen.learn_logFunction, chosen.featureSizeTreshold) == (5.0, True, 3)
    assert chosen.learnTimeLimit == 3723
    assert Settings().changed({"parallelization": "false"}) == Settings()


@pytest.mark.parametrize(("name", "changed"), [("splconqueror", {}), ("splconqueror-2019", LOGGED_IN_2019)])
def test_defaults_are_those_of_the_program(name: str, changed: dict[str, str]) -> None:
    """Every setting of a preset has the value that the program's logs state; one that they do not state is on."""
    stated = dict(each.split(":", 1) for each in LOGGED.replace("-", "_").split())
    own = dict(re.findall(r"(\w+):(\S+)", settings_line(preset(name).as_dict())))
    wanted = {key: value for key, value in stated.items() if key not in WITHOUT_EFFECT}
    assert own == {**wanted, "learn_numeric_disabled": "True", **changed}


def test_least_values() -> None:
    """A setting can have its least value."""
    least = {name: each.least for name, each in settings_in(Settings).items() if each.least > -math.inf}
    assert len(least) == 9
    assert {name: getattr(Settings().changed(least), name) for name in least} == least


def test_unknown_preset_lists_the_known_ones() -> None:
    """An unknown preset is an error with the known names."""
    with pytest.raises(SpecError, match="splconqueror"):
        preset("unknown")
    assert PRESETS["default"] == PRESETS["splconqueror"]


def test_stop_rules_apply_in_spl_conquerors_order() -> None:
    """Rounds come before time, time before the error, the error before the improvement; each has its word."""
    base: dict[str, Any] = {
        "settings": Settings(),
        "number": 1,
        "error": 50.0,
        "score": 5.0,
        "exact": 1e-9,
        "elapsed": 1.0,
        "took": 1.0,
        "level": 10,
    }
    limited = Settings().changed({"learnTimeLimit": 10, "numberOfRounds": 40})
    cases: list[tuple[dict[str, Any], str | None]] = [
        ({}, None),
        ({"settings": limited, "number": 40, "elapsed": 11.0, "error": 0.0, "score": 0.0}, "numberOfRounds"),
        ({"settings": limited, "elapsed": 11.0, "error": 0.0}, "learnTimeLimit"),
        ({"number": 31, "took": 3601.0, "error": 0.0}, "stopOnLongRound"),
        ({"number": 30, "took": 3601.0}, None),
        ({"error": 0.5, "score": 0.0}, "abortError"),
        ({"settings": Settings().changed({"abortError": 0}), "error": 0.0}, "abortError"),
        ({"score": 0.05}, "minImprovementPerRound"),
        ({"score": 0.05, "settings": Settings().changed({"withHierarchy": True}), "level": 3}, None),
        # Values that are equal to a limit.
        ({"settings": limited, "number": 39}, None),
        ({"settings": limited, "elapsed": 10.0}, None),
        ({"number": 31, "took": 3600.0}, None),
        ({"number": 31, "took": 3601.0, "settings": Settings().changed({"stopOnLongRound": False})}, None),
        ({"error": 1e-9, "settings": Settings().changed({"abortError": 0})}, "abortError"),
        ({"error": Settings().abortError}, None),
        ({"score": Settings().minImprovementPerRound}, None),
        (
            {"score": 0.05, "settings": Settings().changed({"withHierarchy": True}), "level": 10},
            "minImprovementPerRound",
        ),
    ]
    for change, expected in cases:
        assert stop_reason(**{**base, **change}) == expected
        assert expected is None or expected in REASONS


def test_number_of_rounds_limits_the_terms() -> None:
    """With numberOfRounds:n the model has at most n terms beside the constant."""
    assert len(rounds(numberOfRounds=3)) == 3


def test_feature_size_limit_keeps_terms_small() -> None:
    """With limitFeatureSize a term of featureSizeTreshold option occurrences is not extended."""
    plain = {"quadraticFunctionSupport": False, "numberOfRounds": 20}
    assert max(r.added.occurrences for r in rounds(**plain)) > 2
    for limit in (1, 2):
        history = rounds(limitFeatureSize=True, featureSizeTreshold=limit, **plain)
        assert max(r.added.occurrences for r in history) == limit


def test_no_square_without_its_setting() -> None:
    """Without quadraticFunctionSupport the square of an option needs the option in the model first."""
    for switch in (True, False):
        texts = [this.added.log_text() for this in rounds(quadraticFunctionSupport=switch, numberOfRounds=25)]
        assert ("x" in texts[: texts.index("x * x")]) == (not switch)


def test_functions_are_offered_only_where_they_are_defined() -> None:
    """Logarithms need positive values and reciprocals values other than 0."""
    rng = np.random.default_rng(1)
    x = rng.integers(-2, 3, 50).astype(float)
    features = (Feature("x", True, -2.0, 2.0, has_zero=True),)
    data = FeatureTable(features, {"x": x}, 20 + x**3 + rng.uniform(0, 1, 50))
    chosen = Settings().changed(
        {
            "learn_logFunction": True,
            "learn_asymFunction": True,
            "learn_ratioFunction": True,
            "abortError": 0,
            "minImprovementPerRound": 0,
        }
    )
    outcome = ForwardSelection(data, chosen).run()
    assert outcome.rounds
    assert not any("log" in t.log_text() or "/" in t.log_text() for t in outcome.terms)


def test_hierarchy_takes_single_options_first() -> None:
    """With withHierarchy interactions of two options come after the single options, those of three later still."""
    sizes = [len(r.added.options) for r in rounds(withHierarchy=True, minImprovementPerRound=0.2)]
    without = [len(r.added.options) for r in rounds(minImprovementPerRound=0.2)]
    first = sizes.index(2)
    assert without.index(2) < first < sizes.index(3)
    assert sizes[:first] == [1] * first
    assert set(sizes[first:]) == {2, 3}


def test_brute_force_finds_an_interaction_without_its_parts() -> None:
    """With bruteForceCandidates a pure interaction of three options is found in the first round."""
    rng = np.random.default_rng(2)
    b = rng.integers(0, 2, (5, 200)).astype(float)
    features = tuple(Feature(f"b{i}", False) for i in range(5))
    data = FeatureTable(features, {f"b{i}": b[i] for i in range(5)}, 1 + 5 * b[0] * b[2] * b[4])
    outcome = ForwardSelection(
        data,
        Settings().changed({"bruteForceCandidates": True, "featureSizeTreshold": 3, "candidateSizePenalty": False}),
    ).run()
    assert [t.log_text() for t in outcome.terms] == ["1", "b0 * b2 * b4"]


def test_brute_force_without_bound_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """So many products that memory would not hold them are an error, not a crash."""
    monkeypatch.setattr(candidates, "MAX_CELLS", 300_000)
    rng = np.random.default_rng(2)
    b = rng.integers(0, 2, (200, 40)).astype(float)
    features = tuple(Feature(f"b{i}", False) for i in range(200))
    data = FeatureTable(features, {f"b{i}": b[i] for i in range(200)}, 1 + b[0])
    with pytest.raises(LearningError, match="bruteForceCandidates gives more than") as caught:
        ForwardSelection(data, Settings().changed({"bruteForceCandidates": True}))
    number = int(str(caught.value).split("more than ")[1].split()[0].replace(",", ""))
    # Half of the products have their options in order.
    assert number == pytest.approx(300_000 / 2, rel=0.01)


def test_backward_step_removes_a_term_that_later_ones_replace() -> None:
    """With useBackward a term whose removal costs little leaves the model and does not come back."""
    history = rounds(useBackward=True, backwardErrorDelta=0.3, numberOfRounds=12)
    gone = [t.log_text() for r in history for t in r.removed]
    assert gone
    final = [t.log_text() for t in history[-1].terms]
    assert not set(gone) & set(final)
    for this in history:
        assert len(this.terms) == len({t.log_text() for t in this.terms})
        assert this.learning_error == pytest.approx(this.error, rel=1e-9)


def test_bad_features_rest_and_the_model_is_as_good() -> None:
    """With ignoreBadFeatures learning still lowers the error every round."""
    errors = [r.error for r in rounds(ignoreBadFeatures=True)]
    assert errors == sorted(errors, reverse=True)
    assert len(errors) > 5


def test_cross_validation_learns_less_noise() -> None:
    """Selected by held-out folds, models of pure noise have fewer terms than those selected by the learning error."""
    chosen = Settings().changed({"abortError": 0, "minImprovementPerRound": 0, "numberOfRounds": 15})
    plain = held_out = 0
    for seed in range(4):
        rng = np.random.default_rng(seed)
        b = rng.integers(0, 2, (10, 60)).astype(float)
        features = tuple(Feature(f"b{i}", False) for i in range(10))
        data = FeatureTable(features, {f"b{i}": b[i] for i in range(10)}, rng.uniform(1, 2, 60))
        folds = folds_of(data, chosen.changed({"crossValidation": True}), seed=0)
        assert folds is not None
        assert np.bincount(folds).tolist() == [12] * 5
        plain += len(ForwardSelection(data, chosen).run().terms)
        held_out += len(ForwardSelection(data, chosen, folds=folds).run().terms)
    assert held_out < 0.7 * plain


def test_cross_validated_error_is_that_of_models_fitted_without_the_fold() -> None:
    """The selection error equals the mean relative error of least-squares fits on the other folds."""
    data = problem()
    folds = folds_of(data, Settings().changed({"crossValidation": True}), seed=3)
    assert folds is not None
    learner = ForwardSelection(data, Settings().changed({"abortError": 0}), folds=folds)
    for _ in range(3):
        this = learner.step()
        assert this is not None
        matrix = np.column_stack([np.broadcast_to(c.evaluate(data.column), len(data)) for c in learner.terms])
        errors = np.empty(len(data))
        for fold in range(5):
            held = folds == fold
            coefficients = np.linalg.lstsq(matrix[~held], data.target[~held], rcond=None)[0]
            errors[held] = np.abs(matrix[held] @ coefficients - data.target[held]) / data.target[held]
        assert this.error == pytest.approx(errors.mean() * 100, rel=1e-9)


def test_epsilon_tube_counts_small_errors_as_none() -> None:
    """With considerEpsilonTube, rows within epsilon do not count in the selection error."""
    wide = rounds(considerEpsilonTube=True, epsilon=0.1)
    assert wide[-1].error == 0.0
    assert wide[-1].learning_error > 0.0
    assert len(wide) < len(rounds())


@pytest.mark.parametrize("fraction", [1, 50, 100])
def test_bagged_model_averages(fraction: int) -> None:
    """A bag gives one averaged model, the same for the same seed, with 100 percent of the rows too."""
    chosen = Settings().changed({"bagging": True, "baggingNumbers": 4, "baggingTestDataFraction": fraction})
    one, two, other = (bagged(problem(), chosen, seed) for seed in (1, 1, 2))
    assert one.terms == two.terms
    assert fraction == 1 or one.terms != other.terms
    assert one.termination == "bagging"
    assert one.rounds == ()


@pytest.mark.parametrize("asked", [1, 2, 1000])
def test_interrupted_bag(asked: int) -> None:
    """A bag that is interrupted, in its first model or later, says so; one that ends before does not."""
    chosen = Settings().changed({"bagging": True, "baggingNumbers": 3, "numberOfRounds": 2})
    questions = iter(range(2000))
    outcome = bagged(problem(), chosen, 1, should_stop=lambda: next(questions) + 1 >= asked)
    assert outcome.termination == ("bagging" if asked == 1000 else "interrupted")
    assert outcome.terms


def test_accumulated_logarithms_are_offered() -> None:
    """After a product of positive options, the logarithm of the product is a head; a product with a zero has none."""
    rng = np.random.default_rng(0)
    columns = {name: rng.integers(low, 9, 20).astype(float) for name, low in (("x", 1), ("y", 1), ("z", 0))}
    columns["b"] = rng.integers(0, 2, 20).astype(float)
    features = (
        *(Feature(name, True, float(columns[name].min()), 8.0, has_zero=name == "z") for name in "xyz"),
        Feature("b", False),
    )
    chosen = Settings().changed({"learn_logFunction": True, "learn_accumulatedLogFunction": True})
    problem = FeatureTable(features, columns, np.ones(20))
    offered = {
        ("x", "y"): {(("x", 1), ("y", 1))},
        ("x", "z"): set(),
        ("x", "b"): set(),
        ("b", "b"): set(),
    }
    for (first, second), expected in offered.items():
        grid = CandidateGrid(problem, chosen)
        names = [atom.term.text() for atom in grid.atoms]
        grid.choose(0, names.index(first))
        head = [each.term.text() for each in grid.heads].index(first)
        heads = grid.choose(head, names.index(second)) if first != second else grid.heads
        assert {each.log_of for each in heads if each.log_of} == expected
        for row, each in enumerate(grid.heads):
            if each.log_of:
                # The logarithm is a candidate by itself, and no product with it is.
                assert np.flatnonzero(grid.offered[row]).tolist() == [0]


@pytest.mark.parametrize("loss", ["LEASTSQUARES", "ABSOLUTE"])
def test_other_losses_select_by_their_own_error(loss: str) -> None:
    """The selection error is the loss itself, on the fitted model."""
    data = problem()
    outcome = ForwardSelection(
        data, Settings().changed({"lossFunction": loss, "abortError": 0, "numberOfRounds": 4})
    ).run()
    residual = data.target - sum(w * t.evaluate(data.column) for each in outcome.terms for t, w in each.expanded)
    expected = np.mean(residual**2) if loss == "LEASTSQUARES" else np.mean(np.abs(residual))
    assert outcome.rounds[-1].error == pytest.approx(float(expected), rel=1e-9)


def test_presets_cannot_be_changed() -> None:
    """The table of presets is read-only."""
    with pytest.raises(TypeError, match="item assignment"):
        PRESETS["mine"] = Settings()  # type: ignore[index]


def test_relative_loss_needs_values_other_than_zero() -> None:
    """A property that is 0 everywhere cannot be learned by relative error, and the message says what to choose."""
    data = FeatureTable((Feature("b", False),), {"b": np.array([0.0, 1.0])}, np.zeros(2))
    with pytest.raises(LearningError, match="ABSOLUTE"):
        ForwardSelection(data, Settings())


@pytest.mark.parametrize(("rows", "percent", "part"), [(200, 50, 100), (80, 25, 20), (3, 1, 1), (33, 100, 33)])
def test_bags_are_drawn_from_a_part(rows: int, percent: int, part: int) -> None:
    """The rows that a model of a bag learns from and those that judge it are the stated part of the learning set."""
    b = np.arange(float(rows))
    data = FeatureTable((Feature("b", True, 0.0, float(rows)),), {"b": b}, 1 + b)
    chosen = Settings().changed({"bagging": True, "baggingTestDataFraction": percent})
    first, second = (part_of(data, chosen, np.random.default_rng(seed)).tolist() for seed in (1, 2))
    assert len(set(first)) == len(first) == part
    assert set(first) <= set(range(rows))
    assert (set(first) == set(second)) is (part == rows)


def test_brute_force_offers_all_products() -> None:
    """All products of up to the largest number of options are candidates, each once; those that are 0 are none."""
    columns = {name: np.tile(values, 2) for name, values in zip("abc", np.eye(3)[:, [0, 1, 2, 0, 0]], strict=True)}
    columns["b"] = np.tile([0.0, 1.0, 0.0, 1.0, 1.0], 2)
    features = tuple(Feature(name, False) for name in "abc")
    data = FeatureTable(features, columns, np.arange(1.0, 11.0))
    for size, expected in (
        (1, {"a", "b", "c"}),
        (2, {"a", "b", "c", "a * b"}),
        (3, {"a", "b", "c", "a * b", "a * b * c"}),
    ):
        chosen = Settings().changed({"bruteForceCandidates": True, "featureSizeTreshold": size})
        grid = CandidateGrid(data, chosen)
        heads, atoms = np.nonzero(grid.offered)
        texts = [
            grid.candidate(head, atom).learned(1.0).log_text()
            for head, atom in zip(heads.tolist(), atoms.tolist(), strict=True)
        ]
        assert len(texts) == len(set(texts))
        assert expected <= set(texts)
        assert all(text.count("*") < size for text in texts)


def test_withdrawn_candidates_are_not_offered_again() -> None:
    """A candidate that the backward step removed is offered by no head, also by none that is added later."""
    data = problem()
    grid = CandidateGrid(data, Settings())

    def offered() -> list[str]:
        heads, atoms = np.nonzero(grid.offered)
        return [
            grid.candidate(head, atom).learned(1.0).log_text()
            for head, atom in zip(heads.tolist(), atoms.tolist(), strict=True)
        ]

    first, second = (data.features[at].name for at in (0, 1))
    both = " * ".join(sorted((first, second)))
    places = {atom.learned(1.0).log_text(): at for at, atom in enumerate(grid.atoms)}
    grid.choose(0, places[first])
    assert both in offered()
    grid.withdraw(grid.candidate(1, places[second]))
    assert both not in offered()
    before = set(offered())
    grid.choose(0, places[second])
    assert both not in offered()
    assert set(offered()) - before
