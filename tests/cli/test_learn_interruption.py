"""`splc learn`: interruptions by Ctrl-C and other signals."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from splc import read_model, read_variability_model
from splc.workflows.learn import baselines as split
from tests.cli.conftest import MEASUREMENTS, Run

SPLCONQUEROR = ("--preset", "splconqueror")


@pytest.fixture(autouse=True)
def _project(folder: Path) -> None:
    """Give every test a project folder of its own, with time as the property."""
    (folder / "splc.toml").write_text('nfp = "time"\n', encoding="utf-8")


class TestInterruption:
    @pytest.mark.parametrize(
        ("sent", "again"), [(signal.SIGINT, "press Ctrl-C again"), (signal.SIGTERM, "send the signal again")]
    )
    def test_once_keeps_what_is_learned(
        self, run: Run, folder: Path, pressing: Callable[..., None], sent: signal.Signals, again: str
    ) -> None:
        """Ctrl-C or SIGTERM ends learning after the round: the log has that round, the exit code is 130."""
        pressing(sent)
        result = run("learn", *SPLCONQUEROR, "--set", "abortError=0", "--set", "minImprovementPerRound=0")
        assert result.exit_code == 130
        assert f"{again} to end at once" in result.stderr
        text = (folder / "learned.log").read_text(encoding="utf-8")
        assert "Termination reason: interrupted\n1;" in text
        assert "\n2;" in text
        assert "\n3;" not in text
        assert read_model("learned.log", read_variability_model("system.xml")).terms

    @pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
    def test_before_the_first_round(
        self, run: Run, folder: Path, pressing: Callable[..., None], sent: signal.Signals
    ) -> None:
        """Without a finished round there is nothing to keep: the first request ends the command at once."""
        pressing(sent, rounds=0)
        result = run("learn", *SPLCONQUEROR)
        assert (result.exit_code, result.stdout) == (130, "")
        assert "to end at once" not in result.stderr
        assert not (folder / "learned.log").exists()

    @pytest.mark.parametrize("second", [signal.SIGINT, signal.SIGTERM])
    @pytest.mark.parametrize("first", [signal.SIGINT, signal.SIGTERM])
    def test_twice_ends_at_once(
        self, run: Run, folder: Path, pressing: Callable[..., None], first: signal.Signals, second: signal.Signals
    ) -> None:
        """A second request ends the command at once; nothing is written."""
        pressing(first, second)
        result = run("learn", *SPLCONQUEROR)
        assert result.exit_code == 130
        assert result.stdout == ""
        assert not (folder / "learned.log").exists()

    def test_ignored(self, run: Run, folder: Path, pressing: Callable[..., None]) -> None:
        """An ignored Ctrl-C, as in background jobs, stays ignored; SIGTERM still ends learning."""
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            pressing(signal.SIGINT)
            assert run("learn", *SPLCONQUEROR).exit_code == 0
            pressing(signal.SIGINT, signal.SIGTERM)
            assert run("learn", *SPLCONQUEROR).exit_code == 130
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        finally:
            signal.signal(signal.SIGINT, before)
        assert "Termination reason: interrupted" in (folder / "learned.log").read_text(encoding="utf-8")

    @pytest.mark.parametrize("form", [(), ("--json",)])
    def test_values_of_a_context(
        self, run: Run, folder: Path, pressing: Callable[..., None], form: tuple[str, ...]
    ) -> None:
        """The model of the value that is learned is kept, the others are not begun, and the exit code is 130."""
        header, *rows = MEASUREMENTS.split()
        lines = [f"version,{header}", *(f"v{at},{row}" for at in (1, 2) for row in rows)]
        (folder / "measurements.csv").write_text("\n".join(lines), encoding="utf-8")
        pressing(signal.SIGINT)
        result = run("learn", *SPLCONQUEROR, "--set", "abortError=0", "--by", "version", *form)
        assert result.exit_code == 130
        assert result.stderr.endswith("note: learning was interrupted; what was learned until then is kept\n")
        assert ("'v1'" in result.stdout, "v2" in result.stdout) == (not form, False)
        assert {path.name for path in folder.glob("learned*.log")} == {"learned-v1.log"}


class TestSteps:
    """Requests to end in folds and baselines end the command at once; models that are learned are kept."""

    @pytest.fixture
    def pressing(self, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, int, signal.Signals], None]:
        """Return a function: a call of a function, from 0 on, sends a signal, and would then run for long."""

        def presses(target: str, at: int, sent: signal.Signals) -> None:
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

    @pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
    @pytest.mark.parametrize("learner", [(), ("--learner", "stepwise")])
    def test_folds(
        self,
        run: Run,
        folder: Path,
        pressing: Callable[[str, int, signal.Signals], None],
        sent: signal.Signals,
        learner: tuple[str, ...],
    ) -> None:
        """The model is written, without the error of the folds."""
        pressing("splc.workflows.learn.baselines:cross_validate_all", 0, sent)
        result = run("learn", *learner, "--folds", "3", "--json")
        assert result.exit_code == 130
        assert "learning was interrupted; what was learned until then is kept" in result.stderr
        assert json.loads(result.stdout)["model"]["terms"]
        assert read_model("learned.log", read_variability_model("system.xml")).terms

    @pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
    def test_before_the_full_model(
        self, run: Run, folder: Path, pressing: Callable[[str, int, signal.Signals], None], sent: signal.Signals
    ) -> None:
        """Without a full model there is nothing to keep, which the message says; nothing is written."""
        pressing("splc.learning.projection.default_learner:fit_full_model", 0, sent)
        result = run("learn")
        assert (result.exit_code, result.stdout) == (130, "")
        assert result.stderr == "interrupted before there was a model: nothing is written\n"
        assert not (folder / "learned.log").exists()

    def test_baselines(
        self, run: Run, monkeypatch: pytest.MonkeyPatch, pressing: Callable[[str, int, signal.Signals], None]
    ) -> None:
        """The baselines that are finished are kept, too."""
        monkeypatch.setattr(split, "BASELINES", ("tree", "knn"))
        pressing("splc.workflows.learn.baselines:cross_validate_all", 2, signal.SIGINT)
        result = run("learn", *SPLCONQUEROR, "--baselines", "--folds", "2", "--json")
        assert result.exit_code == 130
        assert len(json.loads(result.stdout)["baselines"]) == 1
        assert Path("learned.log").exists()
