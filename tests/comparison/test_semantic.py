"""Comparisons of terms and of predictions."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comparison.measures import MEASURES, mean_power, measure
from comparison.semantic import compare_values, weights_from, weights_of_terms
from comparison.syntactic import compare_terms
from splc.data.configurations import Configurations
from splc.errors import ConfigurationError
from splc.models.influence import InfluenceModel
from splc.models.parameters import Parameters
from splc.models.terms import CONSTANT, Factor, Term, log_term, option_term, product_of
from splc.models.text.reader import expand_model
from splc.system.variability import VariabilityModel
from tests.support.golden_messages import Lines, check_calls, check_messages, shown

OPTIONS = ("x", "y", "z")
factors = st.builds(Factor, st.sampled_from(OPTIONS), st.integers(1, 2), st.integers(0, 1))
terms = st.lists(factors, max_size=2).map(product_of)
# Few values, so that equal influences, zeros and opposite signs are drawn often.
influences = st.one_of(st.sampled_from([0.0, 1.0, -1.0, 2.0, 2.5]), st.floats(allow_nan=False, allow_infinity=False))
models = st.dictionaries(terms, influences, max_size=8).map(lambda pairs: InfluenceModel.from_terms(pairs, OPTIONS))


def model_of(text: str, order: tuple[str, ...] = (), parameters: Mapping[str, float] | None = None) -> InfluenceModel:
    """Return the model that a text is, every name an option but the parameters."""
    found = expand_model(text, None, Parameters.of(parameters))
    return InfluenceModel.from_terms(found.expansion, order, derived=found.derived)


def brute_force(first: InfluenceModel, second: InfluenceModel, constant: bool = True) -> dict[Term, float]:
    """Return the score of each term by the four cases of section 4.1, taken word by word."""
    analytical, empirical = first.influences, second.influences
    scores = {}
    for term in {*analytical, *empirical}:
        if not constant and term == CONSTANT:
            continue
        own, other = (analytical, empirical) if term in analytical else (empirical, analytical)
        if not any(set(term.options) == set(candidate.options) for candidate in other):
            scores[term] = -2.0
        elif term not in other:
            scores[term] = -1.0
        elif own[term] == other[term]:
            scores[term] = 2.0
        else:
            a, e = own[term], other[term]
            scores[term] = 1.0 + (max(0.0, 1.0 - abs(e - a) / abs(a)) if a else 0.0)
    return scores


def compared(first: InfluenceModel, second: InfluenceModel, constant: bool = True) -> Lines:
    """Return a line per class of two models: its score, its terms with influences and scores; then what is unseen."""
    found = compare_terms(first, second, constant=constant)
    lines = [f"{found.terms} terms: {found.score:.5g} in [{found.lower:g}, {found.upper:g}], {shown(found.normalized)}"]
    for group in found.classes:
        terms = (f"{t.text} ({shown(t.first)}, {shown(t.second)}) {t.found} {t.score:.4g}" for t in group.terms)
        lines.append(f"{', '.join(group.options) or '-'}: {group.score:.4g}: {'; '.join(terms)}")
    lines += [f"unseen {each.text} over {', '.join(each.options)}: {' '.join(each.models)}" for each in found.unseen]
    return Lines("\n".join(lines))


def of_x(first: float, second: float) -> Lines:
    """Return the comparison of two influences of one option."""
    one, other = (InfluenceModel.from_terms({option_term("x"): value}) for value in (first, second))
    return compared(one, other)


def symbolic(text: str) -> InfluenceModel:
    """Return the model of a text with a parameter alpha that is kept as a name."""
    found = expand_model(text, None, Parameters.of({"alpha": 2.0}), symbols=("alpha",))
    return InfluenceModel.from_terms(found.expansion, derived=found.derived)


# Table 5.4 of the thesis, 4 nodes, in seconds; the thesis multiplies the models by 500.
MACHINE = {"alpha": 11_625e-9, "beta": 60.60e-9, "f": 0.039e-9}
THESIS = {
    "FIRST": "3 * x + 0.4 * y + 1 * y^2 + 2 * log2(x) * y + 1 * x * y",
    "LEARNED": "5 * x + 0.5 * x^2 + 3 * y + 1 * y^2",
    "ONE": "2 * log2(px) * alpha + 2 * log2(nx) * alpha + 2 * log2(px) * beta + 2 * log2(nx) * beta + 6 * nx * f",
    "FF": "-6.023 - 0.023 * px + 0.976 * log10(nx) + 0.014 * px^2",
    "CC": "-6.133 - 0.035 * px + 0.994 * log10(nx) + 0.016 * px^2",
    "TWO": """(4 * log2(py) * log2(px) * alpha + 4 * log2(py) * log2(nx) * alpha + 4 * log2(nx) * log2(px) * alpha
        + 4 * log2(nx)^2 * alpha + 4 * log2(py) * alpha + 4 * log2(nx) * alpha + 4 * nx * log2(nx) * beta
        + 4 * nx * log2(px) * beta + 4 * nx * log2(nx) * beta + 4 * nx * log2(py) * beta + 20 * nx^2 * f)""",
    "PB": """(-2.279 - 12.6 * log10(py) - 9.148E-07 * nx^2 + 7.302 * log10(px) + 2.986E-10 * nx^3 + 3.742 * py
        - 0.464 * px)""",
}


def analytical(text: str, order: tuple[str, ...], factor: float = 500.0) -> InfluenceModel:
    """Return an analytical model with the machine's parameters, times a factor."""
    return model_of(text, order, MACHINE).scaled(factor)


