"""Files of one model and of several, in every format."""

from __future__ import annotations

import json
import runpy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from splc import __version__
from splc.data.experiment import DEFAULT_METRIC, ROOT_CALLPATH, Key
from splc.errors import OutputError
from splc.formats.models.entries import Entry, ModelFile
from splc.formats.models.json_objects import ModelPartsObject
from splc.formats.models.json_writer import models_json_text
from splc.formats.models.latex import latex_table
from splc.formats.models.python import python_module
from splc.formats.models.text import models_text
from splc.formats.models.writers import models_log_text
from splc.io.json_object import json_object
from splc.models.influence import InfluenceModel
from splc.models.terms import CONSTANT, option_term
from splc.scaling import fit


def model(*influences: float) -> InfluenceModel:
    """Return a model of `p`: a constant, `p` and `p^2` with these influences."""
    terms = zip((CONSTANT, option_term("p"), option_term("p", 2)), influences, strict=False)
    return InfluenceModel.from_terms([(term, influence) for term, influence in terms if influence], ("p",))


def file(*keys: Key) -> ModelFile:
    """Return a file of models, the second of which has two segments."""
    entries = [Entry(key, model(number, 2.5), ("p",), "5 points", 1.23456) for number, key in enumerate(keys, 1)]
    if len(entries) > 1:
        entries[1] = Entry(keys[1], model(0, 0, 3), ("p",), "", None, model(7.0), 8.5, "p")
    return ModelFile(tuple(entries), "models\nof x", {"seed": 3})


ONE = file((ROOT_CALLPATH, "time"))
TWO = file(("main", DEFAULT_METRIC), ("main->a_b", "time"))


def test_text() -> None:
    """Text has the models below comments; an empty line is before each of several."""
    assert models_text(ONE) == "# models of x\n# time: 5 points\n1 + 2.5 * p\n"
    assert models_text(TWO) == (
        "# models of x\n\n# main: 5 points\n1 + 2.5 * p\n"
        "\n# main->a_b, time\n# beyond p = 8.5; up to there it is 7\n3 * p^2\n"
    )


def test_json() -> None:
    """JSON has the only model itself, with its metric as property, or a list of models."""
    only = json.loads(models_json_text(ONE))
    assert (only["version"], only["callpath"], only["metric"], only["nfp"], only["seed"]) == (
        __version__,
        ROOT_CALLPATH,
        "time",
        "time",
        3,
    )
    assert only["model"]["text"] == "1 + 2.5 * p"
    assert "nfp" not in json.loads(models_json_text(file(("main", DEFAULT_METRIC))))
    several = json.loads(models_json_text(TWO))
    assert (several["version"], several["seed"]) == (__version__, 3)
    assert [(each["callpath"], each["metric"], each["model"]["text"]) for each in several["models"]] == [
        ("main", DEFAULT_METRIC, "1 + 2.5 * p"),
        ("main->a_b", "time", "3 * p^2"),
    ]


def test_json_of_segments() -> None:
    """A scaling model of two segments has that of the lower one, with its terms."""
    lower, upper = (fit(np.array([1.0, 2, 4, 8, 16]), factor * np.array([1.0, 2, 4, 8, 16])) for factor in (1, 3))
    parts = json_object(ModelPartsObject, replace(upper, below=lower, change=16.0, changing="x"))
    assert (parts["model"]["text"], parts["scaling"]["change"], parts["scaling"]["changing"]) == ("3 * x", 16.0, "x")
    below = parts["scaling"]["below"]
    assert below == json_object(ModelPartsObject, lower)
    assert (below["model"]["text"], below["scaling"]["below"], below["scaling"]["points"]) == ("1 * x", None, 5)


def test_logs() -> None:
    """A log has the metric as property, unless it is the default; it holds neither several models nor segments."""
    assert "time" in models_log_text(ONE)
    assert DEFAULT_METRIC not in models_log_text(file(("main", DEFAULT_METRIC)))
    with pytest.raises(OutputError) as caught:
        models_log_text(TWO)
    assert str(caught.value).split("\n    ") == ["a log holds one model", "write .json, .txt, .py or .tex"]
    with pytest.raises(OutputError) as caught:
        models_log_text(ModelFile(TWO.entries[1:], ""))
    expected = ["a log cannot hold a model of two segments", "write it as .json, .txt or .py"]
    assert str(caught.value).split("\n    ") == expected


def test_latex() -> None:
    """LaTeX has a row per segment, without columns in which all models have the default name."""
    assert latex_table(ONE).splitlines() == [
        "% models of x",
        r"\begin{tabular}{llr}",
        r"\hline",
        r"metric & model & error (\%) \\",
        r"\hline",
        r"time & $1 + 2.5 \cdot p$ & $1.23$ \\",
        r"\hline",
        r"\end{tabular}",
    ]
    assert latex_table(TWO).splitlines()[1:-1] == [
        r"\begin{tabular}{lllr}",
        r"\hline",
        r"call path & metric & model & error (\%) \\",
        r"\hline",
        r"main & $<$default$>$ & $1 + 2.5 \cdot p$ & $1.23$ \\",
        r"main-$>$a\_b & time & $7$ \quad (p $\leq 8.5$) &  \\",
        r" &  & $3 \cdot p^{2}$ &  \\",
        r"\hline",
    ]


def test_python(tmp_path: Path) -> None:
    """A Python module has a function for each model, which changes after the end of the lower segment."""
    (tmp_path / "models.py").write_text(python_module(TWO), encoding="utf-8")
    functions = runpy.run_path(str(tmp_path / "models.py"))["MODELS"]
    first, second = functions["main", DEFAULT_METRIC], functions["main->a_b", "time"]
    assert (first(2), second(8.5), second(9)) == (6, 7, 243)
    assert (first.__name__, second.__name__) == ("main", "main_a_b_time")
    assert (first.__doc__, second.__doc__) == ("main: 5 points.", "main->a_b, time.")


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (("a-b", "a b", "class", "2nd"), ["a_b", "a_b_2", "model_class", "model_2nd"]),
        (("math", "round", "MODELS", "ä"), ["math_2", "round_2", "MODELS_2", "model"]),
    ],
)
def test_python_names(tmp_path: Path, paths: tuple[str, ...], names: list[str]) -> None:
    """Functions have distinct names that Python allows, and hide nothing that the module uses."""
    (tmp_path / "models.py").write_text(python_module(file(*((path, DEFAULT_METRIC) for path in paths))))
    functions = runpy.run_path(str(tmp_path / "models.py"))["MODELS"]
    assert [function.__name__ for function in functions.values()] == names
