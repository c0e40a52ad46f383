"""The choice of language, size and blend by the stated rules, with models that are made up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.learning.projection import form as module
from splc.learning.projection.blend import BLENDS, PROJECTION
from splc.learning.projection.competition import Contender, LanguageSearch
from splc.learning.projection.exact import ExactModel
from splc.learning.projection.form import chosen_form, most_terms
from splc.learning.projection.rows import Rows
from splc.learning.projection.units import Language
from splc.learning.projection.variables import Variable
from tests.learning.projection.known_targets import MIXED, candidates_of, target_of
from tests.support.examples import examples

ROWS = Rows(target_of(MIXED, lambda c: 5 + c("x") + c("a")))
CANDIDATES = candidates_of(ROWS, 1)
NUMERIC = (Variable("x", "numeric", ("x",), (1.0, 2.0)),)
SWITCH = (Variable("a", "binary", ("a",)),)
FITTED = BLENDS[1]
POOR = 99.0
LANGUAGES: tuple[Language, ...] = ("sum", "shapes", "product")


@dataclass(frozen=True)
class Given:
    """A model that is made up.

    Attributes:
        language: its language.
        size: the number of its terms.
        score: its score.
        blend: its blend.
        errors: the errors of held-out rows; by default the score.
        distance: its distance to the full model.
        positive: whether its predictions at all rows are positive.
    """

    language: Language
    size: int
    score: float
    blend: float = PROJECTION
    errors: tuple[float, ...] = ()
    distance: float = 9.0
    positive: bool = True


class Searches:
    """Searches of the languages that find made-up models."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, given: Sequence[Given], rows: Rows = ROWS) -> None:
        # Every language has a poor model at least.
        self.given = [*given, *(Given(language, 1, POOR) for language in LANGUAGES)]
        self.rows = rows
        self.searched: list[tuple[Any, ...]] = []
        self.exact: dict[Language, ExactModel] = {}
        self.not_positive: set[Given] = set()
        monkeypatch.setattr(module, "language_search", self.search)
        monkeypatch.setattr(module, "exact_model", lambda search: self.exact.get(search.language))

    def search(
        self, rows: Rows, variables: Any, language: Language, most: int, order: int | None, *_: object
    ) -> LanguageSearch:
        """Return the made-up models of a language."""
        self.searched.append((language, most, order))
        found = LanguageSearch(rows, CANDIDATES, language, ())
        contenders = []
        for each in self.given:
            if each.language == language:
                errors = np.array(each.errors or [each.score] * rows.learned)
                chosen = tuple(range(each.size))
                made = (each.size, each.blend, chosen, np.log1p(errors), errors.mean(), each.distance, each.score)
                contenders.append(Contender(found, *made, each.positive))
                # The coefficients are those of no fit: they name the model.
                contenders[-1].__dict__["coefficients"] = each
        found.__dict__["contenders"] = tuple(contenders)
        return found

    def is_positive(self, search: LanguageSearch, chosen: Sequence[int], coefficients: Any) -> bool:
        """Return whether a made-up model is positive everywhere."""
        return coefficients not in self.not_positive

    def choose(self, variables: Sequence[Variable] = NUMERIC, **settings: Any) -> Any:
        """Return the model that is chosen."""
        return chosen_form(self.rows, variables, self.is_positive, **settings).contender.coefficients


def chosen(monkeypatch: pytest.MonkeyPatch, *given: Given, **settings: Any) -> Any:
    """Return which of some made-up models is chosen."""
    return Searches(monkeypatch, given).choose(**settings)


def test_the_shortest_admitted_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the models within 5 % of the best score the shortest one is chosen, within 10 % if it is to be readable."""
    models = [Given("sum", 9, 1.0), Given("sum", 6, 1.049), Given("sum", 5, 1.051), Given("sum", 3, 1.09)]
    assert chosen(monkeypatch, *models) == models[1]
    assert chosen(monkeypatch, *models, readable=True) == models[3]
    assert chosen(monkeypatch, *models, terms=9) == models[0]


@pytest.mark.parametrize(("score", "fitted"), [(0.979, True), (0.981, False), (1.0, False)])
def test_fitted_influences_must_be_better(score: float, fitted: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Influences that are fitted to measured values are taken if their score is smaller by 2 %."""
    models = [Given("sum", 3, 1.0), Given("sum", 3, score, FITTED)]
    assert chosen(monkeypatch, *models) == models[int(fitted)]


def test_blends_are_those_of_one_language(monkeypatch: pytest.MonkeyPatch) -> None:
    """Terms at the same positions in another language are not the same terms."""
    models = [Given("shapes", 3, 1.0, FITTED), Given("product", 3, 1.005)]
    assert chosen(monkeypatch, *models) == models[0]


