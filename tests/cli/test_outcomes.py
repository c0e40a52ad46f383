"""Commands with the results of workflows: notes, progress, output, warnings and exit codes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from splc.errors import InputError
from splc.workflows.note import Note
from tests.cli.conftest import Run
from tests.support.objects import of
from tests.support.stage import NOTED, NOTES, Stage, Work, object_of, outcome


@pytest.fixture
def stage(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> Stage:
    """Return a command line in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return Stage(run, monkeypatch)


@pytest.mark.parametrize(
    ("command", "workflow", "shown", "calls"),
    [
        ("describe", "describe", "describe", [("show", None)]),
        ("describe --tree", "describe", "describe", [("show", 3)]),
        ("describe --tree --depth 5", "describe", "describe", [("show", 5)]),
        ("explain m.txt", "explain", "explain", [("show",)]),
        ("optimize m.txt", "optimize", "optimize", [("show",)]),
        ("calibrate --free f", "calibrate", "calibrate", [("show", None)]),
        ("predict m c", "predict", "predict", [("show_error",), ("write", "-")]),
        ("predict m c -o f", "predict", "predict", [("show_error",), ("write", "f")]),
        ("scale p", "scale", "scale", [("show",)]),
        ("scale p -o -", "scale", "scale", []),
        ("learn", "learn", "learn", [("show", ("path", False))]),
        ("learn --path", "learn", "learn", [("show", ("path", True))]),
        ("learn -o -", "learn", "learn", []),
        ("compare a b", "compare", "compare", [("show", ("terms", "measures"), "")]),
        ("compare a b c", "compare", "compare", [("show", ("measures",), "")]),
        ("compare a b --markdown", "compare", "compare", [("show", ("terms", "measures"), "markdown")]),
        ("compare a b --latex", "compare", "compare", [("show", ("terms", "measures"), "latex")]),
        ("compare a b --csv", "compare", "compare", [("show", ("measures",), "csv")]),
        (
            "compare a b --table sets --table terms --table sets",
            "compare",
            "compare",
            [("show", ("sets", "terms"), "")],
        ),
        ("run a.a", "run", "run", [("log_line",), ("command_of",), ("show",)]),
        ("run a.a --check", "run", "run", [("log_line",), ("command_of",), ("checked",)]),
        ("run a.a --to-study", "run_study", "run", [("written",)]),
        ("run a.a --to-study -o -", "run_study", "run", []),
        ("suggest", "suggest_configurations", "suggest_configurations", [("write", "-")]),
        ("suggest -o f", "suggest_configurations", "suggest_configurations", [("write", "f")]),
        ("suggest --count 1", "suggest", "suggest", [("show", None)]),
        ("suggest --count 1 --budget 5", "suggest", "suggest", [("show", 5.0)]),
    ],
)
def test_results(command: str, workflow: str, shown: str, calls: list[Any], stage: Stage) -> None:
    """A result is shown as text, or else is one JSON object; notes are printed in both cases."""
    result = of(notes=NOTES, problem=None, interrupted=False, stopped=False, failures=(), failed=False)
    result.profile = of(failed=())
    works = {f"workflows.{workflow}.run": result, "workflows.calibrate.write": None}
    works["workflows.suggest_mode.mode_of"] = of(system="--count" not in command, notes=())
    stage.shows(shown)
    assert outcome(stage(command, works)) == (0, "", NOTED)
    assert stage.calls == calls
    if not {"-o", "--csv", "--markdown", "--latex"} & set(command.split()):
        function = "study_as_json" if workflow == "run_study" else "as_json"
        assert outcome(stage(f"{command} --json", works)) == (
            0,
            object_of(command.split(maxsplit=1)[0], function),
            NOTED,
        )
        assert [each[0] for each in stage.calls if each[0] not in {"log_line", "command_of"}] == [function]


def test_files_beside_json(stage: Stage) -> None:
    """With --json a file is written too, and the object names it."""
    result = of(notes=(), scaled=False)
    for command, workflow, shown in (
        ("predict m c", "predict", "predict"),
        ("suggest", "suggest_configurations", "suggest_configurations"),
    ):
        mode = {"workflows.suggest_mode.mode_of": of(system=True, notes=())}
        stage.shows(shown)(f"{command} -o f --json", {f"workflows.{workflow}.run": result, **mode})
        assert stage.calls == [("write", "f"), ("as_json", "f")]


