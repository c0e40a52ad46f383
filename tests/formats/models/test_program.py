"""Models as Python and JSON predict what the models themselves predict."""

from __future__ import annotations

import ast
import math
import runpy
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sampling import Space
from splc.arithmetic.functions import FUNCTION
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.formats.models.json import learned_json_text, parse_stored_json
from splc.formats.models.read import read_stored_model
from splc.formats.models.stored_model import StoredModel, learned_file
from splc.io.files import Source
from splc.learning import learn
from splc.learning.projection import Ensemble, general_scales
from splc.learning.projection.predictor import Stacked
from splc.learning.result import LearningResult
from splc.models.influence import EvaluationError, InfluenceModel
from splc.models.text.reader import expand_model
from splc.system.options import BinaryOption, NumericOption, alternative_options
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.support.evaluators import assignments, javascript_predictions, python_module, written
from tests.support.examples import examples
from tests.support.full_models import SYSTEMS, learned_system
from tests.support.golden_messages import Lines, check_calls
from tests.support.schemas import schema_errors
from tests.support.strategies import all_assignments, influence_models, models

HOSTILE = (
    "class", "int", "double", "OPTIONS", "a-b", "a_b", 'q"uote', "it's", "ünï", "line\nbreak", "*/ /*", "??/", "\\",
    "%s", "😀", "x^2", "log10", "1", "None", "'''", '"""',
)  # fmt: skip

REAL = [name for name in SYSTEMS if name != "smg2000"]


MADE = VariabilityModel(
    "made",
    (
        *(BinaryOption(f"b{i}") for i in range(3)),
        *alternative_options("ref", ["1", "5", "9"], ()),
        *alternative_options("codec", ["zip", "lzma", "none"], ()),
        *alternative_options("level", ["1", "2", "4", "8"], (), optional=True),
        *alternative_options("pair", ["left", "right"], ()),
        NumericOption("n", (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)),
        NumericOption("zero", (0.0, 1.0, 5.0, 20.0)),
        NumericOption("below", (-4.0, -1.0, 0.5, 3.0)),
        NumericOption("two", (3.0, 7.0)),
        NumericOption("fixed", (3.0,)),
        NumericOption("maybe", (1.0, 2.0, 3.0, 5.0), deselected_flag=-1.0),
    ),
)


def effects(configurations: Configurations) -> Array:
    """Return values of a made-up property."""
    column = configurations.column
    found: Array = 20 + 3 * column("b0") + column("n") * (1 + column("codec_lzma")) + 0.5 * column("zero") ** 2
    found += 4 * column("ref_9") + 2 * (column("below") > 0) + 2 * column("level_8")
    found += np.nan_to_num(column("maybe")) * column("pair_left")
    return found


PROPERTIES: dict[str, Callable[[Configurations], Array]] = {
    "positive": effects,
    "multiplicative": lambda configurations: np.exp(effects(configurations) / 20),
    "any sign": lambda configurations: effects(configurations) - 60,
    "with zeros": lambda configurations: np.maximum(effects(configurations) - 40, 0.0),
    "noise": lambda configurations: np.random.default_rng(3).lognormal(size=len(configurations)),
}


def result(
    system: VariabilityModel, values: Callable[[Configurations], Array], rows: int, nfp: str = "time", **settings: str
) -> LearningResult:
    """Return what is learned from values of some configurations."""
    configurations = Space(system).draw(rows, np.random.default_rng(1))
    return learn(Measurements(configurations, {nfp: values(configurations)}), nfp, settings=settings)


def learned(system: VariabilityModel, values: Callable[[Configurations], Array], rows: int, form: str) -> StoredModel:
    """Return a learned model as it is read from its file."""
    text = learned_json_text(result(system, values, rows, form=form), system)
    return parse_stored_json(Source("m.json", text.encode()))


