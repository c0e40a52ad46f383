"""The evaluation of printed models: figures, systems that are hard to print, explanations against measured effects."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from casestudies.accuracy import systems
from casestudies.accuracy.difficult import KINDS, difficult
from casestudies.accuracy.explanations import Judged, effects, first_options, judged
from casestudies.accuracy.flips import Choice, choices_of, interaction_share, mean_change, total_share
from casestudies.accuracy.generator import NFP
from casestudies.accuracy.known_truth import blamed, true_influences
from casestudies.accuracy.printed_models import large_sets
from casestudies.accuracy.real_systems import run_row
from sampling import Space
from splc import parse_model
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.learning import LearningResult, learn
from splc.learning.projection.predictor import Ensemble
from splc.learning.result import InfluenceEstimate
from splc.models.terms import Term, option_term
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.workflows import notebook
from tests.support.objects import present
from tests.support.systems import group

CASE = "SMG2000 1-D, solve_compute_seconds"
ALWAYS, PARENT = (BinaryOption(name, optional=False) for name in ("always", "g"))
GROUP = (PARENT, *group("g_a", "g_b", "g_c", parent="g"))
SMALL = VariabilityModel(
    "small", (BinaryOption("a"), BinaryOption("b"), ALWAYS, *GROUP, NumericOption("x", (1.0, 2.0, 4.0)))
)


def everything(system: VariabilityModel = SMALL) -> Configurations:
    """Return all configurations of a system, in an order of their own."""
    space = Space(system)
    return space.draw(space.count, np.random.default_rng(0))


def measured(text: str, system: VariabilityModel = SMALL) -> Measurements:
    """Return all configurations of a system with the values of a model."""
    configurations = everything(system)
    return Measurements(configurations, {NFP: parse_model(text, system).predict(configurations)})


def learned(measurements: Measurements, rows: int = 30) -> LearningResult:
    """Learn from the first rows."""
    return learn(measurements, NFP, learning_set=np.arange(rows))


def test_large_sets() -> None:
    """Sets of options whose terms vary by more than 5 % of the deviation are large; a group is one option."""
    model = parse_model("5 + 100 * a + 60 * g_b * x + 30 * g_c * x + 20 * b + x", SMALL)
    assert large_sets(model, everything()) == [["a"], ["b"], ["g", "x"]]
    assert large_sets(replace(model, link="log"), everything()) == [["a"], ["b"], ["g", "x"]]
    assert large_sets(parse_model("5", SMALL), everything()) == []


def test_figures_of_both_models() -> None:
    """A row of the default learner has the errors of both models and of their blend, and the intervals' coverage."""
    row = run_row("projection", CASE, "pb:25,5", 1)
    system, rows = systems.load(CASE), systems.learning_set(CASE, "pb:25,5", 1)
    result = learn(system.measurements, system.nfp, learning_set=rows, seed=1)
    rest = np.setdiff1d(np.arange(len(system.measurements)), rows)
    configurations, values = system.measurements.configurations[rest], system.measurements[system.nfp][rest]
    full = result.predict(configurations)
    assert row["printed"] == pytest.approx(
        100 * np.mean(abs(result.model.predict(configurations) / values - 1)), rel=1e-4
    )
    assert row["predicted"] == pytest.approx(100 * np.mean(abs(full / values - 1)), rel=1e-4)
    # On the scale, what predicts is the mean of both models with the weight of the printed one.
    predictor = result.predictor
    assert isinstance(predictor, Ensemble)
    scale, weight = predictor.scale, present(predictor.stacked).weight
    both, printed = (scale.forward(each / scale.unit) for each in (full, result.model.predict(configurations)))
    alone = scale.backward((both - weight * printed) / (1 - weight)) * scale.unit
    assert row["full"] == pytest.approx(100 * np.mean(abs(alone / values - 1)), rel=1e-4)
    low, high = present(result.intervals).interval(configurations)
    # Of the three runs of each configuration.
    runs = system.measurements.repetitions(system.nfp)[rest].T
    assert row["covered"] == pytest.approx(100 * np.mean((low <= runs) & (runs <= high)), rel=1e-4)
    assert row["not positive"] == 0
    assert json.loads(row["large"]) == large_sets(result.model, configurations)
    assert 0 < row["stated"] < 100


