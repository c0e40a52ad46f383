"""Tests of the change of influences between two models."""

from __future__ import annotations

import itertools
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comparison.changes import ModelChange, Undetermined, model_change, model_course
from splc.data.configurations import Configurations
from splc.models.basis.regression import NORMAL_QUANTILE
from splc.models.influence import InfluenceModel
from splc.models.terms import CONSTANT, option_term
from splc.models.text.reader import expand_model
from splc.system.variability import VariabilityModel
from splc.types import Array, Link
from tests.support.examples import examples

SYSTEM = VariabilityModel.of({"fast": bool, "safe": bool, "n": range(1, 11)})
ALL = Configurations(SYSTEM, np.array(list(itertools.product((0, 1), (0, 1), range(10)))))
FAST, SAFE, N = (option_term(name) for name in ("fast", "safe", "n"))


def model(influences: dict[object, float], link: Link = "identity") -> InfluenceModel:
    """Return a model of the system."""
    return InfluenceModel.of_system(list(influences.items()), SYSTEM, link)  # type: ignore[arg-type]


def measured(
    of: InfluenceModel, seed: int, noise: float = 0.01, rows: Configurations = ALL
) -> tuple[Configurations, Array]:
    """Return measurements of a model: its predictions with relative noise."""
    return rows, of.predict(rows) * (1 + noise * np.random.default_rng(seed).standard_normal(len(rows)))


def settled(change: ModelChange) -> list[tuple[str, ...]]:
    """Return the sets of options that clearly changed."""
    return [each.options for each in change.sets if each.settled]


OLD = model({CONSTANT: 10.0, FAST: 5.0, SAFE: 8.0, N: 2.0})


def test_a_faster_machine_is_a_factor() -> None:
    """If everything takes 0.7 of the time, the factor says so; a further change is named."""
    new = OLD.scaled(0.7)
    change = model_change(OLD, new, measured(OLD, 1), measured(new, 2))
    assert not settled(change)
    assert change.factor == pytest.approx(0.7, rel=0.01)
    new = model({CONSTANT: 7.0, FAST: 3.5, SAFE: 11.0, N: 1.4})
    assert settled(model_change(OLD, new, measured(OLD, 1), measured(new, 2))) == [("safe",)]


def test_a_term_of_one_model() -> None:
    """A set of options that only the new model has is a change; one without effect is none."""
    new = model({CONSTANT: 10.0, FAST: 5.0, SAFE: 8.0, N: 2.0, FAST * SAFE: 6.0})
    assert settled(model_change(OLD, new, measured(OLD, 1), measured(new, 2))) == [("fast", "safe")]
    other = model({CONSTANT: 9.0, FAST: 4.0, N: 2.0, N * N: 0.01})
    change = model_change(OLD, other, measured(OLD, 1), measured(OLD, 2))
    assert (settled(change), change.factor) == ([], 1)


def test_links_that_differ() -> None:
    """The link and the terms of the first model count where the second model has another link."""
    product = model({CONSTANT: 2.0, FAST: 0.3}, "log")
    change = model_change(OLD, product, measured(OLD, 1), measured(OLD, 2))
    assert (change.link, settled(change)) == ("identity", [])
    change = model_change(product, model({SAFE: 4.0, N: 1.0}), measured(product, 1), measured(product, 2))
    assert (change.link, {each.options for each in change.sets}) == ("log", {(), ("fast",)})


@examples(30)
@given(seeds=st.tuples(st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1)), link=st.sampled_from(["identity", "log"]))
def test_noise_is_no_change(seeds: tuple[int, int], link: Link) -> None:
    """Two measurements of one system, whatever the noise, rarely differ by more than twice the interval."""
    same = model({CONSTANT: 1.0, FAST: 0.5, SAFE: 0.8, N: 0.2}, link)
    change = model_change(same, same, measured(same, seeds[0]), measured(same, seeds[1]))
    assert all(each.intervals < 4 for each in change.sets)
    assert change.factor == pytest.approx(1, abs=0.02)