def test_unreadable_measurements(stage: Stage) -> None:
    """The system is described before the error of its measurements."""
    result = of(notes=NOTES, problem=InputError("wrong"))
    found = stage.shows("describe")("describe", {"workflows.describe.run": result})
    assert outcome(found) == (2, "", f"{NOTED}error: wrong\n")
    assert stage.calls == [("show", None)]


class TestLearn:
    def test_progress(self, stage: Stage) -> None:
        """Trials and rounds move the progress bar; rounds are printed with --verbose; a round is worth keeping."""
        kept = []

        def work(request: Any, after: Work, stop: Any, *, on_trial: Work, on_learned: Work) -> Any:
            kept.append(stop.kept)
            on_trial(1, 2)
            after(of(number=3), "line")
            kept.append(stop.kept)
            on_learned()
            kept.append(stop.kept)
            return of(notes=(), interrupted=False)

        stage.shows("learn")
        assert outcome(stage("learn", {"workflows.learn.run": work})) == (0, "", "")
        assert stage.moved == [(1, 2, "trying settings"), (3, None, "line")]
        assert kept == [False, True, False]
        assert outcome(stage("learn --verbose", {"workflows.learn.run": work})) == (0, "", "line\n")

    def test_interrupted(self, stage: Stage) -> None:
        """The learned model is shown, and the exit code is 130."""
        works = {"workflows.learn.run": of(notes=NOTES, interrupted=True)}
        text = f"{NOTED}note: learning was interrupted; what was learned until then is kept\n"
        assert outcome(stage.shows("learn")("learn", works)) == (130, "", text)
        assert stage.calls == [("show", ("path", False))]

    def test_values_of_a_context(self, stage: Stage) -> None:
        """Values without a model are warnings with exit code 1; an interruption has exit code 130."""

        def work(request: Any, after: Work, stop: Any, on_learned: Work) -> Any:
            before = stop.kept
            after(of(number=3), "line")
            assert (before, stop.kept) == (False, True)
            on_learned()
            assert not stop.kept
            return of(notes=NOTES, failed=failed, stopped=stopped)

        stage.shows("learn_by")
        failed: dict[str, str] = {}
        stopped = False
        works = {"workflows.learn_by.run": work}
        assert outcome(stage("learn --by version", works)) == (0, "", NOTED)
        assert (stage.calls, stage.moved) == ([("show",)], [(3, None, "line")])
        found = outcome(stage("learn --by version --json --verbose", works))
        assert found == (0, object_of("learn"), f"line\n{NOTED}")
        failed = {"1": "why"}
        warning = f"{NOTED}warning: no model of version '1': why\n"
        assert outcome(stage("learn --by version", works)) == (1, "", warning)
        stopped = True
        text = f"{warning}note: learning was interrupted; what was learned until then is kept\n"
        assert outcome(stage("learn --by version", works)) == (130, "", text)

    @pytest.mark.parametrize(
        ("options", "metrics", "output"), [("", (), "learned.json"), ("--nfp time -o o.txt", ("time",), "o.txt")]
    )
    def test_a_profile(self, options: str, metrics: tuple[str, ...], output: str, stage: Stage) -> None:
        """Of a profile scaling models are learned, as `splc scale` does; the object is named after this command."""
        from splc.workflows.scale import Request

        found = []

        def work(request: Any, on_progress: Work) -> Any:
            found.append(request)
            return of(notes=NOTES, profile=of(failed=("a",)))

        line = f"learn --set a=1 --aggregate min {options}"
        works = {"workflows.learn_inputs.profile_of": "p.txt", "workflows.scale.run": work}
        text = f"note: p.txt is a profile: this is 'splc scale p.txt'\n{NOTED}"
        assert outcome(stage.shows("scale")(f"{line} --json", works)) == (1, object_of("learn"), text)
        settings = {"a": "1", "aggregate": "min"}
        assert found == [Request(profile="p.txt", metrics=metrics, settings=settings, output=output)]


def test_scaling_of_a_context(stage: Stage) -> None:
    """Notes of several values are printed once; call paths without a model have exit code 1."""
    good, bad = (of(notes=NOTES, profile=of(failed=failed)) for failed in ((), ("a",)))
    stage.shows("scale")
    works: dict[str, Any] = {"workflows.scale.run_by": {"1": good, "2": good}}
    assert outcome(stage("scale p --by version", works)) == (0, "", NOTED)
    assert stage.calls == [("show_by", "version")]
    works = {"workflows.scale.run_by": {"1": bad, "2": good}}
    assert outcome(stage("scale p --by version --json", works)) == (1, object_of("scale", "by_as_json"), NOTED)
    assert stage.calls == [("by_as_json", "version")]
    works = {"workflows.scale.run": lambda request, on_progress: on_progress(1, 2, "a") or bad}
    assert outcome(stage("scale p", works)) == (1, "", NOTED)
    assert stage.moved == [(1, 2, "a")]