def check(stored: StoredModel, configurations: Configurations, folder: Path, size: float = 0.0) -> None:
    """Check the programs of a model against the model itself, up to 1e-9 of the predictions, or of a size."""
    rows = assignments(configurations)
    assert schema_errors(written(stored, ".program.json")) == []
    expected = np.column_stack([stored.predictor.predict(configurations), stored.model.predict(configurations)])
    module = python_module(stored, folder)
    found = [[module["predict"](row), module["predict"](row, printed=True)] for row in rows]
    for each in (np.array(found), javascript_predictions(stored, rows)):
        np.testing.assert_allclose(each, expected, rtol=1e-9, atol=1e-9 * size)
    for intervals, printed in ((stored.intervals, False), (stored.printed_intervals, True)):
        if intervals is not None:
            ends = np.array([module["interval"](row, printed=printed) for row in rows[:2]]).T
            np.testing.assert_allclose(ends, intervals.interval(configurations[:2]), rtol=1e-9, atol=1e-9 * size)


@pytest.mark.parametrize(
    ("name", "form", "rows"),
    [
        ("positive", "sum", 16),
        ("multiplicative", "product", 16),
        *(pytest.param(name, "sum", 70, marks=pytest.mark.slow) for name in PROPERTIES),
        *(
            pytest.param(name, "product", 70, marks=pytest.mark.slow)
            for name in ("positive", "multiplicative", "noise")
        ),
    ],
)
def test_full_models(name: str, form: str, rows: int, tmp_path: Path) -> None:
    """All kinds of options, on all scales: full and printed models, and their intervals."""
    stored = learned(MADE, PROPERTIES[name], rows, form)
    others = Space(MADE).draw(40, np.random.default_rng(2))
    check(stored, others, tmp_path, float(np.abs(stored.predictor.predict(others)).max()))


def test_printed_models_beyond_a_scale(tmp_path: Path) -> None:
    """Where the printed model has no value on the scale, here a logarithm, the full model predicts alone."""
    stored = learned(MADE, PROPERTIES["any sign"], 16, "sum")
    assert isinstance(stored.full, Ensemble)
    scale = general_scales(PROPERTIES["any sign"](stored.full.configurations))[2]
    printed = InfluenceModel.of_system(expand_model("-500 + 600 * b0", MADE.term_names).expansion.items(), MADE)
    alone = replace(stored.full, scale=scale, stacked=None)
    full = replace(alone, stacked=Stacked(printed, 0.5, np.zeros(16)))
    others = Space(MADE).draw(40, np.random.default_rng(2))
    same = full.predict(others) == alone.predict(others)
    assert np.array_equal(same, others.column("b0") == 0)
    stored = replace(stored, model=printed, full=full, intervals=full, printed_intervals=None)
    check(stored, others, tmp_path, float(np.abs(full.predict(others)).max()))


def test_printed_models_on_new_settings(tmp_path: Path) -> None:
    """The printed model is no part of predictions of settings that were learned from, where the file states options."""
    stored = learned(MADE, PROPERTIES["positive"], 16, "sum")
    assert isinstance(stored.full, Ensemble)
    alone, same = replace(stored.full, stacked=None), ("n", "two", "b0")
    full = replace(alone, stacked=Stacked(stored.model, 0.5, np.zeros(16), same))
    others = Space(MADE).draw(40, np.random.default_rng(2))
    known, settings = (
        [*zip(*(each.column(name) for name in same), strict=True)] for each in (full.configurations, others)
    )
    is_known = np.array([setting in known for setting in settings])
    assert 0 < is_known.sum() < len(others)
    assert np.array_equal(full.predict(others) == alone.predict(others), is_known)
    stored = replace(stored, full=full, intervals=full, printed_intervals=None)
    check(stored, others, tmp_path, float(np.abs(full.predict(others)).max()))


@pytest.mark.parametrize(
    "name", ["smg2000", *(pytest.param(name, marks=[pytest.mark.real_data, pytest.mark.slow]) for name in REAL)]
)
def test_real_systems(name: str, tmp_path: Path) -> None:
    """Models of real systems."""
    found = learned_system(name, tmp_path)
    check(read_stored_model(found.file), found.measured.configurations[:60], tmp_path)


