"""The choice of language, size and blend by the stated rules, with models that are made up."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.learning.projection.blend import BLENDS, PROJECTION
from splc.learning.projection.choice import ADMITTED, READABLE_ADMITTED, FormChoice, chosen_among, is_enough
from splc.learning.projection.competition import Contender, LanguageSearch
from splc.learning.projection.exact import ExactModel
from splc.learning.projection.form import Form, languages_of, most_terms
from splc.learning.projection.rows import ModelRows
from splc.learning.projection.units import Language
from splc.learning.projection.variables import Variable
from tests.learning.projection.known_targets import MIXED, candidates_of, target_of
from tests.support.examples import examples

ROWS = ModelRows(target_of(MIXED, lambda c: 5 + c("x") + c("a")))
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


class Contest:
    """Models that are made up, by language; every language has a poor one at least."""

    def __init__(self, *given: Given) -> None:
        searches = {each: LanguageSearch(ROWS, CANDIDATES, each, ()) for each in LANGUAGES}
        self.given = [*given, *(Given(language, 1, POOR) for language in LANGUAGES)]
        self.made = {self.contender(each, searches[each.language]): each for each in self.given}
        self.groups = [[each for each in self.made if each.language == language] for language in LANGUAGES]
        self.not_positive: set[Given] = set()

    def contender(self, given: Given, search: LanguageSearch) -> Contender:
        """Return a model."""
        errors = np.array(given.errors or [given.score] * ROWS.learned)
        terms = tuple(range(given.size))
        means = errors.mean(), given.distance, given.score
        return Contender(search, given.size, given.blend, terms, np.log1p(errors), *means, given.positive)

    def is_fine(self, model: Contender | ExactModel) -> bool:
        """Return whether a model is positive everywhere."""
        return not isinstance(model, Contender) or self.made[model] not in self.not_positive

    def choose(self, admitted: float = ADMITTED) -> FormChoice:
        """Return the choice."""
        return chosen_among(self.groups, (), admitted, self.is_fine)

    @property
    def chosen(self) -> Given:
        """The model that is chosen."""
        return self.made[self.choose().contender]


def test_the_shortest_admitted_model() -> None:
    """Of the models within 5 % of the best score the shortest one is chosen, within 10 % if it is to be readable."""
    models = [Given("sum", 9, 1.0), Given("sum", 6, 1.049), Given("sum", 5, 1.051), Given("sum", 3, 1.09)]
    contest = Contest(*models)
    for admitted, place in ((ADMITTED, 1), (READABLE_ADMITTED, 3), (1.0, 0)):
        assert contest.made[contest.choose(admitted).contender] == models[place]


@pytest.mark.parametrize(("score", "fitted"), [(0.979, True), (0.981, False), (1.0, False)])
def test_fitted_influences_must_be_better(score: float, fitted: bool) -> None:
    """Influences that are fitted to measured values are taken if their score is smaller by 2 %."""
    models = [Given("sum", 3, 1.0), Given("sum", 3, score, FITTED)]
    assert Contest(*models).chosen == models[int(fitted)]


def test_blends_are_those_of_one_language() -> None:
    """Terms at the same positions in another language are not the same terms."""
    models = [Given("shapes", 3, 1.0, FITTED), Given("product", 3, 1.005)]
    assert Contest(*models).chosen == models[0]


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
        assert Contest(other, sums).chosen == (sums if preferred and short else other)


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
def test_languages(form: Form, variables: Any, positive: bool, languages: Any) -> None:
    """Sums have free signs if an option is numeric, and always if values are not positive."""
    assert list(languages_of(form, variables, positive=positive)) == languages


@pytest.mark.parametrize(
    ("size", "near", "positive", "enough"),
    [(8, 0.49, True, True), (9, 0.49, True, False), (8, 0.51, True, False), (8, 0.49, False, False)],
)
def test_sums_that_are_short_and_near(size: int, near: float, positive: bool, enough: bool) -> None:
    """A model is enough if it is short, near to the full model and positive."""
    found = Given("sum", size, 1.0, distance=near * ROWS.expected_error)
    contest = Contest(found)
    contest.not_positive = set() if positive else {found}
    assert is_enough(contest.groups[0], 8, contest.is_fine) is enough


@pytest.mark.parametrize("positive", [True, False])
def test_exact_models(positive: bool) -> None:
    """The shortest model that fits exactly is taken, whatever the scores, if it is positive everywhere."""
    contest = Contest(Given("sum", 1, 1.0), Given("sum", 4, 5.0), Given("shapes", 3, 6.0), Given("product", 3, 7.0))
    searches = [group[0].search for group in contest.groups]
    exact = [
        ExactModel(search, tuple(range(size)), np.ones(size)) for search, size in zip(searches, (4, 3, 3), strict=True)
    ]

    def is_fine(model: Contender | ExactModel) -> bool:
        return positive or model.search.language == "product"

    choice = chosen_among(contest.groups, exact, ADMITTED, is_fine)
    assert choice.exact is exact[1 if positive else 2]
    assert choice.contender.size == 3
    assert choice.contender.search is choice.exact.search
    assert choice.forms[0] is choice.contender
    # Other forms are positive, too.
    assert len(choice.forms) == (3 if positive else 1)


def test_the_best_model_of_each_form() -> None:
    """All languages that were searched are told with their shortest admitted model, the chosen one first."""
    given = [Given("sum", 9, 3.0), Given("shapes", 3, 1.0), Given("product", 8, 2.0), Given("product", 4, 2.03)]
    contest = Contest(*given)
    found = contest.choose()
    assert [contest.made[each] for each in found.forms] == [given[1], given[0], given[3]]
    assert found.contender is found.forms[0]
    assert found.exact is None


@pytest.mark.parametrize("where", ["at the rows", "over the space"])
def test_other_forms_are_positive(where: str) -> None:
    """Models with predictions that are not positive are not named as the best ones of their forms."""
    given = [Given("shapes", 3, 1.0), Given("sum", 9, 3.0), Given("sum", 9, 4.0), Given("product", 2, 2.0)]
    if where == "at the rows":
        given[1] = replace(given[1], positive=False)
    contest = Contest(*given)
    # Of one form no model is positive.
    poor = Given("product", 1, POOR)
    contest.not_positive = {given[3], poor} | ({given[1]} if where == "over the space" else set())
    assert [contest.made[each] for each in contest.choose().forms] == [given[0], given[2]]


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
    contest = Contest(*given)
    contest.not_positive = not_positive
    found = contest.chosen
    fine = [each for each in contest.given if each.positive]
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