def test_calibration(stage: Stage) -> None:
    """Parameters are written to the file; a factor on the whole model is not one of them."""
    written = []
    factor = of(value=1.2345678)
    result = of(notes=(), scaled=True, calibration={"scale": factor}, output="p2.toml")
    works = {
        "workflows.calibrate.run": result,
        "workflows.calibrate.write": lambda *given: written.append(given),
        "workflows.calibrate.run_by": {"1": of(notes=NOTES, output=None), "2": result},
    }
    stage.shows("calibrate")
    note = "note: the factor on the whole model is not one of its parameters: use --scale 1.23457\n"
    assert outcome(stage("calibrate --free f -o p.toml", works)) == (0, "", note)
    assert stage.calls == [("show", "p.toml")]
    assert outcome(stage("calibrate --free f -o -", works)) == (0, "", note)
    assert (stage.calls, written) == ([], [(result, "p.toml"), (result, "-")])
    assert outcome(stage("calibrate --free f", works)) == (0, "", "")
    assert len(written) == 2
    assert outcome(stage("calibrate --free f --by version", works)) == (0, "", NOTED)
    assert (stage.calls, written[2:]) == ([("show_by", "version")], [(result, "p2.toml")])
    found = outcome(stage("calibrate --free f --by version --json", works))
    assert found == (0, object_of("calibrate", "by_as_json"), NOTED)
    text = "note: splc fit is deprecated; use splc calibrate\n"
    assert outcome(stage("fit --free f --json", works)) == (0, object_of("fit"), text)


def test_predictions_of_a_context(stage: Stage) -> None:
    """Predictions are written per value; equal notes are printed once."""
    result = of(notes=NOTES)
    works = {"workflows.predict_by.run": {"1": (result, "p1.csv"), "2": (result, None)}}
    assert outcome(stage.shows("predict")("predict m c --by version", works)) == (0, "", NOTED)
    assert stage.calls == [("write", "p1.csv"), ("show_by", "version")]
    found = outcome(stage("predict m c --by version --json", works))
    assert found == (0, object_of("predict", "by_as_json"), NOTED)
    assert stage.calls == [("write", "p1.csv"), ("by_as_json", "version")]


def test_comparison(stage: Stage, tmp_path: Any) -> None:
    """A picture has the view that is asked for; exceeded thresholds are warnings with exit code 1."""
    result = of(notes=NOTES, failures=("too much",), failed=True)
    works = {"workflows.compare.run": lambda request, on_progress: on_progress(1, 2, "a") or result}
    stage.shows("compare")
    assert outcome(stage("compare a b", works)) == (1, "", f"{NOTED}warning: too much\n")
    assert stage.moved == [(1, 2, "a")]
    text = f"note: picture written to p.svg\n{NOTED}warning: too much\n"
    assert outcome(stage("compare a b --plot p.svg", works)) == (1, "", text)
    assert stage.calls[0] == ("picture", "both", "svg")
    assert (tmp_path / "p.svg").read_bytes() == b"picture"
    stage("compare a b --plot p.svg --view terms", works)
    assert stage.calls[0] == ("picture", "terms", "svg")


@pytest.mark.parametrize("stopped", [False, True])
def test_scripts(stopped: bool, stage: Stage) -> None:
    """Commands and rounds move the progress bar, and a log without a file is printed, but not beside JSON."""

    def work(request: Any, log: Work, command: Work, after: Work, stop: Work) -> Any:
        log("line of the log")
        command("s.a", 7, "start")
        after(of(number=3), "line")
        assert not stop()
        return of(notes=NOTES, stopped=stopped, commands={}, models=(), logs=(), files=(), printed=True)

    works = {"workflows.run.run": work}
    text = NOTED + "note: the run was interrupted; what was written until then is kept\n" * stopped
    assert outcome(stage("run s.a", works)) == (130 * stopped, "line of the log\n", text)
    assert stage.moved == [(0, None, "s.a:7: start"), (0, None, "line")]
    found = stage("run s.a --json", works)
    assert (found.exit_code, found.stderr) == (130 * stopped, text)
    assert json.loads(found.stdout)["schema"] == "splc.run/1"


