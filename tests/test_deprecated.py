from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sampling import Space, draw_sample, sample
from splc import (
    BinaryOption,
    Configurations,
    Measurements,
    NumericOption,
    VariabilityModel,
    read_measurements,
    read_model,
)

SYSTEM = VariabilityModel("system", (BinaryOption("b"), NumericOption("x", (1.0, 2.0))))
ONE = Configurations(SYSTEM, np.array([[1, 0]]))
# mypy knows only the new names.
OLD: dict[str, Any] = {"model": SYSTEM}


@pytest.mark.parametrize("value", [ONE, Measurements(ONE, {"time": np.array([1.0])}), Space(SYSTEM)])
def test_the_attribute_model_is_system(value: Any) -> None:
    """`.model` of values that belong to a system is `.system`, with a warning that names both."""
    with pytest.warns(DeprecationWarning, match=rf"{type(value).__name__}\.model is deprecated; use \.system") as found:
        assert value.model is value.system is SYSTEM
    assert Path(found[0].filename) == Path(__file__)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: Configurations(indices=ONE.indices, **OLD), "Configurations"),
        (lambda: Configurations.from_columns(columns={"b": [1], "x": [1]}, **OLD), r"Configurations\.from_columns"),
        (lambda: Space(**OLD).enumerate()[[2]], "Space"),
        (lambda: sample(spec="all+ff", **OLD)[[2]], "sample"),
        (lambda: draw_sample(spec="all+ff", **OLD).configurations[[2]], "draw_sample"),
    ],
)
def test_the_argument_model_is_system(call: Callable[[], Configurations], name: str) -> None:
    """The keyword `model` of functions that take a system is `system`, with a warning."""
    message = rf"the argument 'model' of {name} is deprecated; use 'system'"
    with pytest.warns(DeprecationWarning, match=message) as found:
        assert call() == ONE
    assert Path(found[0].filename) == Path(__file__)


def test_the_argument_model_of_read_measurements(tmp_path: Path) -> None:
    """`read_measurements(path, model=…)` reads as with `system=…`."""
    file = tmp_path / "measurements.csv"
    file.write_text("b,x,time\n1,1,3\n", encoding="utf-8")
    with pytest.warns(DeprecationWarning, match="use 'system'"):
        assert read_measurements(file, **OLD).configurations == ONE


def test_old_and_new_argument() -> None:
    """Both spellings of an argument at once are refused."""
    refused = pytest.raises(TypeError, match="'model' and 'system' are the same argument")
    with pytest.warns(DeprecationWarning, match="deprecated"), refused:
        sample(spec="all", system=SYSTEM, **OLD)


def test_the_argument_variability_model_of_read_model(tmp_path: Path) -> None:
    """`read_model(path, variability_model=…)` reads as with `system=…`."""
    file = tmp_path / "model.txt"
    file.write_text("5 + x\n", encoding="utf-8")
    old: dict[str, Any] = {"variability_model": SYSTEM}
    with pytest.warns(DeprecationWarning, match="the argument 'variability_model' of read_model is deprecated"):
        assert read_model(file, **old) == read_model(file, SYSTEM)
