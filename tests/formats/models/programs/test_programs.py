"""Models as Python and JSON predict what the models themselves predict."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sampling import Space
from splc.arithmetic.functions import FUNCTION
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.formats.models.json import learned_json_text, parse_stored_json
from splc.formats.models.programs.program import program_of
from splc.formats.models.programs.python_program import program_text
from splc.formats.models.read import read_stored_model
from splc.formats.models.stored_model import StoredModel
from splc.io.files import Source
from splc.learning import learn
from splc.models.influence import EvaluationError, InfluenceModel
from splc.models.text.reader import expand_model
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.support.evaluators import assignments, javascript_predictions, python_module
from tests.support.examples import examples
from tests.support.full_models import SYSTEMS, learned_system
from tests.support.influence_strategies import influence_models
from tests.support.schemas import schema_errors
from tests.support.strategies import all_assignments, models

HOSTILE = (
    "class", "int", "double", "OPTIONS", "a-b", "a_b", 'q"uote', "it's", "ünï", "line\nbreak", "*/ /*", "??/", "\\",
    "%s", "😀", "x^2", "log10", "1", "None", "'''", '"""',
)  # fmt: skip

REAL = [name for name in SYSTEMS if name != "smg2000"]


def group(stem: str, names: list[str], optional: bool = False) -> list[BinaryOption]:
    """Return an option with an alternative group as its children."""
    children = [f"{stem}_{name}" for name in names]
    others = {name: tuple((each,) for each in children if each != name) for name in children}
    return [
        BinaryOption(stem, optional=optional),
        *(BinaryOption(name, stem, optional=False, excluded=others[name]) for name in children),
    ]


MADE = VariabilityModel(
    "made",
    (
        *(BinaryOption(f"b{i}") for i in range(3)),
        *group("ref", ["1", "5", "9"]),
        *group("codec", ["zip", "lzma", "none"]),
        *group("level", ["1", "2", "4", "8"], optional=True),
        *group("pair", ["left", "right"]),
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
    maybe = np.nan_to_num(column("maybe"))
    found: Array = 20 + 3 * column("b0") + column("n") * (1 + column("codec_lzma")) + 0.5 * column("zero") ** 2
    found = (
        found + 4 * column("ref_9") + 2 * (column("below") > 0) + maybe * column("pair_left") + 2 * column("level_8")
    )
    return found


PROPERTIES: dict[str, Callable[[Configurations], Array]] = {
    "positive": effects,
    "multiplicative": lambda configurations: np.exp(effects(configurations) / 20),
    "any sign": lambda configurations: effects(configurations) - 60,
    "with zeros": lambda configurations: np.maximum(effects(configurations) - 40, 0.0),
    "noise": lambda configurations: np.random.default_rng(3).lognormal(size=len(configurations)),
}


def learned(system: VariabilityModel, values: Callable[[Configurations], Array], rows: int, form: str) -> StoredModel:
    """Return a learned model as it is read from its file."""
    configurations = Space(system).draw(rows, np.random.default_rng(1))
    measured = Measurements.from_columns(system, {**configurations.to_columns(), "time": values(configurations)})
    result = learn(measured, "time", settings={"form": form})
    return parse_stored_json(Source("m.json", learned_json_text(result, system).encode()))


def check(stored: StoredModel, configurations: Configurations, folder: Path, size: float = 0.0) -> None:
    """Check the programs of a model against the model itself, up to 1e-9 of the predictions, or of a size."""
    rows = assignments(configurations)
    assert schema_errors(program_text(program_of(stored))) == []
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


@pytest.mark.parametrize(
    "name",
    ["smg2000", *(pytest.param(name, marks=[pytest.mark.real_data, pytest.mark.slow]) for name in REAL)],
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
        found: Array = (
            30 + sum((i + 1) * each for i, each in enumerate(own)) + own[0] * own[1] * configurations.column("px")
        )
        return found

    configurations = Space(system).draw(rows, np.random.default_rng(1))
    result = learn(
        Measurements.from_columns(system, {**configurations.to_columns(), "time": values(configurations)}), "time"
    )
    stored = StoredModel(
        result.model,
        "time */ \n",
        full=result.intervals,  # type: ignore[arg-type]
        intervals=result.intervals,
        printed_intervals=result.printed_intervals,
        system=system,
    )
    check(stored, configurations[:10], tmp_path)
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
    file = tmp_path / "model.txt"
    file.write_text("2 + 3 * x * log2(y)", encoding="utf-8")
    module = python_module(read_stored_model(file), tmp_path)
    assert module["OPTIONS"] == {"x": (), "y": ()}
    assert math.isclose(module["predict"]({"x": 2, "y": "8"}), 20)
    assert module["predict"]({"x": 2, "y": None}) == 2