def test_optimization(stage: Stage) -> None:
    """The number of steps is not known before."""

    def work(request: Any, on_progress: Work) -> Any:
        on_progress(1, 2, "learning")
        return of(notes=())

    stage.shows("optimize")("optimize m", {"workflows.optimize.run": work})
    assert stage.moved == [(1, None, "learning")]


def corpus(**values: Any) -> Any:
    """Return the result of `splc corpus`."""
    known = {"notes": NOTES, "cells": (), "stopped": False, "failures": (), "differing": 0, "not_relearned": 0}
    return of(**{**known, **values})


@pytest.mark.parametrize(
    ("values", "code", "more"),
    [
        ({}, 0, ""),
        ({"failures": ("a",)}, 1, ""),
        ({"differing": 1}, 1, ""),
        ({"not_relearned": 1}, 1, ""),
        ({"stopped": True}, 130, "note: interrupted; the tables have the logs that were finished until then\n"),
    ],
)
def test_corpus(values: dict[str, Any], code: int, more: str, stage: Stage, tmp_path: Any) -> None:
    """Failures, differing errors and rounds have exit code 1, an interruption has exit code 130."""
    result = corpus(**values)
    works = {"workflows.corpus.run": lambda request, advance, stop: advance(1, 2, "a") or result}
    stage.shows("corpus")
    assert outcome(stage("corpus logs", works)) == (code, "", NOTED + more)
    assert stage.moved == [(1, 2, "a")]
    assert stage.calls == [("tables_of", ("errors", "tests", "failures")), ("show", None, "text")]
    stage("corpus logs --relearn", works)
    assert ("tables_of", ("errors", "tests", "failures", "relearned")) in stage.calls
    stage("corpus logs --table logs --csv", works)
    assert stage.calls == [("tables_of", ["logs"]), ("show", None, "csv")]
    for form in ("markdown", "latex"):
        stage(f"corpus logs --{form}", works)
        assert stage.calls[-1] == ("show", None, form)
    assert outcome(stage("corpus logs --json --plot p.svg", works))[:2] == (code, object_of("corpus"))
    assert not (tmp_path / "p.svg").exists()
    result.cells = ("cell",)
    stage("corpus logs --plot p.svg", works)
    assert (tmp_path / "p.svg").read_bytes() == b"picture"
    assert stage.calls[0] == ("picture", "svg")


def study(*reasons: str | None, **values: Any) -> Any:
    """Return the result of a study."""
    task = of(label="pb:9,3", learner=of(name="stepwise"))
    runs = [of(task=task, reason=reason) for reason in reasons]
    known = {"notes": ("one",), "results": of(runs=runs), "tasks": len(runs), "interrupted": False, "done": 0}
    return of(**{**known, **values})


