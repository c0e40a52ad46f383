"""Models compared by their terms: the thesis' example and tables, brute force, and laws."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from itertools import permutations
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comparison.result import SyntacticComparison
from comparison.syntactic import compare_terms, links_differ, similarity
from splc.errors import ConfigurationError
from splc.models.influence import InfluenceModel
from splc.models.parameters import Parameters
from splc.models.terms import CONSTANT, Factor, Term, log_term, option_term, product_of
from splc.models.text.reader import expand_model

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


def scored(found: SyntacticComparison) -> dict[str, float]:
    """Return text of a term → its score."""
    return {term.text: term.score for group in found.classes for term in group.terms}


class TestThesis:
    ORDER = ("x", "y")
    ANALYTICAL = "3 * x + 0.4 * y + 1 * y^2 + 2 * log2(x) * y + 1 * x * y"
    EMPIRICAL = "5 * x + 0.5 * x^2 + 3 * y + 1 * y^2"

    def test_the_worked_example_scores_term_by_term(self) -> None:
        """The example of section 4.1: 0.333 for x, 3 for y, -4 for their interaction, -0.667 in sum."""
        found = compare_terms(model_of(self.ANALYTICAL, self.ORDER), model_of(self.EMPIRICAL, self.ORDER))
        assert [group.options for group in found.classes] == [("x",), ("y",), ("x", "y")]
        assert [group.score for group in found.classes] == pytest.approx([1 / 3, 3.0, -4.0])
        assert scored(found) == pytest.approx(
            {"x": 1 + 1 / 3, "x^2": -1.0, "y": 1.0, "y^2": 2.0, "x * y": -2.0, "log10(x) * y": -2.0}
        )
        cases = [[(term.found, term.first, term.second) for term in group.terms] for group in found.classes[:2]]
        assert cases == [
            [("different", 3.0, 5.0), ("no term", None, 0.5)],
            [("different", 0.4, 3.0), ("same", 1.0, 1.0)],
        ]
        assert found.score == pytest.approx(-2 / 3)
        assert (found.terms, found.lower, found.upper) == (6, -12.0, 12.0)
        assert found.normalized == pytest.approx((-2 / 3 + 12) / 24)

    # Table 5.4, 4 nodes, in seconds; the thesis multiplies the model by 500.
    MACHINE: ClassVar = {"alpha": 11_625e-9, "beta": 60.60e-9, "f": 0.039e-9}
    ONE = (
        "2 * log2(px) * alpha + 2 * log2(nx) * alpha + 2 * log2(px) * beta + 2 * log2(nx) * beta + 6 * nx * f",
        ("px", "nx"),
    )
    FF = "-6.023 - 0.023 * px + 0.976 * log10(nx) + 0.014 * px^2"
    CC = "-6.133 - 0.035 * px + 0.994 * log10(nx) + 0.016 * px^2"

    @pytest.mark.parametrize("learned", [FF, CC])
    def test_the_models_of_one_dimension_score_minus_5_plus_one_similarity(self, learned: str) -> None:
        """By section 4.1 the models of table 5.6 score -5 + simValue(log10(nx)), and with table 5.4 that is -5.

        The printed -4.2 lies in the [-5, -4] that the formula leaves, which is so only with the constant as a class of
        its own: without it the least score is -3. But it asks for simValue = 0.8, so for an analytical influence of
        log10(nx) of 0.8 or 1.2, and the printed parameters give 0.0388: log2(nx) = log10(nx) / log10(2),
        2 * 500 * (alpha + beta) / log10(2). Another row of table 5.4, alpha or beta alone, the factor 500 left out,
        another unit of time, the base of the logarithm left as it is, the models exchanged (-4.96): none of these
        changes gives -4.2 for both learned models. Odd combinations of them do (1 of 250 tried), as chance has it.
        """
        text, order = self.ONE
        analytical = model_of(text, order, self.MACHINE).scaled(500)
        influence = analytical.influences[log_term("nx")]
        assert influence == pytest.approx(1000 * (11_625e-9 + 60.60e-9) / math.log10(2))
        empirical = model_of(learned, order)
        found = compare_terms(analytical, empirical)
        assert [(group.options, group.score) for group in found.classes] == [
            ((), -2.0),
            (("px",), -3.0),
            (("nx",), 0.0),
        ]
        assert found.score == -5.0
        assert compare_terms(analytical, empirical, constant=False).score == -3.0
        exchanged = compare_terms(empirical, analytical)
        assert exchanged.score == pytest.approx(-4.96, abs=0.005)
        # What is asked for: the factor at which the score is the printed one.
        wanted = 0.994 / 0.8 if learned == self.CC else 0.976 / 0.8
        assert compare_terms(analytical.scaled(wanted / influence), empirical).score == pytest.approx(-4.2)

    TWO = """4 * log2(py) * log2(px) * alpha + 4 * log2(py) * log2(nx) * alpha + 4 * log2(nx) * log2(px) * alpha
        + 4 * log2(nx)^2 * alpha + 4 * log2(py) * alpha + 4 * log2(nx) * alpha + 4 * nx * log2(nx) * beta
        + 4 * nx * log2(px) * beta + 4 * nx * log2(nx) * beta + 4 * nx * log2(py) * beta + 20 * nx^2 * f"""
    PB = """-2.279 - 12.6 * log10(py) - 9.148E-07 * nx^2 + 7.302 * log10(px) + 2.986E-10 * nx^3 + 3.742 * py
        - 0.464 * px"""

    def test_the_models_of_two_dimensions_score_minus_19(self) -> None:
        """By section 4.1 the 2-D model of PB(49,7) scores -19; the table's -12 takes another reading of a class.

        Both influences that are shared (log10(py), nx^2) have opposite signs, so that each scores 1; 5 terms lack only
        a partner, 8 a class. -12 is what comes out where a class is missing only if none of its options is in the other
        model, so for the constant alone. The worked example of section 4.1 contradicts that reading: there x and y are
        in both models, and their interaction scores -2 a term.
        """
        order = ("px", "py", "nx")
        analytical = model_of(f"({self.TWO})", order, self.MACHINE).scaled(500)
        learned = model_of(f"({self.PB})", order)
        found = compare_terms(analytical, learned)
        cases = [term.found for group in found.classes for term in group.terms]
        assert [cases.count(case) for case in ("opposite sign", "no term", "no class")] == [2, 5, 8]
        assert found.opposite == 2
        assert found.score == -19.0
        assert {term.text for group in found.classes for term in group.terms if term.score == 1} == {
            "log10(py)",
            "nx^2",
        }
        shared = analytical.options & learned.options
        other_reading = sum(
            term.score if term.found == "opposite sign" else -1.0 if {*group.options} & shared else -2.0
            for group in found.classes
            for term in group.terms
        )
        assert other_reading == -12.0


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
            assert [(t.term, t.found, t.first, t.second) for t in own.terms] == [
                (t.term, t.found, t.second, t.first) for t in other.terms
            ]
            assert all(
                t.score == o.score for t, o in zip(own.terms, other.terms, strict=True) if t.found != "different"
            )

    @given(models, models, st.permutations(OPTIONS))
    def test_the_order_of_terms_and_options_changes_no_score(
        self, first: InfluenceModel, second: InfluenceModel, order: list[str]
    ) -> None:
        """Terms in any order, and options in another order of the system, get the same scores."""
        shuffled = dataclasses.replace(first, terms=first.terms[::-1], order=tuple(order))
        found, other = compare_terms(first, second), compare_terms(shuffled, second)
        assert {t.term: t.score for g in found.classes for t in g.terms} == {
            t.term: t.score for g in other.classes for t in g.terms
        }
        assert compare_terms(dataclasses.replace(first, terms=first.terms[::-1]), second) == found

    @given(st.floats(allow_nan=False, allow_infinity=False), st.floats(allow_nan=False, allow_infinity=False))
    def test_similarity_is_a_fraction(self, a: float, e: float) -> None:
        """It lies in [0, 1], is 1 for equal influences, 0 for opposite signs, and the same with both signs changed."""
        assert 0 <= similarity(a, e) <= 1
        assert similarity(a, a) == 1
        assert similarity(a, e) == similarity(-a, -e)
        if a * e < 0:
            assert similarity(a, e) == 0


class TestScores:
    @pytest.mark.parametrize(
        ("a", "e", "score", "case"),
        [
            (0.0, 0.0, 2.0, "same"),
            (0.0, -0.0, 2.0, "same"),
            (0.0, 1e-300, 1.0, "different"),
            (2.0, 0.0, 1.0, "different"),
            (2.0, 3.0, 1.5, "different"),
            (-2.0, -3.0, 1.5, "different"),
            (2.0, -2.0, 1.0, "opposite sign"),
            (1e308, -1e308, 1.0, "opposite sign"),
            (5e-324, 1e308, 1.0, "different"),
            (1e308, 0.9e308, 1.9, "different"),
            # Nothing is called the same that is not.
            (0.1 + 0.2, 0.3, 2.0, "different"),
        ],
    )
    def test_influences_of_every_size_are_compared(self, a: float, e: float, score: float, case: str) -> None:
        """Zeros, opposite signs, huge and tiny influences have a score, without an overflow."""
        first, second = (InfluenceModel.from_terms({option_term("x"): value}) for value in (a, e))
        [[term]] = [group.terms for group in compare_terms(first, second).classes]
        assert term.score == pytest.approx(score)
        assert term.found == case

    def test_classes_stand_in_canonical_order(self) -> None:
        """The constant, then classes of fewer options, each in system order; what only the second has comes after."""
        first = model_of("b * a + a + 1 + b", ("b", "a"))
        # The second model alone knows the order of c, A and a; z has none.
        second = model_of("c + A + 2 + a * c + z", ("c", "A", "a"))
        found = compare_terms(first, second)
        assert [group.options for group in found.classes] == [
            (),
            ("b",),
            ("a",),
            ("c",),
            ("A",),
            ("z",),
            ("b", "a"),
            ("a", "c"),
        ]
        assert found.classes[7].terms[0].text == "a * c"
        assert found.classes[6].terms[0].text == "b * a"

    def test_the_order_does_not_depend_on_how_names_hash(self) -> None:
        """Options that are not in the system's order are sorted by name, in any order of the models."""
        for names in permutations("dcb"):
            model = InfluenceModel.from_terms([(option_term(name), 1.0) for name in names])
            assert [group.options for group in compare_terms(model, model).classes] == [("b",), ("c",), ("d",)]

    def test_empty_models_have_no_score_to_normalise(self) -> None:
        """Two empty models have no class, the score 0 and no normalised score; so have constants without constant."""
        empty = compare_terms(InfluenceModel(()), InfluenceModel(()))
        assert (empty.classes, empty.score, empty.normalized) == ((), 0.0, None)
        constants = compare_terms(model_of("1"), model_of("2"), constant=False)
        assert (constants.classes, constants.normalized) == ((), None)

    @pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
    def test_influences_that_are_no_numbers_are_refused(self, value: float) -> None:
        """A model with such an influence is an error that names the term, as the first or the second model."""
        wrong, right = (InfluenceModel(((option_term("x"), v),), ("x",)) for v in (value, 1.0))
        for pair in ((wrong, right), (right, wrong)):
            with pytest.raises(ConfigurationError, match="the influence of x is"):
                compare_terms(*pair)

    def test_parameters_alone_belong_to_the_constant(self) -> None:
        """A term about no option but a parameter that is kept as a name is in the class of the constant."""
        names = Parameters.of({"alpha": 2.0})
        found = expand_model("alpha + 3 * x", None, names, symbols=("alpha",))
        first = InfluenceModel.from_terms(found.expansion, derived=found.derived)
        comparison = compare_terms(first, model_of("2 + 3 * x"))
        assert [(group.options, [term.score for term in group.terms]) for group in comparison.classes] == [
            ((), [-1.0, -1.0]),
            (("x",), [2.0]),
        ]
        assert compare_terms(first, model_of("2 + 3 * x"), constant=False).score == 2

    def test_links_do_not_change_scores_but_are_told(self) -> None:
        """Sums are compared as they stand; whether equal terms mean the same is asked for apart."""
        plain = model_of("2 * x")
        logarithmic = dataclasses.replace(plain, link="log")
        assert compare_terms(plain, logarithmic).score == 2
        assert links_differ(plain, logarithmic)
        assert not links_differ(logarithmic, logarithmic)


