"""The evaluation of contexts that are learned together: rows."""

from __future__ import annotations

import random

import pytest

from casestudies.contexts.few_rows import FewRowsEvaluation
from casestudies.contexts.published_rows import PublishedEvaluation, published, split
from casestudies.contexts.systems import contexts_of
from casestudies.contexts.tables import METHODS, PUBLISHED_METHODS


@pytest.mark.real_data
def test_contexts_of_a_group() -> None:
    """The members of a group are contexts; their configurations do not have the options of the group."""
    found = contexts_of("x264 by ref")
    assert {value: len(table.values) for value, table in found.items()} == {"ref_1": 384, "ref_5": 384, "ref_9": 384}
    names = found["ref_1"].configurations.system.names
    assert "no_cabac" in names
    assert not any(name.startswith("ref") for name in names)


def first_contexts(count: int, evaluation: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return a system for an evaluation: the first contexts of imagemagick."""
    name = f"{count} contexts of imagemagick"
    contexts = dict(list(contexts_of("imagemagick").items())[:count])
    monkeypatch.setattr(f"casestudies.contexts.{evaluation}.contexts_of", {name: contexts}.__getitem__)
    return name


@pytest.mark.real_data
@pytest.mark.parametrize(("count", "size"), [(2, 5), pytest.param(4, 10, marks=pytest.mark.slow)])
def test_rows(count: int, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every context has a row per method; with the rows of the others the error is smaller."""
    name = first_contexts(count, "few_rows", monkeypatch)
    rows = FewRowsEvaluation().rows({"system": name, "size": size, "seed": 0})
    assert [row["method"] for row in rows] == count * list(METHODS)
    mean = {method: sum(row["mean"] for row in rows if row["method"] == method) for method in METHODS}
    assert mean["together"] < mean["alone"]


def test_splits() -> None:
    """A run has the rows that the published run of its number had."""
    random.seed(2 * 3)
    others = random.sample(list(range(20)), 16)
    learned = random.sample([row for row in range(20) if row not in others], 4)
    found = split(20, 4, 3)
    assert (found[0].tolist(), found[1].tolist()) == (learned, others)


@pytest.mark.real_data
@pytest.mark.parametrize("count", [2, pytest.param(4, marks=pytest.mark.slow)])
def test_published_rows(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With few rows, and all rows of the other environments, the error is below that of all published methods."""
    name = first_contexts(count, "published_rows", monkeypatch)
    [together, alone] = PublishedEvaluation().rows({"system": name, "size": 11, "context": "e0", "seed": 0})
    assert (together["method"], alone["method"]) == PUBLISHED_METHODS
    assert together["mean"] < min(published()["imagemagick", 11, "e0"].values()) < alone["mean"]