def test_study(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """Options are those of the study; refused runs are warnings, and exit code 1 if all are."""
    monkeypatch.setattr("joblib.cpu_count", lambda: 6)
    given = []

    def work(content: Any, output: Any, **settings: Any) -> Any:
        given.append((content.by, output, *(settings[name] for name in ("jobs", "scheduler", "force", "pictures"))))
        assert not settings["should_stop"]()
        settings["on_task"](1, 2, "a")
        return result

    works = {"study.read_study": lambda file: of(by="version" if file == "by.toml" else None), "study.run_study": work}
    works["study.run_study_by"] = work
    stage.shows("study")
    stage._patch.setattr("splc.cli.show.study.advance_by", lambda advance: advance)
    result = study(None, "why")
    warning = "warning: pb:9,3 (learner stepwise): why\n"
    assert outcome(stage("study", works)) == (0, "", NOTED + warning)
    assert stage.moved == [(1, 2, "a")]
    assert stage.calls == [("show",), ("end_if_interrupted",)]
    assert outcome(stage("study s.toml -o out -j 2 --force --no-pictures --json", works))[:2] == (0, object_of("study"))
    stage("study --backend dask --scheduler tcp://x", works)
    stage("study --backend dask", works)
    assert given == [
        (None, None, 6, None, False, True),
        (None, "out", 2, None, True, False),
        (None, None, 6, "tcp://x", False, True),
        (None, None, 6, "local", False, True),
    ]
    result = study("why")
    assert outcome(stage("study", works)) == (1, "", f"{NOTED}{warning}warning: nothing could be learned\n")
    result = study(results=None, tasks=2)
    assert outcome(stage("study", works)) == (0, "", NOTED)
    assert stage.calls == [("end_if_interrupted",)]
    one, two = study("why"), study("why", None)
    result = of(studies={"1": one, "2": two})
    assert outcome(stage("study by.toml", works)) == (0, "", NOTED + warning * 2)
    assert given[-1][0] == "version"
    assert stage.calls == [("show_by",), ("end_if_interrupted",)]
    assert outcome(stage("study by.toml --json", works))[:2] == (0, object_of("study", "by_as_json"))


def test_an_interrupted_study_of_a_context(stage: Stage) -> None:
    """The last study decides on the exit code."""
    done, interrupted = study(None), study(interrupted=True, results=None, tasks=3)
    stage._patch.setattr("splc.cli.show.study.show_by", lambda studies: None)
    works = {
        "study.read_study": of(by="version"),
        "study.run_study_by": of(studies={"1": done, "2": interrupted}),
    }
    text = "note: interrupted: 0 of 3 runs are done and kept; the same command continues\n"
    assert outcome(stage("study", works)) == (130, "", NOTED + text)


@pytest.mark.parametrize(("interrupted", "failed", "code"), [(False, (), 0), (False, ("a",), 1), (True, ("a",), 130)])
def test_measurement(interrupted: bool, failed: Any, code: int, stage: Stage) -> None:
    """Failed runs have exit code 1, an interruption has exit code 130; JSON comes with fewer texts."""

    def work(request: Any, on_progress: Work, should_stop: Work, on_note: Work) -> Any:
        assert not should_stop()
        on_progress(of(done=1, total=2), 3)
        on_note(Note("one"))
        return of(interrupted=interrupted, stopped=None, session=of(recorded=of(failed=failed)))

    stage.shows("measure")
    stage._patch.setattr("splc.cli.show.measure.progress_text", lambda now, at_once: f"text {now.done} {at_once}")
    assert outcome(stage("measure --command c", {"workflows.measure.run": work})) == (code, "", NOTED)
    assert (stage.moved, stage.calls) == ([(1, 2, "text 1 3")], [("show", ("quiet", False))])
    found = outcome(stage("measure --command c --json", {"workflows.measure.run": work}))
    assert found == (code, object_of("measure"), NOTED)
    assert stage.calls == [("as_json",), ("show", ("quiet", True))]


def test_dry_runs(stage: Stage) -> None:
    """A dry run prints notes and what would be run."""
    works = {"workflows.measure.preview": of(prepared=of(notes=NOTES))}
    assert outcome(stage.shows("measure")("measure --command c --dry-run", works)) == (0, "", NOTED)
    assert stage.calls == [("show_preview",)]
    found = outcome(stage("measure --command c --dry-run --json", works))
    assert found == (0, object_of("measure", "preview_json"), NOTED)


def test_files_of_conversions(stage: Stage) -> None:
    """Conversions and inferred descriptions state their files, which are not standard output."""
    for output, text in (("-", ""), ("!", "note: a model written to ! (json)\n")):
        works = {"workflows.convert.run": of(notes=NOTES, output=output, content="a model", form="json")}
        assert outcome(stage("convert a -o b", works)) == (0, "", NOTED + text)
    written: list[int] = []
    works = {"workflows.init.run": of(notes=NOTES, write=lambda: written.append(1))}
    stage.shows("init")
    assert outcome(stage("init", works)) == (0, "", NOTED)
    assert outcome(stage("init -o s.xml", works)) == (0, "", f"{NOTED}note: the description is in s.xml\n")
    assert len(written) == 2
    assert outcome(stage("init --json", works)) == (0, object_of("init"), NOTED)
    assert len(written) == 2
    text = f"{NOTED}note: the description is in s.xml\n"
    assert outcome(stage("init --json -o s.xml", works)) == (0, object_of("init"), text)
    assert len(written) == 3


def test_samples(stage: Stage) -> None:
    """A sample is written as CSV or as command lines, to the file or to standard output."""
    sample = of(configurations="c")
    works = {"workflows.sample.run": of(notes=NOTES, sample=sample)}
    stage._patch.setattr("sampling.command_strings", lambda *given: given)
    stage.shows("sample")
    assert outcome(stage("sample", works)) == (0, "", NOTED)
    assert stage.calls == [("write", "-", None)]
    assert outcome(stage("sample --json", works)) == (0, object_of("sample"), NOTED)
    assert stage.calls == [("as_json", None, None)]
    stage("sample --json -o f --command --prefix a --postfix b", works)
    assert stage.calls == [("write", "f", ("c", "a", "b")), ("as_json", "f", ("c", "a", "b"))]
