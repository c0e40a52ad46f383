"""Sums of the contributions of terms over sets of options, against sums by brute force."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.workflows.explain.contributions import Contribution, sums_of
from tests.support.examples import examples

# Terms over two sets of options; the first two differ only in the member of an alternative group.
TERMS = {
    "codec_a": ("codec", ("codec",)),
    "codec_b": ("codec", ("codec",)),
    "log2(codec)": ("log2(codec)", ("codec",)),
    "codec_a * x": ("codec * x", ("codec", "x")),
    "x": ("x", ("x",)),
}


@examples(60)
@given(st.dictionaries(st.sampled_from(sorted(TERMS)), st.tuples(*[st.integers(-9, 9)] * 2), min_size=1))
def test_sums_by_brute_force(values: dict[str, tuple[int, int]]) -> None:
    """A sum of terms has the name of their group, a single term its own; sums are those of their terms."""
    contributions = [Contribution(text, *map(float, pair), 1, *TERMS[text]) for text, pair in values.items()]
    found = {}
    for whole, parts in sums_of(contributions):
        for part in parts or [whole]:
            found[part.text] = (part.value, part.reference, part.count)
        if parts:
            assert whole.value == pytest.approx(math.fsum(part.value for part in parts))
            assert whole.count == sum(part.count for part in parts)
    expected = {}
    for group in {TERMS[text][0] for text in values}:
        members = [text for text in values if TERMS[text][0] == group]
        sums = tuple(float(sum(values[text][side] for text in members)) for side in (0, 1))
        expected[group if len(members) > 1 else members[0]] = (*sums, len(members))
    assert found == expected
    differences = [abs(whole.difference) for whole, _ in sums_of(contributions)]
    assert differences == sorted(differences, reverse=True)
