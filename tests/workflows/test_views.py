"""Views of results, and requests: fields from texts, calls from Python, standard input."""

from __future__ import annotations

import io
import itertools
import json
import re
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from comparison.changes import ModelChange, SetChange, TermChange, Undetermined
from sampling import Space
from sampling.space.analysis import Description
from splc.cli.app import app, verb_of
from splc.cli.signature import print_view
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.data.summary import Drift, PropertySummary
from splc.errors import RequestError
from splc.formats.models.stored_model import StoredModel
from splc.io.json import plain_values
from splc.learning.effects import Effect, OptionEffects, option_effects
from splc.learning.result import InfluenceEstimate
from splc.models.influence import InfluenceModel
from splc.models.terms import CONSTANT, option_term
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.workflows import describe, fields
from splc.workflows.describe import MeasuredSummary, view_of_measurements
from splc.workflows.fields import names_in, number_or
from splc.workflows.learn.effects import Change, mean_ratio, view_of_effects, view_of_influences
from splc.workflows.measure.outcome import Outputs
from splc.workflows.optimize import view as optimize
from splc.workflows.optimize.objectives import Objective
from splc.workflows.optimize.optimize import PropertyValue, RatedConfiguration, Result
from splc.workflows.prediction_notes import ExpectedError, factor_text, known_settings_notes, outside_notes
from splc.workflows.scale.tree import CallPath, CallTree, view_of_trees
from splc.workflows.views import Detail, View, Watch
from tests.budget import PRODUCT, files
from tests.cli import conftest as small
from tests.support.golden_messages import Lines, check_calls, printed
from tests.support.learning_results import small_system

SURE = InfluenceEstimate(CONSTANT, 2.0, 0.123, 1.23456, 2.5, 1.0)
UNSURE = InfluenceEstimate(CONSTANT, 2.0, 0.123, -1.0, 2.5, 0.9)


def group(*effects: Effect, name: str = "a", share: float | None = 10.0, levels: bool = False) -> OptionEffects:
    """Return the effects of an option."""
    return OptionEffects((name,) if name else (), share, effects, levels)


def levels(
    count: int, influence: float | None, factor: str = "", estimate: InfluenceEstimate | None = None
) -> OptionEffects:
    """Return effects that differ in the member of an alternative group."""
    effects = [
        Effect(f"m{at}", None if influence is None else influence + at, 1.0, estimate, factor, level=f"m{at}", rest="x")
        for at in (*range(9, 9 + count - 1), 1)
    ]
    return group(*effects, name="m*", share=7.0, levels=True)


def supported(name: str, share: float) -> list[Effect]:
    """Return terms that 5 and 6 of 8 folds have, the share of the first of which is too small without support."""
    known = {count: replace(SURE, term=option_term("a"), folds=count) for count in (5, 6)}
    return [Effect(f"{name}{count}", 2.0, share, estimate, folds=8) for count, estimate in known.items()]


def numbered(count: int, factor: str = "", **values: Any) -> list[OptionEffects]:
    """Return the effects of options with one term each."""
    shown: dict[str, Any] = {"influence": None if factor else 1.0, "share": None if factor else 2.0, **values}
    return [group(Effect(f"t{at}", **shown, estimate=None, factor=factor), name=f"t{at}") for at in range(count)]


def factor(
    text: str, estimate: InfluenceEstimate | None, function: str, low: float | None = None, high: float | None = None
) -> OptionEffects:
    """Return a factor of a product."""
    return group(Effect(text, None, None, estimate, function, low, high))


def shown(view: View) -> Lines:
    """Return a view as it is printed."""
    return printed(partial(print_view, view))


def long_factor() -> Lines:
    """Return the effects of a product whose constant factor is a long sum."""
    terms = [(CONSTANT, 1.0), *((option_term("x", -power), 0.123456 / power) for power in range(1, 9))]
    model = InfluenceModel.of_system(terms, small_system(), "log")
    return shown(view_of_effects(option_effects(model, (), Space(small_system()).enumerate()), 9))


def effects(count: int, *groups: OptionEffects) -> Lines:
    """Return the view of effects on configurations that were learned from."""
    return shown(view_of_effects(groups, count))


PAIR = group(Effect("p", 1.0, None, UNSURE), Effect("p^2", 1.0, 3.0), name="pair")
MARKED = levels(5, 2.0, estimate=UNSURE)
ONE = SetChange(("gvn",), 12.345, (TermChange("gvn", 2.0, 3.1234567, 4.5678),))
TWO = SetChange((), 1.0, (TermChange("1", 1.0, 2.0, 3.0), TermChange("x", 1.0, 1.5, 1.25)))
OPEN = SetChange(("x",), 0.5, (TermChange("x", 1.0, 1.0, 0.1),))
LARGE = SetChange(("a", "b"), 1.0, (TermChange("a", 800.0, 0.0, 3.0), TermChange("b", 0.0, 0.0, 3.0)))
SIDES = (Undetermined(("gpu",), ("a", "b")), Undetermined(("x", "y")))


