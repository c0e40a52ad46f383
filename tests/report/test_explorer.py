"""Explorers and scripts of pages, in node and in a browser: they compute what splc computes."""

from __future__ import annotations

import json
import math
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from sampling import Space
from splc.arithmetic.functions import FUNCTION
from splc.data.configurations import Configurations
from splc.formats.models.program import program_of, space_object
from splc.formats.models.read import read_stored_model
from splc.formats.models.stored_model import StoredModel
from splc.io.numbers import short_number
from splc.models.influence import InfluenceModel
from splc.models.text.reader import expand_model
from splc.report import Request, Result, run
from splc.system.constraints import parse_arithmetic
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.workflows import learn
from tests.formats.models.test_program import MADE, PROPERTIES, learned
from tests.support.evaluators import EVALUATOR
from tests.support.examples import examples
from tests.support.format_strategies import configurations
from tests.support.full_models import EVERY, learned_system
from tests.support.paths import ROOT, SMG2000
from tests.support.strategies import all_assignments
from tests.support.tracked import copy_tracked

_RUN = """
const splc = require(process.argv[1]);
const { program, spaces } = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(spaces.map(({ space, rows }) => {
  const values = (row) => Object.fromEntries(space.options.map((each, at) => [each.name, each.values[row[at]]]));
  return rows.map((row) => ({
    violated: splc.violated(space, row, values(row)),
    predicted: program && splc.predict(program, values(row), true).map(String),
    contributions: program && splc.contributions(program.printed, values(row)).map(String),
  }));
})));
"""