def test_values_of_numeric_options() -> None:
    """A term of a single value of a numeric option names the value, in a change and in the course of influences."""
    models = []
    for peak in (20, 40):
        found = expand_model(f"10 + 5 * fast + {peak} * safe * max(0, min(n - 3, 5 - n))", SYSTEM.term_names)
        models.append(InfluenceModel.of_system(found.expansion.items(), SYSTEM, derived=found.derived))
    every = [measured(each, seed) for seed, each in enumerate(models, 1)]
    change = model_change(models[0], models[1], *every)
    assert [term.text for each in change.sets if each.settled for term in each.terms] == ["safe * [n = 4]"]
    course = model_course(models, every, [change])
    changed = [(each.text, each.changed) for each in course.terms]
    assert changed == [("safe * [n = 4]", (True,)), ("1", (False,)), ("fast", (False,))]


def fitted(union: InfluenceModel, measured: tuple[Configurations, Array]) -> tuple[Array, Array, Array]:
    """Return the influences by weighted least squares, their standard errors, and the values of the terms."""
    configurations, values = measured
    plain = InfluenceModel.of_system([(term, 1.0) for term, _ in union.terms], SYSTEM, union.link)
    design = plain.contributions(configurations)
    weights = np.ones(len(values)) if union.link == "log" else 1 / np.abs(values)
    target = np.log(values) if union.link == "log" else np.ones(len(values)) * np.sign(values)
    weighted = design * weights[:, np.newaxis]
    influences, *_ = np.linalg.lstsq(weighted, target, rcond=None)
    scatter = ((target - weighted @ influences) ** 2).sum() / (len(values) - design.shape[1])
    return influences, np.sqrt(np.diag(np.linalg.inv(weighted.T @ weighted)) * scatter), design


@examples(15)
@given(st.tuples(*[st.integers(0, 2**32 - 1)] * 2), st.sampled_from(["identity", "log"]), st.sampled_from([1.0, 1.5]))
def test_formulas(seeds: tuple[int, int], link: Link, factor: float) -> None:
    """Influences are least squares of relative errors, and changes are stated in half widths of 90 % intervals."""
    half = NORMAL_QUANTILE
    assert half == pytest.approx(NormalDist().inv_cdf(0.95), rel=1e-3)
    old = model({CONSTANT: 1.0, FAST: 0.5, SAFE: 0.8, N: 0.2, N * N: 0.1}, link)
    new = model({CONSTANT: 1.0 * factor, FAST: 0.5 * factor, SAFE: 1.2 * factor, N: 0.2 * factor}, link)
    before, after = measured(old, seeds[0], 0.05), measured(new, seeds[1], 0.02)
    found = model_change(old, new, before, after)
    (first, first_errors, _), (second, second_errors, design) = fitted(old, before), fitted(old, after)

    def widths(common: float) -> Array:
        return np.asarray(half * np.hypot(second_errors, common * first_errors))

    ratios = [
        b / a
        for a, b, e, f in zip(first, second, first_errors, second_errors, strict=True)
        if abs(a) > 3 * half * e and abs(b) > 3 * half * f and b / a > 0
    ]
    counts = {each: int((np.abs(second - each * first) <= 2 * widths(each)).sum()) for each in [1.0, *ratios]}
    expected = 1.0
    if link == "identity" and max(counts.values()) > counts[1.0]:
        best = next(each for each in ratios if counts[each] == max(counts.values()))
        kept = np.abs(second - best * first) <= 2 * widths(best)
        expected = float(
            np.median([b / a for a, b, own in zip(first, second, kept, strict=True) if own and b / a in ratios])
        )
    assert found.factor == pytest.approx(expected)
    apart = second - expected * first
    terms = {term.text: term for each in found.sets for term in each.terms}
    for at, (term, _) in enumerate(old.terms):
        shown = terms[term.text(SYSTEM.names)]
        assert (shown.first, shown.second) == pytest.approx((first[at], second[at]), rel=1e-6, abs=1e-9)
        assert shown.intervals == pytest.approx(abs(apart[at]) / widths(expected)[at], rel=1e-6, abs=1e-9)
    for each in found.sets:
        own = [at for at, (term, _) in enumerate(old.terms) if old.options_of(term) == set(each.options)]
        total = design[:, own] @ apart[own]
        size = np.abs(np.exp(total) - 1).mean() if link == "log" else np.abs(total).mean() / after[1].mean()
        assert each.size == pytest.approx(100 * size, rel=1e-6, abs=1e-9)
        assert each.settled == (each.intervals > 2)
    assert list(found.sets) == sorted(found.sets, key=lambda each: (not each.settled, -each.size, each.options))
    course = model_course((old, new), (before, after), [found])
    before_design = fitted(old, before)[2]
    lengths = (np.abs(before_design).mean(axis=0) + np.abs(design).mean(axis=0)) / 2
    for one in course.terms:
        at = next(at for at, (term, _) in enumerate(old.terms) if term.text(SYSTEM.names) == one.text)
        assert one.means == pytest.approx((first[at] * lengths[at], second[at] * lengths[at]), rel=1e-6, abs=1e-9)
        errors = half * lengths[at] * np.array([first_errors[at], second_errors[at]])
        assert one.widths == pytest.approx(errors, rel=1e-6)
        assert one.changed == (terms[one.text].intervals > 2,)
    order = sorted(course.terms, key=lambda one: (not any(one.changed), -max(map(abs, one.means)), one.text))
    assert (list(course.terms), course.factors) == (order, (found.factor,))


