"""Keys of configuration files, and options of commands: each is documented, and does something."""

from __future__ import annotations

import dataclasses
import inspect
import json
import re
from functools import cache
from typing import Any

import pytest
import typer

from docs.reference_pages import command_page, with_settings
from splc.cli.app import COMMANDS, app, summary_of
from splc.formats.models.read import QUANTITY_KEYS
from splc.io.settings import settings_in
from splc.learning import LEARNERS, Settings
from splc.learning.baselines import SETTINGS as BASELINES
from splc.learning.projection import ProjectionSettings
from splc.project.files import CONVENTIONS
from splc.project.keys import PROJECT_KEYS
from splc.scaling.fit import fit
from splc.scaling.methods import METHODS, SETTINGS, parsed_settings, settings_of
from splc.study import Study, StudyLearner, specification
from splc.study.specification import KEYS as STUDY_KEYS
from tests.support.paths import ROOT
from tests.support.tracked import PAGES, tracked

# Of typer: the pages need not explain them.
GENERAL = {"--help", "--install-completion", "--show-completion"}


@cache
def options() -> tuple[tuple[str, str], ...]:
    """Return the name of each command with each of its options, long names only."""
    group: Any = typer.main.get_command(app)
    context = typer.Context(group)
    commands = {"splc": group, **{name: group.get_command(context, name) for name in group.list_commands(context)}}
    return tuple(
        (name, option)
        for name, command in commands.items()
        for parameter in command.params
        for option in (*parameter.opts, *parameter.secondary_opts)
        if option.startswith("--") and option not in GENERAL
    )


def code(text: str) -> str:
    """Return what a page sets as code: blocks, and text in backticks."""
    blocks = re.findall(r"```.*?```|^    .*$", text, re.DOTALL | re.MULTILINE)
    return "\n".join((*blocks, *re.findall(r"`[^`\n]+`", text)))


SHOWN = "\n".join(code(page.read_text(encoding="utf-8")) for page in PAGES)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_page_of_a_command_names_its_options(command: str) -> None:
    """Each option of a command has a row in a table of the page of the command."""
    rows = re.findall(r"^\| ([^|]*)", command_page(command).replace("\\|", "/"), re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`(--[a-z-]+)(?: [^`]+)?`", row)}
    assert {option for name, option in options() if name == command} <= named


def test_no_page_names_an_option_that_no_command_has() -> None:
    """Each `splc COMMAND … --option` in a page names an option of that command."""
    known: dict[str, set[str]] = {}
    for command, option in options():
        known.setdefault(command, set()).add(option)
    for line in re.findall(r"splc [a-z]+ .*", SHOWN):
        command = line.split()[1]
        for option in re.findall(r"(?<=\s)--[a-z][a-z-]*", line.split(" | ")[0].split('--command "')[0]):
            assert option in (known.get(command) or GENERAL) | GENERAL, line


@pytest.mark.parametrize("command", COMMANDS)
def test_pages_of_commands(command: str) -> None:
    """The page of a command has its summary, its examples, and each table once."""
    page = command_page(command)
    headings = re.findall("^## (.*)$", page, re.MULTILINE)
    assert page.startswith(f"# splc {command}\n\n{summary_of(command).split('.')[0]}")
    assert f"    splc {command}" in page
    assert len(headings) == len(set(headings)) >= 2


Table = dict[str, dict[str, str]]
PAGE = ROOT / "docs" / "reference" / "configuration.md"


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


TABLES = tables(with_settings(PAGE.read_text(encoding="utf-8")))


def only(heading: str) -> Table:
    """Return the only table below a heading."""
    (table,) = TABLES[heading]
    return table


def default(table: Table, key: str) -> str:
    """Return the stated default without backticks."""
    return table[key]["default"].replace("`", "")


def test_project_files() -> None:
    """The table of `splc.toml` has the files that are found without keys."""
    table = only("Project files: splc.toml")
    for key, files in CONVENTIONS.items():
        assert default(table, key) == ", or ".join(file for file in files if not file.endswith(".gz"))


def plain(value: Any) -> Any:
    """Return a default as TOML has it."""
    return list(value) if isinstance(value, tuple) else value


def test_study_files() -> None:
    """Defaults of study files that are values are those of `Study`."""
    table = only("Study files: study.toml")
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
    assert set(table) == {specification.LEARNER, specification.PRESET, specification.OBSERVED, specification.SUM}
    defaults = {
        specification.LEARNER: StudyLearner().kind,
        specification.PRESET: StudyLearner().preset,
        specification.OBSERVED: StudyLearner().observed,
        specification.SUM: StudyLearner().parts,
    }
    for key, value in defaults.items():
        assert json.loads(default(table, key)) == plain(value)


def test_generated_tables() -> None:
    """The tables have a row for each key and setting; a page without a place for one is refused."""
    assert set(only("Project files: splc.toml")) == set(PROJECT_KEYS)
    assert set(only("Study files: study.toml")) == set(STUDY_KEYS)
    assert set(only("Settings of the learner projection")) == set(settings_in(ProjectionSettings))
    assert set(TABLES["Settings of the learner stepwise"][0]) == set(settings_in(Settings))
    assert set(only("Settings of the learner pmnf")) == set(SETTINGS)
    assert len(only("Settings of baselines")) == sum(map(len, BASELINES.values()))
    with pytest.raises(ValueError, match="no place for the table"):
        with_settings("A page.")


def test_sections_of_further_learners() -> None:
    """The settings of a learner without a section of its own are in a section that is made for it."""
    page = PAGE.read_text(encoding="utf-8").replace("<!-- settings of projection -->\n", "")
    page = page.replace("## Settings of the learner `projection`", "## Another section")
    assert set(tables(with_settings(page))["Settings of the learner projection"][0]) == set(
        settings_in(ProjectionSettings)
    )


def test_defaults_of_pmnf() -> None:
    """The stated settings of `fit` are its arguments, with their defaults."""
    parameters = inspect.signature(fit).parameters
    assert {*SETTINGS} == {key for key in parameters if key not in ("x", "y", "names")}
    assert SETTINGS["method"].default == parameters["method"].default
    assert SETTINGS["segmented"].default is parameters["segmented"].default
    assert [settings_of(method).aggregate for method in METHODS] == ["robust", *["mean"] * 4]
    stated = {key: SETTINGS[key].shown.strip("`") for key in ("terms", "criterion", "exponents")}
    assert settings_of("classic") == settings_of(**parsed_settings({"method": "classic", **stated}))
    assert settings_of("classic") != settings_of("classic", exponents="extrap")


def test_every_learner_is_named() -> None:
    """The keys of learners of studies name every learner."""
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
