"""The page `docs/configuration.md` names the keys and settings of the code, with the same defaults."""

from __future__ import annotations

import dataclasses
import inspect
import json
import re
from typing import Any

import pytest

from splc.formats.models.parameters import QUANTITY_KEYS
from splc.learning import LEARNERS, learner_of
from splc.learning.baselines.methods import METHODS as BASELINES
from splc.learning.projection.settings import ProjectionSettings
from splc.learning.stepwise.settings import PRESETS, WITHOUT_EFFECT, Settings
from splc.project import config
from splc.project.files import ANALYTICAL_FILES, MEASUREMENT_FILES, PARAMETER_FILES
from splc.scaling.fit import fit
from splc.scaling.methods import METHODS, settings_of
from splc.study import learners, reader, reference
from splc.study.specification import Study, StudyLearner
from tests.support.paths import ROOT
from tests.support.tracked import tracked

Table = dict[str, dict[str, str]]
PAGE = ROOT / "docs" / "configuration.md"


def tables(text: str) -> dict[str, list[Table]]:
    """Return heading → its tables; a table is: first cell of a row without backticks → column → cell."""
    found: dict[str, list[Table]] = {}
    heading, header = "", None
    for line in text.splitlines():
        if line.startswith("#"):
            heading = line.lstrip("# ").replace("`", "")
        if not line.startswith("|"):
            header = None
            continue
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip("|"))]
        if header is None:
            header = cells
            found.setdefault(heading, []).append({})
        elif not set(line) <= set("|-"):
            found[heading][-1][cells[0].strip("`")] = dict(zip(header, cells, strict=True))
    return found


TABLES = tables(PAGE.read_text(encoding="utf-8"))


def only(heading: str) -> Table:
    """Return the only table below a heading."""
    (table,) = TABLES[heading]
    return table


def default(table: Table, key: str) -> str:
    """Return the stated default without backticks."""
    return table[key]["default"].replace("`", "")


def test_project_files() -> None:
    """The table of `splc.toml` has every key of the reader, and the files that are found without keys."""
    table = only("Project files: splc.toml")
    assert set(table) == {*config.KEYS, config.OBSERVED, *config.COLUMNS, f"[{config.LEARNING}]"}
    for key, files in (
        ("measurements", MEASUREMENT_FILES), ("analytical", ANALYTICAL_FILES), ("parameters", PARAMETER_FILES)
    ):  # fmt: skip
        assert default(table, key) == ", or ".join(file for file in files if not file.endswith(".gz"))


def plain(value: Any) -> Any:
    """Return a default as TOML has it."""
    return list(value) if isinstance(value, tuple) else value


def test_study_files() -> None:
    """The table of study files has every key of the reader; defaults that are values are those of `Study`."""
    table = only("Study files: study.toml")
    assert set(table) == set(reader.KEYS)
    fields = {field.name: field for field in dataclasses.fields(Study)}
    compared = 0
    for key, field in fields.items():
        if key in table and field.default not in (dataclasses.MISSING, None):
            assert json.loads(default(table, key)) == plain(field.default), key
            compared += 1
    assert compared == 8


def test_learners_of_studies() -> None:
    """The table of `[learners.NAME]` has every key beside the settings, with its default."""
    table = only("Learners: [learners.NAME]")
    assert set(table) == {learners.LEARNER, learners.PRESET, learners.OBSERVED, learners.SUM}
    defaults = {
        learners.LEARNER: StudyLearner().kind,
        learners.PRESET: StudyLearner().preset,
        learners.OBSERVED: StudyLearner().observed,
        learners.SUM: StudyLearner().parts,
    }
    for key, value in defaults.items():
        assert json.loads(default(table, key)) == plain(value)


def test_published_values() -> None:
    """The table of `[reference]` has every group, and the default title."""
    table = only("Published values: [reference]")
    assert set(table) == {"title", *reference.GROUPS}
    assert json.loads(default(table, "title")) == reference.TITLE


def test_settings_of_projection() -> None:
    """The page has every setting of the default learner, with its default."""
    table = only("Settings of the learner projection")
    assert set(table) == {field.name for field in dataclasses.fields(ProjectionSettings)}
    assert ProjectionSettings.of({key: default(table, key) for key in table}) == ProjectionSettings()


@pytest.mark.parametrize("name", list(PRESETS))
def test_settings_of_stepwise(name: str) -> None:
    """The page has every setting of the stepwise learner, with its value in each preset."""
    table, _ = TABLES["Settings of the learner stepwise"]
    values = dataclasses.asdict(PRESETS[name])
    assert set(table) == set(values)
    for key, value in values.items():
        assert getattr(Settings().changed({key: table[key][name].strip("`")}), key) == value, key


def test_settings_without_effect() -> None:
    """The page has the settings that have no effect."""
    _, table = TABLES["Settings of the learner stepwise"]
    assert set(table) == set(WITHOUT_EFFECT)


def test_settings_of_pmnf() -> None:
    """The page has every setting of `fit`, the methods that have it, and the default of each method."""
    table = only("Settings of the learner pmnf")
    parameters = inspect.signature(fit).parameters
    settings = {key for key in parameters if key not in ("x", "y", "names")}
    assert set(table) == settings
    assert default(table, "method") == parameters["method"].default
    assert default(table, "segmented") == str(parameters["segmented"].default).lower()
    for key in settings - {"method", "aggregate", "segmented"}:
        methods = [method for method, own in METHODS.items() if key in own]
        assert table[key]["methods"] == ", ".join(f"`{method}`" for method in methods)
    assert [settings_of(method).aggregate for method in METHODS] == ["robust", *["mean"] * 4]
    assert default(table, "aggregate") == "robust for default, else mean"
    classic = settings_of("classic")
    assert default(table, "terms") == str(classic.terms)
    assert default(table, "criterion") == classic.criterion
    assert classic == settings_of("classic", exponents=default(table, "exponents"))
    assert classic != settings_of("classic", exponents="extrap")


def test_settings_of_baselines() -> None:
    """The page has every setting of every baseline with its default, and the keys name every learner."""
    table = only("Settings of baselines")
    assert set(table) == {f"{setting}` of `{name}" for name, method in BASELINES.items() for setting in method.settings}
    for name in BASELINES:
        for setting, value in learner_of(name).settings.items():
            assert json.loads(default(table, f"{setting}` of `{name}")) == value
    learner = only("Learners: [learners.NAME]")["learner"]["meaning"]
    assert re.findall("`(.*?)`", learner) == list(LEARNERS)


def test_parameters_files() -> None:
    """The page has every key of a number of a parameters file."""
    _, numbers, rows = TABLES["Parameters files"]
    assert set(numbers) == set(QUANTITY_KEYS)
    assert set(rows) == {"by", "a number"}


def test_environment_variables() -> None:
    """The page has every environment variable that the code names."""
    named: set[str] = set()
    for file in tracked(ROOT / "splc", pattern="*.py"):
        text = file.read_text(encoding="utf-8")
        named |= set(re.findall(r'"(SPLC_[A-Z_]+)"', text))
    assert set(only("Environment variables")) == named | {"NO_COLOR"}
