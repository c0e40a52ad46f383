"""Tasks: their names, and what draws."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.io.file_names import distinct_names, file_name
from splc.study import StudyLearner
from splc.study.tasks import draws


@given(st.lists(st.text(max_size=100), unique=True, max_size=6))
def test_names_are_safe_and_distinct(texts: list[str]) -> None:
    """Whatever things are called, their files have distinct portable names that do not depend on the order."""
    names = distinct_names({text: file_name(text, "x") for text in texts})
    assert len({name.casefold() for name in names.values()}) == len(texts)
    for name in names.values():
        assert re.fullmatch(r"[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?", name)
        assert len(name) <= 90
    assert distinct_names({text: file_name(text, "x") for text in reversed(texts)}) == names


@pytest.mark.parametrize(
    ("sampling", "settings", "expected"),
    [
        ("ff", {}, False),
        ("pb:9,3", {}, False),
        ("measured", {}, False),
        ("random:5", {}, True),
        ("random:5,seed=3", {}, False),
        ("pairwise+random:5", {}, True),
        ("random:5,seed=1+random:5,seed=2", {}, False),
        ("ff", {"crossValidation": True}, True),
        ("ff", {"bagging": True}, True),
        ("random:5,seed=3", {"bagging": "true"}, True),
    ],
)
def test_what_draws(sampling: str, settings: dict[str, object], expected: bool) -> None:
    """A sampling without a seed of its own draws by the study's seeds, and so does a learner with folds or bags."""
    assert draws(sampling, StudyLearner(kind="stepwise", settings=settings)) is expected
