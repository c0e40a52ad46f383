"""The names of variables in the output of a tuning run."""

from __future__ import annotations

from dataclasses import replace

import pytest

from splc.learning.effects import group_titles
from splc.learning.projection.variables import variables_of
from splc.system.options import BinaryOption
from splc.system.variability import VariabilityModel
from splc.tuning.changes import label_of
from tests.learning.projection.known_targets import group

CODECS = group("lz4", "zstd", "gzip")


@pytest.mark.parametrize(
    ("options", "label"),
    [
        (CODECS, "lz4|zstd|gzip"),
        ((BinaryOption("codec", optional=False), *(replace(each, parent="codec") for each in CODECS)), "codec"),
        (group("ref_1", "ref_2", "ref_3"), "ref"),
    ],
)
def test_groups_have_titles(options: tuple[BinaryOption, ...], label: str) -> None:
    """A group is shown under the title that it has in other outputs, never under its first member."""
    system = VariabilityModel("system", (*options, BinaryOption("fast")))
    labels = [label_of(variable, system) for variable in variables_of(system)]
    assert sorted(labels) == sorted([label, "fast"])
    assert label in group_titles(system).values()
