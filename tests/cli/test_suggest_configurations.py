"""`splc scale --suggest` on files of Extra-P."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Run
from tests.support.real_data import DATA


@pytest.mark.real_data
def test_hypotheses_without_variance(run: Run) -> None:
    """Points at which a hypothesis has no variance are candidates without warnings."""
    file = str(DATA / "extrap_formats" / "jsonlines" / "incomplete_matrix_2p.jsonl")
    result = run("scale", file, "--suggest", "--target", "x=100,y=10", "--json")
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["next"][0]["gain"] > 0
