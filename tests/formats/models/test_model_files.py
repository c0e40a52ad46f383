"""Python modules of several models, and the JSON of two segments; the golden sessions of `splc scale` have the rest."""

from __future__ import annotations

import runpy
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from splc.data.experiment import DEFAULT_METRIC, Key
from splc.formats.models.json import parts_as_json
from splc.formats.models.stored_model import scaling_file
from splc.formats.models.text import python_module
from splc.scaling import ScalingModel, fit

P = np.array([1.0, 2, 4, 8, 16])
LOWER, UPPER = (fit(P, factor * P, names="p") for factor in (1, 3))
SEGMENTS = replace(UPPER, below=LOWER, change=8.5, changing="p")


def test_json_of_segments() -> None:
    """A scaling model of two segments has that of the lower one, with its terms."""
    parts = parts_as_json(SEGMENTS)
    assert (parts["model"]["text"], parts["scaling"]["change"], parts["scaling"]["changing"]) == ("3 * p", 8.5, "p")
    below = parts["scaling"]["below"]
    assert below == parts_as_json(LOWER)
    assert (below["model"]["text"], below["scaling"]["below"], below["scaling"]["points"]) == ("1 * p", None, 5)


def functions(folder: Path, models: dict[Key, ScalingModel]) -> Sequence[object]:
    """Return the functions in the Python module of models."""
    (folder / "models.py").write_text(python_module(scaling_file(models, "x\ny")), encoding="utf-8")
    found = runpy.run_path(str(folder / "models.py"))
    assert found["__doc__"].startswith(f"{len(models)} scaling model")
    assert list(found["MODELS"]) == list(models)
    return list(found["MODELS"].values())


def test_python(tmp_path: Path) -> None:
    """A Python module has a function for each model, which changes after the end of the lower segment."""
    first, second = functions(tmp_path, {("main", DEFAULT_METRIC): LOWER, ("main->a_b", "time"): SEGMENTS})
    assert (first(2), second(8.5), second(9)) == pytest.approx((2, 8.5, 27))  # type: ignore[operator]
    assert (first.__name__, second.__name__) == ("main", "main_a_b_time")  # type: ignore[attr-defined]
    assert str(first.__doc__).startswith("main: SMAPE 0 %, adjusted R² 1 at 5 points, p = 1 … 16")


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (("a-b", "a b", "class", "2nd"), ["a_b", "a_b_2", "model_class", "model_2nd"]),
        (("math", "round", "MODELS", "ä"), ["math_2", "round_2", "MODELS_2", "model"]),
    ],
)
def test_python_names(tmp_path: Path, paths: tuple[str, ...], names: list[str]) -> None:
    """Functions have distinct names that Python allows, and hide nothing that the module uses."""
    found = functions(tmp_path, {(path, DEFAULT_METRIC): LOWER for path in paths})
    assert [function.__name__ for function in found] == names  # type: ignore[attr-defined]