def test_scores() -> None:
    """Classes, terms, cases, scores and unseen subexpressions are those of the golden file."""
    orders = {"nx": ("nx", "ny", "px"), "one": ("px", "nx"), "two": ("px", "py", "nx")}
    functions = (compared, of_x, model_of, symbolic, analytical)
    check_calls("compared-terms", *functions, empty=InfluenceModel(()), log10=math.log10, **orders, **THESIS)


class TestLaws:
    @given(models, models, st.booleans())
    def test_scores_are_those_of_the_four_cases(
        self, first: InfluenceModel, second: InfluenceModel, constant: bool
    ) -> None:
        """Each distinct term has the score of the formula, its class the sum, and the whole the sum of all."""
        found = compare_terms(first, second, constant=constant)
        expected = brute_force(first, second, constant)
        assert {term.term: term.score for group in found.classes for term in group.terms} == expected
        assert found.score == pytest.approx(math.fsum(expected.values()))
        scored_terms = [(group, term) for group in found.classes for term in group.terms]
        assert all({*group.options} == term.term.options for group, term in scored_terms)
        for _, term in scored_terms:
            influences = (term.first or 0.0, term.second or 0.0)
            assert (term.found == "opposite sign") == (min(influences) < 0 < max(influences))
        assert found.opposite == [term.found for _, term in scored_terms].count("opposite sign")

    @given(models, models)
    def test_only_the_similarity_of_influences_has_a_direction(
        self, first: InfluenceModel, second: InfluenceModel
    ) -> None:
        """With the models exchanged, cases, classes and terms are the same; only 1 + simValue may change."""
        there, back = compare_terms(first, second), compare_terms(second, first)
        assert [group.options for group in there.classes] == [group.options for group in back.classes]
        for own, other in zip(there.classes, back.classes, strict=True):
            for one, same in zip(own.terms, other.terms, strict=True):
                assert (one.term, one.found, one.first, one.second) == (same.term, same.found, same.second, same.first)
                assert one.score == same.score or one.found == "different"

    @given(models, models, st.permutations(OPTIONS))
    def test_the_order_of_terms_and_options_changes_no_score(
        self, first: InfluenceModel, second: InfluenceModel, order: list[str]
    ) -> None:
        """Terms in any order, and options in another order of the system, get the same scores."""
        shuffled = dataclasses.replace(first, terms=first.terms[::-1], order=tuple(order))
        found, other = compare_terms(first, second), compare_terms(shuffled, second)
        scores = [{t.term: t.score for g in each.classes for t in g.terms} for each in (found, other)]
        assert scores[0] == scores[1]
        assert compare_terms(dataclasses.replace(first, terms=first.terms[::-1]), second) == found


class TestScores:
    @pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
    def test_influences_that_are_no_numbers_are_refused(self, value: float) -> None:
        """A model with such an influence is an error that names the term, as the first or the second model."""
        wrong, right = (InfluenceModel(((option_term("x"), v),), ("x",)) for v in (value, 1.0))
        for pair in ((wrong, right), (right, wrong)):
            with pytest.raises(ConfigurationError, match="the influence of x is"):
                compare_terms(*pair)

    def test_links_do_not_change_scores(self) -> None:
        """Sums are compared as they stand."""
        plain = model_of("2 * x")
        assert compare_terms(plain, dataclasses.replace(plain, link="log")).score == 2


X, Y = option_term("x"), option_term("y")
SYSTEM = VariabilityModel.of({"x": range(1, 101), "y": range(0, 51, 2)}, name="example")


def grid() -> Configurations:
    """Return all configurations of the thesis' example (section 4.2): x in 1..100, y in 0..50 by 2."""
    x, y = np.meshgrid(np.arange(1.0, 101), np.arange(0.0, 51, 2))
    return Configurations.from_columns(SYSTEM, {"x": x.ravel(), "y": y.ravel()})


def found(first: Sequence[float], second: Sequence[float], **settings: Any) -> Lines:
    """Return the comparison of two vectors of values: its numbers, then the rest."""
    compared = compare_values(np.array(first), np.array(second), **settings)
    numbers = {key: shown(value) for key, value in (*compared.values.items(), *compared.mean_power.items())}
    counts = compared.left_out, compared.left_out_reversed, compared.negative
    lines = [" ".join(f"{key}={value}" for key, value in numbers.items())]
    lines.append(f"of {compared.configurations}, {counts}, {compared.weights}, {compared.reference}")
    return Lines("\n".join(lines))