@pytest.mark.parametrize("rows", [16, pytest.param(80, marks=pytest.mark.slow)])
def test_hostile_names(rows: int, tmp_path: Path) -> None:
    """Names that are words or signs of Python and JSON."""
    system = VariabilityModel(
        "a */ \"\"\" '''\n??/", (*map(BinaryOption, HOSTILE), NumericOption("px", (1.0, 2.0, 8.0)))
    )

    def values(configurations: Configurations) -> Array:
        own = [configurations.column(name) for name in HOSTILE]
        weighted = sum((at + 1) * each for at, each in enumerate(own))
        return np.asarray(30 + weighted + own[0] * own[1] * configurations.column("px"))

    (stored,) = learned_file(result(system, values, rows, "time */ \n"), "", system=system).models
    configurations = Space(system).draw(10, np.random.default_rng(1))
    check(stored, configurations, tmp_path)
    with pytest.raises(ValueError, match="did you mean 'class'"):
        python_module(stored, tmp_path)["predict"]({**assignments(configurations)[0], "clas": 1})


@st.composite
def printed_models(draw: st.DrawFn) -> tuple[StoredModel, Configurations]:
    """Draw a model over the options of a system, with some of its configurations."""
    system = draw(models(most_constraints=0))
    model = draw(influence_models(system))
    configurations = all_assignments(system)
    picked = draw(st.lists(st.integers(0, len(configurations) - 1), min_size=1, max_size=6))
    return StoredModel(model, "time", system=system), configurations[np.array(picked)]


@examples(6)
@given(drawn=printed_models())
def test_printed_models(drawn: tuple[StoredModel, Configurations], tmp_path_factory: pytest.TempPathFactory) -> None:
    """Random printed models, with deselected options, switches, thresholds and saturations."""
    stored, configurations = drawn
    try:
        stored.model.predict(configurations)
    except EvaluationError:
        assume(False)
    check(stored, configurations, tmp_path_factory.mktemp("model"), 1.0)


@pytest.mark.parametrize(
    "text",
    [
        "3 + 2 * n^(3/2) * log2(n + 1)^2 - 0.5 / (n + zero) + sqrt(n)"
        " + ceil(n / 3) * 2 + floor(0.7 * zero + 3 * 0.1) - [n >= 4] + [zero < 5] * b0 + [n > 2] * [n <= 8]"
        " + max(n, 2 * zero, 5) + min(n, zero) + exp(-n / 8) + (1 + n)^(0.1 * zero)"
        " + 2^n * 1e-6 + 4 * maybe * b1 + 3 / (maybe + 1) + log10(maybe)",
        "7",
        " + ".join(f"{name}(n / 8 + 1)" for name in FUNCTION),
    ],
)
def test_functions(text: str, tmp_path: Path) -> None:
    """Every function of model text."""
    found = expand_model(text, MADE.term_names)
    model = InfluenceModel.from_terms(found.expansion, MADE.term_order, derived=found.derived)
    check(StoredModel(model, system=MADE), Space(MADE).draw(60, np.random.default_rng(5)), tmp_path, 1.0)


def test_without_a_system(tmp_path: Path) -> None:
    """A model of unknown options predicts any numbers."""
    found = expand_model("2 + 3 * x * log2(y)", None)
    module = python_module(StoredModel(InfluenceModel.from_terms(found.expansion, ("x", "y"))), tmp_path)
    assert module["OPTIONS"] == {"x": (), "y": ()}
    assert math.isclose(module["predict"]({"x": 2, "y": "8"}), 20)
    assert module["predict"]({"x": 2, "y": None}) == 2


ONE = {
    **{"b0": 1, "b1": 0, "b2": 1, "ref_1": 1, "ref_5": 0, "ref_9": 0},
    **{"codec_zip": 1, "codec_lzma": 0, "codec_none": 0, "level": 1, "level_1": 0, "level_2": 1, "level_4": 0},
    **{"level_8": 0, "pair_left": 1, "pair_right": 0, "n": 4, "zero": 5, "below": 3, "two": 7, "maybe": 2},
}


