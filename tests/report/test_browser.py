"""Pages in a browser: their scripts run under their own policy, and compute what splc computes."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from lxml import html

from splc.io.numbers import short_number
from splc.report import Request, Result, run
from splc.workflows import learn
from tests.support.paths import ROOT, SMG2000
from tests.support.tracked import copy_tracked

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
    predicted = float([*best.rows][0][1])  # type: ignore[union-attr]
    assert float(outcome.split(": ")[1].split()[0]) == pytest.approx(predicted, rel=1e-4)
    last = page.cssselect(".explorer table tr")[-1]
    assert [each.text for each in last.cssselect("td")][:2] == ["prediction", short_number(predicted, 5)]