@pytest.mark.parametrize(
    ("score", "further", "preferred"),
    [(1.19, 0.0, True), (1.21, 0.0, False), (1.05, 0.039, True), (1.05, 0.041, False), (1.05, -1.0, True)],
)
def test_sums_of_costs_are_preferred(
    score: float, further: float, preferred: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sum of costs is chosen within 20 %, unless it is long or its errors are larger by two standard errors."""
    noise = np.tile([1.0, -1.0], 20)
    noise *= 0.02 / (noise.std(ddof=1) / 40**0.5)
    other = Given("product", 4, 1.0, errors=(1.0,) * 40)
    for size, short in ((9, True), (10, False)):
        # Half as many terms again as the other one, whose factors are worth two terms.
        sums = Given("sum", size, score, errors=tuple((1 + further + noise).tolist()))
        assert chosen(monkeypatch, other, sums) == (sums if preferred and short else other)


@pytest.mark.parametrize(
    ("form", "variables", "positive", "languages"),
    [
        ("auto", NUMERIC, True, ["sum", "shapes", "product"]),
        ("sum", NUMERIC, True, ["sum", "shapes"]),
        ("product", NUMERIC, True, ["product"]),
        ("auto", SWITCH, True, ["sum", "product"]),
        ("sum", SWITCH, True, ["sum"]),
        ("auto", NUMERIC, False, ["shapes"]),
        ("product", SWITCH, False, ["shapes"]),
    ],
)
def test_languages(form: str, variables: Any, positive: bool, languages: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sums have free signs if an option is numeric, and always if values are not positive."""
    rows = Rows(replace(ROWS.target, positive=positive))
    given = [Given(language, 3, 1.0) for language in LANGUAGES]
    searches = Searches(monkeypatch, given, rows)
    searches.choose(variables, form=form, order=4)
    assert [found for found, _, _ in searches.searched] == languages
    assert {(most, order) for _, most, order in searches.searched} == {(20, 4)}


@pytest.mark.parametrize(
    ("size", "near", "positive", "form", "enough"),
    [
        (8, 0.49, True, "auto", True),
        (9, 0.49, True, "auto", False),
        (8, 0.51, True, "auto", False),
        (8, 0.49, False, "auto", False),
        (8, 0.49, True, "sum", False),
    ],
)
def test_sums_that_are_short_and_near(
    size: int, near: float, positive: bool, form: str, enough: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other languages are not searched beside a sum of few costs that is near to the full model."""
    given = [Given("sum", size, 1.0, distance=near * ROWS.expected_error), Given("shapes", 2, 1.0)]
    searches = Searches(monkeypatch, [*given, Given("product", 3, 0.1)])
    searches.not_positive = set() if positive else {given[0]}
    searches.choose(form=form)
    assert (len(searches.searched) == 1) is enough


@pytest.mark.parametrize(("size", "enough"), [(15, True), (16, False)])
def test_sums_without_thresholds_may_be_longer(size: int, enough: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without numeric options no thresholds can say the same in fewer terms."""
    given = [Given("sum", size, 1.0, distance=0.49 * ROWS.expected_error), Given("product", 3, 0.1)]
    searches = Searches(monkeypatch, given)
    searches.choose(SWITCH)
    assert (len(searches.searched) == 1) is enough


@pytest.mark.parametrize("positive", [True, False])
def test_exact_models(positive: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The shortest model that fits exactly is taken, whatever the scores, if it is positive everywhere."""
    models = [Given("sum", 1, 1.0), Given("sum", 4, 5.0), Given("shapes", 3, 6.0), Given("product", 3, 7.0)]
    searches = Searches(monkeypatch, models)
    for language, size in (("sum", 4), ("shapes", 3), ("product", 3)):
        search = LanguageSearch(ROWS, CANDIDATES, language, ())  # type: ignore[arg-type]
        exact = ExactModel(search, tuple(range(size)), np.ones(size))
        searches.exact[exact.search.language] = exact
    # Contenders are those of its own search.
    wanted = searches.exact["shapes" if positive else "product"]
    monkeypatch.setattr(module, "language_search", _remembered(searches))
    is_positive = lambda search, *_: positive or search.language == "product"  # noqa: E731
    found = chosen_form(ROWS, NUMERIC, is_positive)
    assert found.exact is wanted
    assert found.contender.size == 3
    assert found.contender.language == wanted.search.language
    assert found.forms[0].language == wanted.search.language
    # Other forms are positive, too.
    assert len(found.forms) == (3 if positive else 1)


def _remembered(searches: Searches) -> Any:
    """Return searches of which the exact models are."""

    def search(
        rows: Rows, variables: Any, language: Language, most: int, order: int | None, *_: object
    ) -> LanguageSearch:
        found = searches.search(rows, variables, language, most, order)
        own = searches.exact[language].search
        own.__dict__["contenders"] = tuple(replace(each, search=own) for each in found.contenders)
        for each in own.contenders:
            each.__dict__["coefficients"] = None
        return own

    return search


def test_the_best_model_of_each_form(monkeypatch: pytest.MonkeyPatch) -> None:
    """All languages that were searched are told with their shortest admitted model, the chosen one first."""
    given = [Given("sum", 9, 3.0), Given("shapes", 3, 1.0), Given("product", 8, 2.0), Given("product", 4, 2.03)]
    searches = Searches(monkeypatch, given)
    found = chosen_form(ROWS, NUMERIC, searches.is_positive)
    assert [each.coefficients for each in found.forms] == [given[1], given[0], given[3]]
    assert found.contender is found.forms[0]
    assert found.exact is None


@pytest.mark.parametrize("where", ["at the rows", "over the space"])
def test_other_forms_are_positive(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Models with predictions that are not positive are not named as the best ones of their forms."""
    given = [Given("shapes", 3, 1.0), Given("sum", 9, 3.0), Given("sum", 9, 4.0), Given("product", 2, 2.0)]
    if where == "at the rows":
        given[1] = replace(given[1], positive=False)
    searches = Searches(monkeypatch, given)
    # Of one form no model is positive.
    poor = Given("product", 1, POOR)
    searches.not_positive = {given[3], poor} | ({given[1]} if where == "over the space" else set())
    found = chosen_form(ROWS, NUMERIC, searches.is_positive)
    assert [each.coefficients for each in found.forms] == [given[0], given[2]]


@pytest.mark.parametrize(
    ("rows", "terms", "readable", "most"),
    [
        (100, None, False, 20),
        (39, None, False, 19),
        (13, None, False, 6),
        (9, None, False, 6),
        (4, None, False, 4),
        (1, None, False, 1),
        (100, None, True, 10),
        (100, 120, False, 120),
        (100, 1_000_000, False, 120),
        (4, 7, True, 7),
    ],
)
def test_the_largest_number_of_terms(rows: int, terms: int | None, readable: bool, most: int) -> None:
    """Models have at most 20 terms, 10 if readable, half as many as rows but six, or what is asked for."""
    assert most_terms(rows, terms, readable) == most


MODELS = st.builds(
    Given,
    st.sampled_from(LANGUAGES),
    st.integers(1, 12),
    st.floats(1.0, 1.4),
    st.sampled_from(BLENDS),
    distance=st.just(9.0),
    positive=st.booleans(),
)


@examples(200)
@given(given=st.lists(MODELS, min_size=1, max_size=12, unique_by=lambda each: each.score), data=st.data())
def test_rules(given: list[Given], data: st.DataObject) -> None:
    """For any models, the chosen one is that of the rules, written as they are stated."""
    not_positive = set(data.draw(st.lists(st.sampled_from(given))))
    with pytest.MonkeyPatch.context() as patch:
        searches = Searches(patch, given)
        searches.not_positive = not_positive
        found = searches.choose()
    fine = [each for each in searches.given if each.positive]
    while (expected := by_the_rules(fine)) in not_positive:
        fine.remove(expected)
    assert found == expected


def by_the_rules(models: list[Given]) -> Given:
    """Return the model of rules 1, 2 and 2b, where errors are all equal to the score."""
    best = min(each.score for each in models)
    found = shortest(models)
    costs = [each for each in models if each.language == "sum"]
    if costs:
        alternative = shortest(costs)
        # All errors are equal to the score, so that their differences have no standard error.
        longest = 1.5 * (found.size + 2 * (found.language != "sum"))
        if alternative.score <= 1.2 * best and alternative.score <= found.score and alternative.size <= longest:
            return alternative
    return found


def shortest(models: list[Given]) -> Given:
    """Return the model of rules 1 and 2."""
    best = min(each.score for each in models)
    admitted = [each for each in models if each.score <= 1.05 * best]
    [found, *_] = sorted(admitted, key=lambda each: (each.size + 2 * (each.language != "sum"), each.score))
    same = [each for each in models if (each.language, each.size) == (found.language, found.size)]
    projected = sorted((each for each in same if each.blend == PROJECTION), key=lambda each: each.score)
    fitted = sorted((each for each in same if each.blend != PROJECTION), key=lambda each: each.score)
    if projected and not (fitted and fitted[0].score < 0.98 * projected[0].score):
        return projected[0]
    return fitted[0]
