"""The real measurements of others, in `../shared/data` beside the checkout, which not every checkout has."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.paths import ROOT

DATA = ROOT.parent / "shared" / "data"
ABSENT = "../shared/data, the real measurements of others, is absent"
# For what needs the data while tests are collected.
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason=ABSENT)


def real(*names: str) -> Path:
    """Return a file or folder of the real measurements; skip the test where it is absent."""
    path = DATA.joinpath(*names)
    if not path.exists():
        pytest.skip(ABSENT)
    return path