class TestSubexpressions:
    def test_they_are_compared_as_a_whole(self) -> None:
        """A subexpression matches only its like, belongs to the class of all its options, and is listed once."""
        order = ("nx", "ny", "px")
        first = model_of("3 / (nx + ny) + px / (nx + ny) + 2 * nx * ny + log10(nx + ny)", order)
        second = model_of("4 / (ny + nx) + nx + 2^px", order)
        found = compare_terms(first, second)
        assert [group.options for group in found.classes] == [("nx",), ("px",), ("nx", "ny"), ("nx", "ny", "px")]
        scores = scored(found)
        assert scores["(nx + ny)^-1"] == pytest.approx(1 + 2 / 3)
        assert (scores["log10(nx + ny)"], scores["nx * ny"], scores["nx"]) == (-1.0, -1.0, -2.0)
        assert [(unseen.text, unseen.options, unseen.models) for unseen in found.unseen] == [
            ("(nx + ny)", ("nx", "ny"), ("first", "second")),
            ("(2^px)", ("px",), ("second",)),
        ]

    def test_thresholds(self) -> None:
        """Equal thresholds and saturations match however they are written; others are terms over the same options."""
        first = model_of("3 * [nx >= 8] * ny + 2 * min(ny, 4) + 7 * [px > 2]")
        second = model_of("3 * ny * [8 <= nx] + 2 * min(4, ny) + 7 * [px > 3]")
        compared = compare_terms(first, second)
        assert not compared.unseen
        assert scored(compared) == {"[nx >= 8] * ny": 2.0, "min(ny, 4)": 2.0, "[px > 2]": -1.0, "[px > 3]": -1.0}

    def test_those_inside_of_others_are_not_listed(self) -> None:
        """Of nested subexpressions the outer one is listed, with the options of both; sums of terms list nothing."""
        model = model_of("1 / (nx + 1 / (ny + px))", ("nx", "ny", "px"))
        [unseen] = compare_terms(model, model).unseen
        assert unseen.options == ("nx", "ny", "px")
        assert unseen.models == ("first", "second")
        assert compare_terms(model_of("(x + y)^2"), model_of("x * log2(x * y)")).unseen == ()