def computed(*several: Configurations, program: Any = None) -> list[list[dict[str, Any]]]:
    """Return what the script of a page computes for configurations of systems; skip the test without node."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node")
    spaces = [{"space": space_object(rows.system), "rows": rows.indices.tolist()} for rows in several]
    content = {"program": program, "spaces": spaces}
    command = [node, "-e", _RUN, str(EVALUATOR)]
    done = subprocess.run(command, input=json.dumps(content), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: list[list[dict[str, Any]]] = json.loads(done.stdout)
    return found


def check(several: Sequence[Configurations]) -> None:
    """Check that configurations break no constraint exactly if they are valid."""
    for rows, found in zip(several, computed(*several), strict=True):
        assert [not each["violated"] for each in found] == Space(rows.system).check(rows).tolist()


@examples(8)
@given(several=st.lists(configurations(), min_size=1, max_size=8))
def test_constraints(several: list[Configurations]) -> None:
    """A configuration breaks no constraint exactly if it is valid."""
    check(several)


@pytest.mark.parametrize("requires", ["all", "none"])
def test_comparisons(requires: Literal["all", "none"]) -> None:
    """Switches, the root, functions and divisions by 0 in arithmetic constraints."""
    texts = (
        "m * 2 + Enabledm >= a",
        "Disabledm + a * 3 < 2",
        "log2(n) / m != a",
        "floor(n / 4) - 2^a * ceil(n / 3) < 0",
        "(m - 1)^(0 - 1) + sqrt(n) <= root + a",
    )
    options = (
        BinaryOption("a"),
        NumericOption("n", (0.0, 1.0, 4.0, 6.0)),
        NumericOption("m", (1.0, 2.0), deselected_flag=-1.0),
    )
    names = VariabilityModel("s", options).name_table
    constraints = [
        parse_arithmetic(text, names, "mixed", requires, negated) for text in texts for negated in (False, True)
    ]
    check([all_assignments(VariabilityModel("s", options, (each,))) for each in constraints])


def test_functions() -> None:
    """Printed models with every function of model text: the same contributions."""
    texts = (*(f"{name}(n / 8 + 1)" for name in FUNCTION), "max(n, 5)", "min(n, zero)")
    found = expand_model(" + ".join(texts), MADE.term_names)
    model = InfluenceModel.from_terms(found.expansion, MADE.term_order, derived=found.derived)
    rows = Space(MADE).draw(40, np.random.default_rng(3))
    [shown] = computed(rows, program=program_of(StoredModel(model, system=MADE)))
    sums = [math.fsum(float(number) for number in each["contributions"]) for each in shown]
    np.testing.assert_allclose(sums, model.predict(rows), rtol=1e-12)


def check_predictions(stored: StoredModel, rows: Configurations) -> None:
    """Check validity, and of valid configurations predictions and their intervals, and sums of contributions."""
    valid = Space(rows.system).check(rows)
    [found] = computed(rows, program=program_of(stored))
    assert [not each["violated"] for each in found] == valid.tolist()
    own = rows[np.flatnonzero(valid)]
    assert stored.intervals is not None
    expected = np.column_stack([stored.predictor.predict(own), *stored.intervals.interval(own)])
    kept = [each for each, keep in zip(found, valid, strict=True) if keep]
    shown = np.array([[float(number) for number in each["predicted"]] for each in kept])
    np.testing.assert_allclose(shown, expected, rtol=1e-9, atol=1e-9 * float(np.abs(expected).max()))
    sums = [math.fsum(float(number) for number in each["contributions"]) for each in kept]
    printed = np.exp(sums) if stored.model.link == "log" else np.array(sums)
    np.testing.assert_allclose(printed, stored.model.predict(own), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", EVERY)
def test_real_systems(name: str, tmp_path: Path) -> None:
    """Random and valid configurations of real systems."""
    stored = read_stored_model(learned_system(name, tmp_path).file, full=True)
    assert stored.system is not None
    space, rng = Space(stored.system), np.random.default_rng(1)
    drawn = np.stack([rng.integers(0, option.size, 1000) for option in stored.system.options], axis=1)
    known = space.draw(min(1000, space.count), rng).indices
    check_predictions(stored, Configurations(stored.system, np.concatenate([drawn, known])))


@pytest.mark.parametrize(
    ("name", "learned_rows"),
    [("positive", 16), ("any sign", 16), *(pytest.param(name, 60, marks=pytest.mark.slow) for name in PROPERTIES)],
)
def test_all_kinds_of_options(name: str, learned_rows: int) -> None:
    """All kinds of options, on all scales."""
    stored = learned(MADE, PROPERTIES[name], learned_rows, "sum")
    check_predictions(stored, Space(MADE).draw(20, np.random.default_rng(2)))


BROWSER = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
)
pytestmark = pytest.mark.skipif(BROWSER is None, reason="there is no browser")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a case study with a learned model."""
    folder = tmp_path_factory.mktemp("browser") / "2d"
    copy_tracked(SMG2000 / "2d", folder)
    shutil.copy(ROOT / "casestudies" / "kernels" / "profile.txt", folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        learn.run(learn.Request(sampling="random:40"))
    return folder


def opened(folder: Path, *models: str) -> tuple[Any, Result, str]:
    """Return the page about models after its scripts have run, its content, and what they wrote to the console."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        result = run(Request(models=models, output="page.html"))
    assert BROWSER is not None
    # Tests run as any user, in containers, too.
    flags = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'profile'}"]
    command = [BROWSER, *flags, "--enable-logging=stderr", "--dump-dom", f"file://{folder / 'page.html'}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    messages = "\n".join(re.findall(r".*CONSOLE.*", done.stderr))
    return html.document_fromstring(done.stdout), result, messages


@pytest.mark.parametrize("models", [("learned.log",), ("analytical.txt", "learned.log"), ("profile.txt",)])
def test_scripts_run(folder: Path, models: tuple[str, ...]) -> None:
    """No script fails or is blocked: pictures and tables have their buttons, and one state of a slider is shown."""
    page, _, messages = opened(folder, *models)
    assert messages == ""
    figures = page.cssselect("figure")
    assert figures
    for figure in figures:
        assert [each.text for each in figure.cssselect("button")][-1] == "Copy as SVG"
    assert page.cssselect("th button.sort")
    for steps in page.cssselect(".steps"):
        assert len([each for each in steps.cssselect(".state") if each.get("hidden") is None]) == 1


def test_explorer(folder: Path) -> None:
    """The explorer begins at the best configuration with its prediction, and the waterfall ends at it."""
    page, result, _ = opened(folder, "learned.log")
    best = next(each for each in result.page.sections if each.name == "best").blocks[0]
    outcome = page.cssselect(".outcome")[0].text
    predicted = float(next(iter(best.rows))[1])  # type: ignore[union-attr]
    assert float(outcome.split(": ")[1].split()[0]) == pytest.approx(predicted, rel=1e-4)
    last = page.cssselect(".explorer table tr")[-1]
    assert [each.text for each in last.cssselect("td")][:2] == ["prediction", short_number(predicted, 5)]