def change(*sets: SetChange, link: Any = "identity", factor: float = 1.0, sides: Any = (), **values: Any) -> Lines:
    """Return the view of a change from version 1 to version 2."""
    known: dict[str, Any] = {"common": 1200, "ratio": 1.23456, "ratio_error": 0.1, "shifted": False}
    known |= {"error": 5.0, "transferred": 6.54321, "influences": ModelChange(link, factor, sets, *sides)}
    return shown(view_of_influences("t", Change("1", "2", **{**known, **values})))


def end_of_tree(paths: int) -> Lines:
    """Return the end of the tree, and of the ranking below it, of a view of a call tree."""
    callpaths = [CallPath(f"c{at}", at and 1, 1.0, 0.5, 2.0, 0.05, 0.05, 1.0, 1.0) for at in range(paths)]
    tree = CallTree("<default>", {"p": 64.0}, {"p": 16.0}, 100.0, tuple(callpaths))
    lines = shown(view_of_trees((tree,), paths)).splitlines(keepends=True)
    return Lines("".join([*lines[61:66], lines[-1]]))


def measured(valid: int | None, *drifts: Drift | None) -> Lines:
    """Return the view of measurements with these drifts of a property."""
    summaries = [PropertySummary("energy", 1.0, 2.0, 1, 1, (1, 1), None, drift) for drift in drifts]
    return shown(view_of_measurements(MeasuredSummary("m.csv", 1200, 3600, tuple(summaries)), valid))


def searched(selected: int = 0) -> Lines:
    """Return the view of the best configuration of a local search; the model has no term of its options but two."""
    names = ["cache", *(f"o{at}" for at in range(1, selected))]
    system = VariabilityModel("s", tuple(map(BinaryOption, names)))
    model = StoredModel(InfluenceModel(((option_term("cache"), 2.0),), system.names))
    best = Configurations.from_columns(system, {name: [int(selected > 0)] for name in names})
    rated = RatedConfiguration(best, (PropertyValue(1.0),))
    result = Result((Objective("time", system, model),), (rated,), exhaustive=False, unused=tuple(names[2:]))
    return shown(optimize.view(result, Detail()))


def counted(whole: int, part: int = 0) -> tuple[object, ...]:
    """Return the share of an option, the digits of the number of configurations in JSON, its number, its logarithm."""
    described = Description(VariabilityModel("s", (BinaryOption("a"),)), whole, {"a": (0, part)}, ())
    content = describe.as_json(describe.Result(described))
    count, logarithm = content["valid_configurations"], content["log10_valid_configurations"]
    digits, rounded = None if count is None else len(str(count)), None if logarithm is None else round(logarithm, 9)
    return describe.share(described, "a"), digits, content["options"][0]["selected_in"], rounded


def values(count: int) -> str:
    """Return the values of an option, as many as asked for."""
    return describe.shown_values(NumericOption("x", tuple(map(float, range(count)))))


SYSTEM = VariabilityModel("s", (NumericOption("n", (1.0, 2.0, 3.0)), NumericOption("version", (1.0, 2.0))))
ALL = Configurations(SYSTEM, np.array(list(itertools.product(range(3), range(2))), dtype=np.uint8))
# Both versions of n = 1, and one of n = 2.
LEARNED = ALL[np.arange(3)]
ERROR = ExpectedError("cross-validated", percent=33.0, about="new settings")
ERROR = replace(ERROR, known="known settings with another version", known_percent=1.3, known_by=("n",))
SINGLE = ExpectedError("cross-validated", percent=3.0)


def known_settings(*rows: int, error: ExpectedError = ERROR, learned: bool = True, beyond: bool = False) -> list[str]:
    """Return the notes about rows with known settings."""
    known = LEARNED if learned else None
    notes = known_settings_notes(ALL[np.array(rows)], known, error, np.array([True]) if beyond else None)
    return [note.text for note in notes]


def outside(*flags: bool) -> list[str]:
    """Return the notes about predictions outside of their intervals."""
    return [note.text for note in outside_notes(flags)]


def verdict(percent: float | None, factor: float | None, one_value: float | None) -> str:
    """Return the word for an expected error."""
    return ExpectedError("measured", 20, percent=percent, factor=factor, one_value=one_value).verdict


def unknown(factor: float) -> str:
    """Return the text of an unknown error."""
    return ExpectedError("unknown", factor=factor, reason="8 measured, 12 needed").text(np.array([1.0]), None)


def ratio(*values: list[float]) -> tuple[object, ...]:
    """Return the mean ratio of the values of an option before and after a change."""
    system = VariabilityModel("s", (NumericOption("x", (1, 2, 3, 4)),))
    before, after = (
        Measurements(Configurations(system, np.arange(len(each), dtype=np.uint8)[:, None]), {"time": np.array(each)})
        for each in values
    )
    return tuple(round(each, 6) if isinstance(each, float) else each for each in mean_ratio(before, after, "time"))


