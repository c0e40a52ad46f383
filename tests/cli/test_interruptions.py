"""Interruptions of `splc learn`, `splc study` and `splc run` by Ctrl-C and other signals."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Mapping
from importlib import import_module
from itertools import count
from pathlib import Path
from signal import SIGINT, SIGTERM, Signals
from typing import Any

import pytest

from splc import read_model, read_variability_model
from splc.study import study
from splc.study.tasks import perform
from tests.cli.conftest import MEASUREMENTS, Run

SPLCONQUEROR = ("--preset", "splconqueror")
# Learning that would go on for several rounds.
LONG = (*SPLCONQUEROR, "--set", "abortError=0", "--set", "minImprovementPerRound=0")
KEPT = "learning was interrupted; what was learned until then is kept"
AGAIN = {SIGINT: "press Ctrl-C again to end at once", SIGTERM: "send the signal again to end at once"}
BOTH = (SIGINT, SIGTERM)


@pytest.fixture(autouse=True)
def _project(folder: Path) -> None:
    """Give every test a project folder of its own, with time as the property."""
    (folder / "splc.toml").write_text('nfp = "time"\n', encoding="utf-8")


def learned() -> str:
    """Return the log, which has a model."""
    assert read_model("learned.log", read_variability_model("system.xml")).terms
    return Path("learned.log").read_text(encoding="utf-8")


@pytest.mark.parametrize("sent", BOTH)
def test_once_keeps_what_is_learned(run: Run, pressing: Callable[..., None], sent: Signals) -> None:
    """Ctrl-C or SIGTERM ends learning after the round: the log has that round, the exit code is 130."""
    pressing(sent)
    result = run("learn", *LONG)
    assert result.exit_code == 130
    assert AGAIN[sent] in result.stderr
    assert "Termination reason: interrupted\n1;" in learned()
    assert ["\n2;" in learned(), "\n3;" in learned()] == [True, False]


@pytest.mark.parametrize(
    ("sent", "rounds"),
    [*(((one,), 0) for one in BOTH), *(((one, other), 1) for one in BOTH for other in BOTH)],
)
def test_nothing_to_keep(run: Run, pressing: Callable[..., None], sent: tuple[Signals, ...], rounds: int) -> None:
    """Before the first round, or by a second request, the command ends at once, and nothing is written."""
    pressing(*sent, rounds=rounds)
    result = run("learn", *LONG)
    assert (result.exit_code, result.stdout) == (130, "")
    assert ("to end at once" in result.stderr) is bool(rounds)
    assert not Path("learned.log").exists()


def test_ignored(run: Run, pressing: Callable[..., None]) -> None:
    """An ignored Ctrl-C, as in background jobs, stays ignored; SIGTERM still ends learning."""
    before = signal.signal(SIGINT, signal.SIG_IGN)
    try:
        pressing(SIGINT)
        assert run("learn", *SPLCONQUEROR).exit_code == 0
        pressing(SIGINT, SIGTERM)
        assert run("learn", *SPLCONQUEROR).exit_code == 130
        assert signal.getsignal(SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(SIGINT, before)
    assert "Termination reason: interrupted" in learned()


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_values_of_a_context(run: Run, folder: Path, pressing: Callable[..., None], form: tuple[str, ...]) -> None:
    """The model of the value that is learned is kept, the others are not begun, and the exit code is 130."""
    header, *rows = MEASUREMENTS.split()
    lines = [f"version,{header}", *(f"v{at},{row}" for at in (1, 2) for row in rows)]
    (folder / "measurements.csv").write_text("\n".join(lines), encoding="utf-8")
    pressing(SIGINT)
    result = run("learn", *SPLCONQUEROR, "--set", "abortError=0", "--by", "version", *form)
    assert result.exit_code == 130
    assert result.stderr.endswith(f"note: {KEPT}\n")
    assert ("'v1'" in result.stdout, "v2" in result.stdout) == (not form, False)
    assert {path.name for path in folder.glob("learned*.log")} == {"learned-v1.log"}


@pytest.fixture
def at_call(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, int, Signals], None]:
    """Return a function: a call of a function, from 0 on, sends a signal, and would then run for long."""

    def presses(target: str, at: int, sent: Signals) -> None:
        module, name = target.split(":")
        original = getattr(import_module(module), name)
        calls = count()

        def pressed(*arguments: Any, **named: Any) -> Any:
            if next(calls) == at:
                signal.raise_signal(sent)
                pytest.fail("the step was continued")
            return original(*arguments, **named)

        monkeypatch.setattr(f"{module}.{name}", pressed)

    return presses


@pytest.mark.parametrize("sent", BOTH)
@pytest.mark.parametrize("learner", [(), ("--learner", "stepwise")])
def test_folds(run: Run, at_call: Callable[..., None], sent: Signals, learner: tuple[str, ...]) -> None:
    """A request in the folds ends the command at once; the model is written, without the error of the folds."""
    at_call("splc.workflows.learn.learn:cross_validate", 0, sent)
    result = run("learn", *learner, "--folds", "3", "--json")
    assert result.exit_code == 130
    assert KEPT in result.stderr
    assert json.loads(result.stdout)["model"]["terms"]
    assert learned()


@pytest.mark.parametrize("sent", BOTH)
def test_before_the_full_model(run: Run, at_call: Callable[..., None], sent: Signals) -> None:
    """Without a full model there is nothing to keep, which the message says; nothing is written."""
    at_call("splc.learning.projection.default_learner:fit_full_model", 0, sent)
    result = run("learn")
    assert (result.exit_code, result.stdout) == (130, "")
    assert result.stderr == "interrupted before there was a model: nothing is written\n"
    assert not Path("learned.log").exists()


STUDY = """nfp = "time"
samplings = ["pb:9,3", "optionwise+ff", "random:4", "random:50"]
seeds = [0, 1]
"""


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_studies(folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch, sent: signal.Signals) -> None:
    """Ctrl-C or SIGTERM ends the study with 130 after the run in progress; the same command resumes it."""
    (folder / "analytical.txt").write_text("0.5 + 1.2 * x + 10 * cache\n", encoding="utf-8")
    (folder / "study.toml").write_text(STUDY, encoding="utf-8")
    begun: list[str] = []

    def interrupted(task: Any, **inputs: Any) -> Mapping[str, Any]:
        begun.append(task.label)
        if len(begun) == 3:
            os.kill(os.getpid(), sent)
        return perform(task, **inputs)

    monkeypatch.setattr(study, "perform", interrupted)
    result = run("study", "--no-pictures", "--jobs", "1")
    assert result.exit_code == 130
    assert "3 of 6 runs are done and kept" in result.stderr
    assert not (folder / "results" / "table.md").exists()
    assert run("study", "--no-pictures", "--jobs", "1").exit_code == 0
    assert len(begun) == len(set(begun)) == 6


INPUTS = "vm system.xml\nall measurements.csv\nnfp time\n"


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_scripts(folder: Path, run: Run, pressing: Callable[..., None], form: list[str]) -> None:
    """Ctrl-C ends the run after the round with exit code 130; the log has the round, and no command follows."""
    settings = "mlsettings abortError:0 minImprovementPerRound:0\n"
    learn = f"{INPUTS}{settings}binary featurewise\nlearn-splconqueror\n"
    (folder / "a.a").write_text(f"log a.log\n{learn}log b.log\n{learn}", encoding="utf-8")
    pressing(signal.SIGINT)
    result = run("run", "a.a", *form)
    assert result.exit_code == 130
    assert result.stderr.endswith("note: the run was interrupted; what was written until then is kept\n")
    assert "\n1;" in (folder / "a.log").read_text(encoding="utf-8")
    assert not (folder / "b.log").exists()
    if form:
        assert json.loads(result.stdout)["stopped"] is True
