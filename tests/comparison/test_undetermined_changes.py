"""Influences that the configurations of one version do not determine are named, and the others are compared."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from comparison.changes import ModelChange, model_change, model_course
from comparison.common_terms import Undetermined
from splc.data.configurations import Configurations
from splc.errors import ConfigurationError
from splc.models.influence import InfluenceModel
from splc.models.terms import CONSTANT
from splc.types import Array, Link
from tests.comparison.test_changes import ALL, FAST, SAFE, N, model, settled
from tests.support.examples import examples

NONE = Undetermined()
BOTH = model({CONSTANT: 10.0, FAST: 5.0, SAFE: 8.0, N: 2.0, FAST * N: 1.0})
CHANGED = model({CONSTANT: 10.0, FAST: 5.0, SAFE: 12.0, N: 2.0, FAST * N: 1.0})
WITHOUT_FAST = ALL[ALL.column("fast") == 0]
TOGETHER = ALL[ALL.column("fast") == ALL.column("safe")]


def measured(of: InfluenceModel, rows: Configurations, seed: int, noise: float = 0.01) -> tuple[Configurations, Array]:
    """Return measurements of configurations with relative noise."""
    return rows, of.predict(rows) * (1 + noise * np.random.default_rng(seed).standard_normal(len(rows)))


def influences(change: ModelChange) -> dict[str, tuple[float, float]]:
    """Return text → influence before and after."""
    return {term.text: (term.first, term.second) for each in change.sets for term in each.terms}


@pytest.mark.parametrize("link", ["identity", "log"])
def test_an_option_that_is_new(link: Link) -> None:
    """Terms of an option that the first version does not have are named; the others change as in truth."""
    old, new = (model({CONSTANT: 1.0, FAST: 0.5, SAFE: safe, N: 0.2}, link) for safe in (0.8, 1.2))
    before, after = measured(old, WITHOUT_FAST, 1), measured(new, ALL, 2)
    change = model_change(old, new, before, after)
    assert change.undetermined == (Undetermined(zero=("fast",)), NONE)
    assert settled(change) == [("safe",)]
    assert {text: after for text, (_, after) in influences(change).items()} == pytest.approx(
        {"1": 1.0, "safe": 1.2, "n": 0.2}, rel=0.05
    )
    back = model_change(new, old, after, before)
    assert back.undetermined == (NONE, Undetermined(zero=("fast",)))


def test_an_option_that_is_always_selected() -> None:
    """In a version in which an option is always selected, its term cannot be told from the constant."""
    change = model_change(BOTH, CHANGED, measured(BOTH, ALL, 1), measured(CHANGED, ALL[ALL.column("fast") == 1], 2))
    assert change.undetermined == (NONE, Undetermined(confounded=("1", "fast", "n", "fast * n")))
    assert settled(change) == [("safe",)]
    assert (list(influences(change)), change.factor) == (["safe"], 1.0)


def test_options_that_go_together_in_one_version() -> None:
    """Terms that are the same in one version are not compared, since the others would take the rest."""
    change = model_change(BOTH, CHANGED, measured(BOTH, TOGETHER, 1), measured(CHANGED, ALL, 2))
    assert change.undetermined == (Undetermined(confounded=("fast", "safe")), NONE)
    assert settled(change) == []
    assert {text for text, _ in influences(change).items()} == {"1", "n", "fast * n"}


def test_nothing_that_can_be_compared() -> None:
    """A model without terms that both versions determine has no changes."""
    constant = Configurations(ALL.system, np.repeat(ALL[[13]].indices, 6, axis=0))
    change = model_change(BOTH, BOTH, measured(BOTH, ALL, 1), (constant, np.linspace(1, 2, 6)))
    assert (change.sets, change.factor) == ((), 1.0)
    assert set(change.undetermined[1].zero) == {"fast", "fast * n"}


@pytest.mark.parametrize("rows", [0, 1, 2])
def test_hardly_any_configurations(rows: int) -> None:
    """A version with a few rows is too small, whatever terms are 0 in all of them."""
    with pytest.raises(ConfigurationError, match="too few to compare"):
        model_change(BOTH, BOTH, measured(BOTH, ALL, 1), measured(BOTH, ALL[[0, 33][:rows]], 2))


def test_courses() -> None:
    """An influence has no value where it is not determined."""
    course = model_course((BOTH, BOTH), [measured(BOTH, WITHOUT_FAST, 1), measured(BOTH, ALL, 2)], ())
    known = {each.text: [not math.isnan(mean) for mean in each.means] for each in course.terms}
    assert known == {"fast": [False, True], "fast * n": [False, True], **dict.fromkeys(("1", "safe", "n"), [True] * 2)}
    assert all(np.isnan(each.means).tolist() == np.isnan(each.widths).tolist() for each in course.terms)


@examples(40)
@given(
    st.lists(st.sampled_from(range(len(ALL))), min_size=0, max_size=40, unique=True),
    st.lists(st.sampled_from(range(len(ALL))), min_size=8, max_size=40, unique=True),
)
def test_influences_without_noise(before: list[int], after: list[int]) -> None:
    """Whatever was measured: what is compared is right, and every other term is named."""
    first, second = ALL[before], ALL[after]
    # Terms that depend on each other in both versions count once.
    design = BOTH.contributions(ALL[sorted({*before, *after})])
    assume(np.linalg.matrix_rank(design) == len(BOTH.terms))
    counts = [np.linalg.matrix_rank(BOTH.contributions(rows)) < len(rows) for rows in (first, second)]
    if not all(counts):
        with pytest.raises(ConfigurationError, match="too few"):
            model_change(BOTH, CHANGED, (first, BOTH.predict(first)), (second, CHANGED.predict(second)))
        return
    change = model_change(BOTH, CHANGED, (first, BOTH.predict(first)), (second, CHANGED.predict(second)))
    truth = {"1": (10, 10), "fast": (5, 5), "safe": (8, 12), "n": (2, 2), "fast * n": (1, 1)}
    found = influences(change)
    named = {text for side in change.undetermined for text in (*side.zero, *side.confounded)}
    for text in found:
        assert found[text] == pytest.approx(truth[text], rel=1e-6)
    assert named == set(truth) - set(found)