def outputs(output: str, journal: str | None) -> tuple[str, ...]:
    """Return the files of a measurement."""
    found = Outputs.of(output, journal)
    return found.measurements, found.journal, found.failures


def test_views() -> None:
    """The lines of each view, and numbers and notes of views, from values that no small run gives."""
    check_calls(
        "views",
        *(effects, group, supported, levels, numbered, factor, long_factor, change, measured, searched, end_of_tree),
        *(counted, values, describe.level_ranges, known_settings, outside, factor_text, verdict, unknown),
        *(ratio, outputs),
        **{name: value for name, value in globals().items() if name.isupper()},
        **{each.__name__: each for each in (Drift, InfluenceEstimate)},
        **{"MAX_COUNTED": describe.MAX_COUNTED, "np": np},
    )
    assert ExpectedError.of_values(ERROR.values()) == ERROR


TIMES = ("seconds", "output", "companion")
PROFILE = "p,callpath,time\n" + "".join(f"{p},{path},{k * p}\n" for path, k in (("a", 2), ("b", 3)) for p in (2, 4, 8))


@pytest.fixture
def inputs(project: Path) -> Path:
    """Return the case study with another model and a profile."""
    (project / "other.txt").write_text("1e-5 * nx * px + 2e-5 * log2(py) - 1e-3", encoding="utf-8")
    (project / "profile.csv").write_text(PROFILE, encoding="utf-8")
    return project


# Arguments of commands, each above the fields of a request that mean the same.
LINES = (Path(__file__).parent / "calls.txt").read_text(encoding="utf-8").splitlines()


def answered(text: str) -> dict[str, Any]:
    """Return a JSON object without times and names of files that differ."""
    return {key: value for key, value in json.loads(text).items() if key not in TIMES}


@pytest.mark.parametrize(("line", "fields"), [*zip(LINES[::2], LINES[1::2], strict=True)])
def test_a_script_gets_what_the_command_gets(
    inputs: Path, line: str, fields: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each field has the effect of its option; the results are those of the command, the verb prints nothing."""
    name, *arguments = line.replace("FILE", "command").split()
    verb = verb_of(name)
    made = eval(f"dict({fields})".replace("FILE", "script"), {"MODELS": ("analytical.txt", "other.txt")})  # noqa: S307
    result = verb.run(verb.request(**made), Watch())
    assert capsys.readouterr() == ("", "")
    assert verb.as_json is not None
    print_view([], plain_values(verb.as_json(result)))
    found = answered(capsys.readouterr().out)
    done = CliRunner().invoke(app, [name, *arguments, "--json"])
    assert done.exit_code == 0, done.stderr
    assert found == answered(done.stdout)
    assert all(note.text in done.stderr for note in getattr(result, "notes", ()) if note.warning)
    if "FILE" in line and name != "learn":
        assert (inputs / "script.json").read_bytes() == (inputs / "command.json").read_bytes()


def wrong(name: str, **fields: Any) -> tuple[str, ...]:
    """Return the fields that the error of a wrong request names, which the command shows as options."""
    verb = verb_of(name)
    with pytest.raises(RequestError) as caught:
        verb.run(verb.request(**fields), Watch())
    return caught.value.fields


@pytest.mark.usefixtures("inputs")
def test_texts_of_fields() -> None:
    """Values of texts, and what is refused, by the form of a text or by the fields of a request that is wrong."""
    forms = ("axes", "bounds", "names", "numbers", "percentage", "point", "points", "texts", "values")
    functions = {f"{form}_of": getattr(fields, f"{form}_of") for form in forms}
    check_calls("field-values", names_in, number_or, wrong, **functions)


@pytest.mark.parametrize(
    ("name", "content", "given"),
    [
        ("convert", small.SYSTEM, {"source": "-", "output": "system.xml"}),
        ("convert", small.MEASUREMENTS, {"source": "-", "output": "o.csv", "system": "system.xml"}),
        ("convert", small.OTHER, {"source": "-", "output": "o.json", "system": "system.xml"}),
        *(("describe", content, {"system": "-"}) for content in (small.SYSTEM, small.MEASUREMENTS)),
    ],
    ids=["convert a system", "convert measurements", "convert a model", "describe a system", "describe measurements"],
)
def test_the_stream_of_the_caller(
    name: str, content: str, given: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Standard input is read to its end, and remains the stream that it was; the next call reads it again."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "system.xml").write_text(small.SYSTEM, encoding="utf-8")
    for _ in range(2):
        stream = io.TextIOWrapper(io.BytesIO(content.encode()), encoding="utf-8")
        monkeypatch.setattr(sys, "stdin", stream)
        verb_of(name).run(verb_of(name).request(**given), Watch())
        assert sys.stdin is stream
        assert stream.read() == ""


def test_streams_are_not_replaced() -> None:
    """Only the command line assigns standard streams."""
    for file in (file for file in files(*PRODUCT) if "cli" not in file.parts):
        assert not re.search(r"^ *sys\.std(in|out|err) *=", file.read_text(encoding="utf-8"), re.MULTILINE), file