def test_values_that_are_left_out() -> None:
    """Values of 0, for products also negative ones, and missing values do not count."""
    for link, wrong in (("identity", [0.0, np.nan]), ("log", [0.0, -3.0, np.nan])):
        same = model({CONSTANT: 1.0, FAST: 0.5, SAFE: 0.7, N: 0.3}, link)  # type: ignore[arg-type]
        values = same.predict(ALL)
        values[: len(wrong)] = wrong
        kept = ALL[len(wrong) :]
        other = (kept, same.predict(kept) * np.linspace(1, 1.1, len(kept)))
        found = model_change(same, same, (ALL, values), other)
        assert found == model_change(same, same, (kept, same.predict(kept)), other)
    negative = model({CONSTANT: -10.0, FAST: 5.0})
    change = model_change(negative, negative, measured(negative, 1), measured(negative.scaled(2), 2))
    assert change.factor == pytest.approx(2, rel=0.02)


NONE = Undetermined()
BOTH = model({CONSTANT: 10.0, FAST: 5.0, SAFE: 8.0, N: 2.0, FAST * N: 1.0})
CHANGED = model({CONSTANT: 10.0, FAST: 5.0, SAFE: 12.0, N: 2.0, FAST * N: 1.0})
WITHOUT_FAST = ALL[ALL.column("fast") == 0]
TOGETHER = ALL[ALL.column("fast") == ALL.column("safe")]


def influences(change: ModelChange) -> dict[str, tuple[float, float]]:
    """Return text → influence before and after."""
    return {term.text: (term.first, term.second) for each in change.sets for term in each.terms}


@pytest.mark.parametrize("link", ["identity", "log"])
def test_an_option_that_is_new(link: Link) -> None:
    """Terms of an option that the first version does not have are named; the others change as in truth."""
    old, new = (model({CONSTANT: 1.0, FAST: 0.5, SAFE: safe, N: 0.2}, link) for safe in (0.8, 1.2))
    before, after = measured(old, 1, rows=WITHOUT_FAST), measured(new, 2)
    change = model_change(old, new, before, after)
    assert change.undetermined == (Undetermined(zero=("fast",)), NONE)
    assert settled(change) == [("safe",)]
    found = {text: influence for text, (_, influence) in influences(change).items()}
    assert found == pytest.approx({"1": 1.0, "safe": 1.2, "n": 0.2}, rel=0.05)
    back = model_change(new, old, after, before)
    assert back.undetermined == (NONE, Undetermined(zero=("fast",)))
    # An influence has no value where it is not determined.
    for each in model_course((old, new), (before, after), [change]).terms:
        assert np.isnan(each.means).tolist() == np.isnan(each.widths).tolist() == [each.text == "fast", False]


def test_options_that_go_together_in_one_version() -> None:
    """Terms that are the same in one version are not compared, since the others would take the rest."""
    change = model_change(BOTH, CHANGED, measured(BOTH, 1, rows=TOGETHER), measured(CHANGED, 2))
    assert change.undetermined == (Undetermined(confounded=("fast", "safe")), NONE)
    assert settled(change) == []
    assert {text for text, _ in influences(change).items()} == {"1", "n", "fast * n"}