def thesis(x: Sequence[float], y: Sequence[float], **settings: Any) -> Lines:
    """Return the comparison of the models of section 4.1 of the thesis on a grid."""
    a, b = (values.ravel() for values in np.meshgrid(x, y))
    analytical = 3 * a + 0.4 * b + b**2 + 2 * np.log2(a) * b + a * b
    return found(analytical.tolist(), (5 * a + 0.5 * a**2 + 3 * b + b**2).tolist(), **settings)


class TestValues:
    def test_known_values(self) -> None:
        """The thesis' tables, keys, zeros, and values that are undefined are those of the golden file."""
        check_calls("compared-values", found, thesis, measures=[*MEASURES], range=lambda *ends: [*range(*ends)])

    @given(st.lists(st.tuples(*[st.floats(0.1, 10)] * 2), min_size=2, max_size=9))
    def test_the_reference_exchanges_directed_measures(self, pairs: list[tuple[float, float]]) -> None:
        """Relative to the second values, directed measures are those of exchanged values, but for the error rates."""
        first, second = np.array(pairs).T
        keys = tuple(MEASURES)
        there = compare_values(first, second, keys=keys)
        relative = compare_values(first, second, keys=keys, reference="second")
        back = compare_values(second, first, keys=keys)
        rates = ("error_rate", "error_rate_reversed")
        assert [relative.values[key] for key in rates] == [there.values[key] for key in rates]
        assert [relative.values[key] for key in rates[::-1]] == [back.values[key] for key in rates]
        directed = ("median_relative_error", "max_relative_error", "r2")
        for key in set(keys) - set(rates):
            assert relative.values[key] == (back if key in directed else there).values[key]
        assert (there.reference, relative.reference) == ("first", "second")


class TestWeights:
    @given(st.lists(st.tuples(st.floats(-9, 9), st.floats(-9, 9), st.integers(0, 3)), min_size=1, max_size=9))
    def test_every_value_is_weighted(self, rows: list[tuple[float, float, int]]) -> None:
        """Each value is that of the measure with the same weights, and so are the mean powers."""
        a, b, w = np.array(rows, dtype=float).T
        w[0] += 1
        found = compare_values(a, b, keys=list(MEASURES), weights=w, weighted_by="the third column")
        assert found.weights == "the third column"
        for key, value in found.values.items():
            expected = measure(key)(a, b, w)
            assert value == (None if not math.isfinite(expected) else expected)
        assert found.mean_power["2"] == pytest.approx(mean_power(a, b, 2, w))

    @given(st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=9).filter(any))
    def test_weights_from_values(self, values: list[float]) -> None:
        """Weights from values are their sizes in units of the mean size, so that 1 is the mean weight."""
        weights = weights_from(np.array(values))
        assert not weights.flags.writeable
        assert weights.mean() == pytest.approx(1)
        top = int(np.argmax(np.abs(values)))
        assert np.allclose(weights / weights[top], np.abs(values) / abs(values[top]))

    def test_share_of_a_term(self) -> None:
        """The weight of a term is its share of all contributions, regardless of signs; shares of all terms are 1."""
        model = InfluenceModel.from_terms({CONSTANT: 10.0, X: 3.0, X * Y: -2.0}, order=("x", "y"))
        every = grid()
        x, y = every.value("x"), every.value("y")
        share = weights_of_terms(model, [X * Y], every)
        assert np.allclose(share, 2 * x * y / (10 + 3 * x + 2 * x * y))
        assert not share.flags.writeable
        assert np.allclose(weights_of_terms(model, [X, X * Y], every), 1 - 10 / (10 + 3 * x + 2 * x * y))
        assert (weights_of_terms(model, (CONSTANT, X, X * Y), every) == 1).all()

    def test_terms_that_give_no_weights(self) -> None:
        """A term that contributes nothing, or has no value somewhere, is refused."""
        model = InfluenceModel.from_terms({X: 1.0, Y: 0.0, log_term("y"): 0.0}, order=("x", "y"))
        undefined = InfluenceModel.from_terms({log_term("y"): 1.0})
        names = {"model": model, "undefined": undefined, "X": X, "Y": Y, "LOG": log_term("y"), "grid": grid()}
        check_calls("weights-of-terms", weights_of_terms, weights_from, array=np.array, **names)


class TestErrors:
    def test_values(self) -> None:
        """Values that are not finite are refused, with the place."""
        check_messages("values", lambda text: compare_values(*map(np.array, json.loads(text))))

    def test_weights(self) -> None:
        """Weights that are not one number ≥ 0 per configuration, or all 0, are refused."""
        two = np.ones(2)
        check_messages("weights", lambda text: compare_values(two, two, weights=np.array(json.loads(text))))
