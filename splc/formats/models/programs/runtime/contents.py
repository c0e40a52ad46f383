"""The prediction program, and its public constants."""

from __future__ import annotations

import json
from typing import Any

PROGRAM: dict[str, Any] = json.loads('{"options": []}')

# Option → its values; (0, 1) for a binary option, empty if any number is allowed.
OPTIONS: dict[str, tuple[float, ...]] = {
    option["name"]: (0.0, 1.0) if option["kind"] == "binary" else tuple(option["values"])
    for option in PROGRAM["options"]
}
PROPERTY: str | None = PROGRAM.get("property")
UNIT: str | None = PROGRAM.get("unit")
# The probability that a measured value lies inside of an interval.
LEVEL: float | None = PROGRAM.get("level")

# None is a deselected numeric option.
Value = float | None


def shown(name: str) -> str:
    """Return a name as text for a terminal."""
    return name if name.isprintable() else repr(name)


class PredictionError(ValueError):
    """A configuration that cannot be predicted."""
