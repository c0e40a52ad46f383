"""Names of files that every file system allows."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.io.files import distinct_names, file_name, sha256_of


@pytest.mark.parametrize(
    ("parts", "name"),
    [
        (("Random:5,seed=3",), "random-5-seed-3"),
        (("a b", "", "C_1.x"), "a-b-c_1.x"),
        (("..", "--"), "unnamed"),
        ((), "unnamed"),
        (("-a-", ".b."), "a-b"),
        (("x" * 79 + "-y",), "x" * 79),
        (("x" * 200,), "x" * 80),
        (("Größe",), "gr-sse"),
    ],
)
def test_names(parts: tuple[str, ...], name: str) -> None:
    """Parts are joined in lower case, with a dash for anything else."""
    assert file_name(*parts) == name


@given(st.lists(st.text(max_size=120), max_size=3))
def test_names_are_allowed(parts: list[str]) -> None:
    """Every name has 1 to 80 allowed characters, and does not begin with a dot or a dash."""
    assert re.fullmatch(r"[a-z0-9_][a-z0-9_.-]{0,79}", file_name(*parts))


@given(st.dictionaries(st.integers(0, 20), st.sampled_from(["a", "b", "c"])))
def test_names_are_distinct_only_where_needed(made: dict[int, str]) -> None:
    """A name of one key stays; equal ones get the hash of the key, whatever the order of the others."""
    found = distinct_names(made)
    assert len(set(found.values())) == len(made)
    assert found == distinct_names(dict(reversed(made.items())))
    for key, name in made.items():
        alone = list(made.values()).count(name) == 1
        assert found[key] == (name if alone else f"{name}-{sha256_of(repr(key))[:8]}")
