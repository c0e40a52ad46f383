"""Names of scikit-learn's estimators as SPL Conqueror's scripts write them."""

from __future__ import annotations

import pytest

from splc.errors import SpecError
from splc.learning.baselines.scikit_names import ESTIMATORS, spelled


@pytest.mark.parametrize("name", ESTIMATORS)
def test_names_in_any_case(name: str) -> None:
    """Names are known in any case."""
    assert spelled(name.upper()) == spelled(name.lower()) == name


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("lineardecisiontreeregression", "is not supported\n    trees of linear models need another package"),
        ("SVRR", "is unknown\n    "),
    ],
)
def test_other_names_are_refused(name: str, part: str) -> None:
    """A name without an estimator is an error with a hint."""
    with pytest.raises(SpecError) as caught:
        spelled(name)
    assert f"the learner {name!r} {part}" in str(caught.value)