@pytest.mark.parametrize("index", [*range(len(KINDS)), 39])
def test_difficult_system(index: int) -> None:
    """A system is valid, its values are positive, its terms belong to its kind, and some options have no influence."""
    one = difficult(index)
    system, model = one.measurements.system, one.model
    configurations = one.measurements.configurations
    assert one.style == KINDS[index % len(KINDS)]
    assert Space(system).check(configurations).all()
    assert len(configurations.unique()) == len(configurations) > one.rows
    assert one.true_values.min() > 0.15 * model.influences[Term()]
    assert all(5 <= len(option.values) <= 64 for option in system.numeric_options)
    unneeded = set(system.names) - model.options - system.mandatory - set(one.groups)
    assert len(unneeded) >= (10 if one.style == "many" else 1)
    sizes = [len(model.options_of(term)) for term, _ in model.terms]
    assert (max(sizes) == 3) == (one.style in {"three-way", "mixed"})
    assert bool(one.groups) == (one.style == "groups")
    assert bool(system.constraints) == (one.style == "constrained")
    assert ("min(" in model.text) == (one.style in {"saturating", "mixed"})
    assert (">=" in model.text) == (one.style == "stepped")
    noise = one.measurements[NFP] / one.true_values - 1
    assert (abs(noise).max() > 0.5) == (one.style == "outliers")
    assert str(difficult(index).model) == str(model)


def test_influences_of_the_same_columns() -> None:
    """A term that has the values of a true term has its influence, however it is written."""
    one = replace(difficult(0), model=parse_model("5 + 3 * a * [x >= 2] - 2 * x", SMALL), measurements=measured("5"))
    model = parse_model("1 + a * min(1, max(0, x - 1)) + x + a * x", SMALL)
    found = true_influences(model, one)
    assert sorted(found.values()) == [-2.0, 3.0, 5.0]
    assert option_term("a") * option_term("x") not in found


def test_options_that_are_blamed() -> None:
    """An option without influence is blamed by a term whose sign is settled, in most folds where these are known."""
    one = replace(difficult(0), model=parse_model("5 + a", SMALL), measurements=measured("5 + a"))
    result = learned(one.measurements)
    model = parse_model("5 + a + 2 * b * g_a", SMALL)
    term = option_term("b") * option_term("g_a")
    cases = {(0.99, 8): 2, (0.99, 6): 2, (0.99, 5): 0, (0.99, None): 2, (0.9, 8): 0}
    for (probability, folds), number in cases.items():
        estimate = InfluenceEstimate(term, 2.0, 1.0, 1.0, 3.0, probability, folds)
        found = blamed(replace(result, printed=model, estimates=(estimate,), folds=8), one)
        assert found == {"true size": 1, "unneeded": 3, "blamed": number}


def choices(configurations: Configurations) -> dict[str, Choice]:
    """Return the choices by name."""
    return {choice.name: choice for choice in choices_of(configurations)}


def test_changes_in_measured_values() -> None:
    """Effects are those of the model behind the values: of options, members of a group, and numeric values."""
    all_of_it = measured("5 + 3 * a + 2 * a * b - 4 * g_b + x * b")
    values, found = all_of_it[NFP], choices(all_of_it.configurations)
    assert sorted(found) == ["a", "b", "g", "x"]
    assert found["x"].labels == ("1", "2", "4")
    assert mean_change(found["a"], values, "-", "selected") == pytest.approx(3 + 2 / 2)
    assert mean_change(found["b"], values, "-", "selected") == pytest.approx(1 + 7 / 3)
    assert mean_change(found["g"], values, "g_a", "g_b") == pytest.approx(-4)
    assert mean_change(found["x"], values, "1", "4") == pytest.approx(1.5)