@pytest.fixture(scope="module")
def stored() -> StoredModel:
    """Return a learned model."""
    return learned(MADE, effects, 24, "sum")


@pytest.fixture(scope="module")
def folder(stored: StoredModel, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with an exported model."""
    found = tmp_path_factory.mktemp("exported")
    (found / "exported.py").write_text(written(stored, ".py"), encoding="utf-8")
    return found


@pytest.fixture(scope="module")
def module(folder: Path) -> Any:
    """Return the names of the exported module."""
    return runpy.run_path(str(folder / "exported.py"))


def command(folder: Path, *arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    """Run the exported module alone, without site packages."""
    return subprocess.run(
        [sys.executable, "-I", "-S", "-W", "error", "exported.py", *arguments],
        cwd=folder,
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )


def test_standard_library_only(stored: StoredModel, folder: Path) -> None:
    """The module imports modules of Python only; modules of the same model are the same."""
    text = (folder / "exported.py").read_text(encoding="utf-8")
    assert text == written(stored, ".py")
    tree = ast.parse(text)
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name.partition(".")[0] for name in names} <= sys.stdlib_module_names


def test_calls(module: Any) -> None:
    """A module has the options with their values, and says what is wrong; other values are predicted on request."""
    predict = module["predict"]
    plain = {name: value for name, value in ONE.items() if not name.startswith(("codec", "level"))}

    def same(configuration: dict[str, Any], change: dict[str, Any], **choice: bool) -> Any:
        try:
            return bool(predict({**configuration, **change}, **choice) == predict(ONE))
        except module["PredictionError"] as error:
            return Lines(error)

    names = {name: module[name] for name in ("PROPERTY", "UNIT", "LEVEL", "OPTIONS")}
    check_calls("exported-programs", same, ONE=ONE, PLAIN=plain, **names)
    assert predict({**plain, "codec": "zip", "level": ""}) == predict({**ONE, "level": 0, "level_2": 0})


def test_command(folder: Path, module: Any) -> None:
    """The command prints a prediction, with its interval on request; mistakes end with exit code 2."""
    words = [f"{name}={value}" for name, value in ONE.items()]
    assert float(command(folder, *words).stdout) == module["predict"](ONE)
    assert float(command(folder, *words, "--printed").stdout) == module["predict"](ONE, printed=True)
    numbers = [float(each) for each in command(folder, *words, "--interval").stdout.split()]
    assert tuple(numbers) == (module["predict"](ONE), *module["interval"](ONE))
    wrong = command(folder, *words[1:], "b0")
    assert (wrong.returncode, wrong.stdout, wrong.stderr) == (2, "", "error: 'b0' is not OPTION=VALUE\n")


@pytest.mark.parametrize("delimiter", [",", ";"])
def test_tables(delimiter: str, folder: Path, module: Any) -> None:
    """Tables keep their columns, in any order; an error names the line, and nothing is printed."""
    rows = assignments(Space(MADE).draw(5, np.random.default_rng(8)))
    names = [*reversed(rows[0]), "remark"]
    lines = [
        [*names],
        *(["" if row.get(name) is None else repr(row[name]) for name in names[:-1]] + ["x y"] for row in rows),
    ]
    text = "\ufeff" + "\n".join(map(delimiter.join, lines)) + "\n"
    found = [line.split(delimiter) for line in command(folder, text=text).stdout.splitlines()]
    assert found[0] == [*names, "predicted"]
    assert [float(line[-1]) for line in found[1:]] == [module["predict"](row) for row in rows]
    assert [line[:-1] for line in found[1:]] == lines[1:]
    lines[3][names.index("n")] = "5"
    wrong = command(folder, text="\n".join(map(delimiter.join, lines)))
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr.startswith("error: line 4: n cannot be 5")
    assert command(folder).stderr == "error: there is no table on standard input\n"
