"""Messages about suggestions of points that cannot be made."""

from __future__ import annotations

import json

from splc.scaling import suggest
from tests.scaling.suggestion.test_strategies import CROSS, hidden
from tests.support.golden_messages import check_messages


def test_suggestions() -> None:
    """Wrong targets, strategies, limits, axes and values are refused with the reason."""

    def reject(text: str) -> None:
        arguments = json.loads(text)
        suggest(CROSS, arguments.pop("y", hidden(CROSS)), names=["p", "n"], **arguments)

    check_messages("suggestions", reject)