def test_interactions_in_measured_values() -> None:
    """The interaction of two options is the variance of what their combinations have beyond the effects of each."""
    all_of_it = measured("5 + 3 * a + 4 * a * b - 4 * g_b + 3 * x * b")
    values, found = all_of_it[NFP], choices(all_of_it.configurations)

    def interaction(*names: str) -> float | None:
        one, other = (found[name] for name in names)
        return interaction_share(all_of_it.configurations, one, other, values)

    assert interaction("a", "b") == interaction("b", "a") == pytest.approx(1 / np.var(values))
    assert interaction("x", "b") == pytest.approx(1.5**2 * np.var([1, 2, 4]) / np.var(values))
    assert interaction("a", "x") == pytest.approx(0)


def test_changes_where_a_constraint_forbids_some() -> None:
    """Only pairs of measured configurations count."""
    system = VariabilityModel.of({"a": bool, "b": bool, "c": bool}, ["!a | !b"])
    all_of_it = measured("5 + 3 * a + 10 * b + c", system)
    found = choices(all_of_it.configurations)
    assert mean_change(found["a"], all_of_it[NFP], "-", "selected") == pytest.approx(3)
    assert interaction_share(all_of_it.configurations, found["a"], found["b"], all_of_it[NFP]) is None


def test_an_option_that_others_determine_is_not_judged() -> None:
    """The effect of an option that cannot change alone is unknown."""
    same = VariabilityModel.of({"a": bool, "b": bool, "c": bool}, ["a | !b", "!a | b"])
    found = choices(everything(same))
    assert total_share(found["a"], measured("5 + 3 * a", same)[NFP]) is None
    assert total_share(found["c"], measured("5 + 3 * a", same)[NFP]) == 0


def test_total_shares() -> None:
    """The share of an option is the variance that remains within equal values of all others."""
    values = measured("5 + 3 * a + 4 * b * x")
    found = choices(values.configurations)
    assert total_share(found["g"], values[NFP]) == pytest.approx(0)
    assert total_share(found["a"], values[NFP]) == pytest.approx(1.5**2 / np.var(values[NFP]))


def test_explanations_of_exact_values() -> None:
    """Without noise, stated effects are the measured ones, and no option without effect comes first."""
    all_of_it = measured("50 + 30 * a - 20 * g_b + 10 * g_c + 5 * x + 10 * a * g_b")
    values = all_of_it[NFP]
    explained = notebook.explain(learned(all_of_it), Space(SMALL))
    found = effects(explained, "identity", all_of_it, values)
    assert (found["effects"], found["effects with intervals"]) == (1 + 1 + 2 + 2, 1 + 1 + 2 + 2)
    assert found["effect size"] > 50
    assert found["effect error"] < 5
    assert 0 < found["interaction size"] < 20
    assert found["interaction error"] < 1
    assert first_options(explained, all_of_it, values) == {"first": 3, "useless": 0, "useless options": ""}
    other = measured("50 + 30 * b")
    assert first_options(explained, other, other[NFP])["useless"] == 3
    # One of six effects is 30, and the deviation of the values is 15.
    assert effects(explained, "identity", other, other[NFP])["effect size"] == pytest.approx(100 * 30 / 15 / 6**0.5)
    # In the opposite system the statements are wrong.
    wrong = measured("150 - 30 * a + 20 * g_b - 10 * g_c - 5 * x")
    against = effects(explained, "identity", wrong, wrong[NFP])
    assert against["effect error"] > 100
    assert against["effects covered"] < found["effects covered"]


def test_intervals_that_cover() -> None:
    """A statement covers the truth inside of its interval; without one it does not count."""
    found = judged(
        "effect", [Judged(1.0, 2.0, 0.0, 3.0), Judged(4.0, 2.0, 0.0, 3.0), Judged(2.0, 2.0, None, None)], 10.0
    )
    assert (found["effects"], found["effects with intervals"], found["effects covered"]) == (3, 2, 1)
    assert found["effect size"] == pytest.approx(10 * 7**0.5)
    assert found["effect error"] == pytest.approx(10 * (5 / 3) ** 0.5)
