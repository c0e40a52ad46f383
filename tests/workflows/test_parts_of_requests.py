"""Requests with several parts: interrupts between them, the first error, and what the result keeps."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sampling import Space
from splc import read_variability_model
from splc.data.measurements import Measurements
from splc.errors import ConfigurationError, InputError, LearningError, MachineError, OutputError, SplcError
from splc.formats.scripts.strategies import Sampling
from splc.measuring.session import Session
from splc.splconqueror.samples import learning_rows
from splc.workflows import learn, measure, suggest
from splc.workflows.learn import contexts as learn_by
from splc.workflows.measure.outcome import Outputs
from splc.workflows.subspace import one_configuration


def test_an_interrupt_keeps_the_values_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C while the model of the second of three versions is learned keeps the first one, and begins no third."""
    monkeypatch.chdir(tmp_path)
    table = [f"v{version},{x},{version + x}" for version in (1, 2, 3) for x in range(1, 6)]
    Path("m.csv").write_text("\n".join(["version,x,time", *table]) + "\n", encoding="utf-8")
    begun: list[str] = []
    learning = learn.run

    def pressed(request: learn.Request, *values: Any, **named: Any) -> learn.Result:
        begun.append(request.where["version"])
        if len(begun) == 2:
            raise KeyboardInterrupt
        return learning(request, *values, **named)

    monkeypatch.setattr("splc.workflows.learn.learn.run", pressed)
    found = learn_by.run(learn.Request(by="version", measurements="m.csv", options=("x",), write=False))
    assert begun == ["v1", "v2"]
    assert (list(found.models), found.failed, found.stopped) == (["v1"], {}, True)


@pytest.mark.usefixtures("project")
def test_the_result_has_what_was_searched_and_written() -> None:
    """A result has the search of settings, and the file of the plot if it was written."""
    fields: dict[str, Any] = {
        "sampling": "measured:12",
        "folds": 2,
        "plot": "p.svg",
    }
    for write in (True, False):
        found = learn.run(learn.Request(preset="splconqueror", write=write, output="m.log", **fields))
        assert Path("p.svg").exists()
        assert (found.plot, found.output) == (("p.svg", "m.log") if write else (None, None))


@pytest.mark.parametrize("stopped", [False, True])
@pytest.mark.usefixtures("project")
def test_the_first_error_of_a_measurement_is_told(monkeypatch: pytest.MonkeyPatch, stopped: bool) -> None:
    """If the table cannot be written, the error is that; but the one that ended the runs, if there is one."""

    def failing(error: SplcError) -> Callable[..., Any]:
        def fails(*_: Any, **__: Any) -> None:
            raise error

        return fails

    monkeypatch.setattr(Outputs, "write", failing(OutputError("the table cannot be written")))
    if stopped:
        monkeypatch.setattr(Session, "measure", failing(MachineError("the disk is full")))
    with pytest.raises(MachineError if stopped else OutputError) as caught:
        measure.run(measure.Request(command="echo {px}", sampling="pb:9,3", output="new.csv"))
    assert caught.value.problems[0].message == ("the disk is full" if stopped else "the table cannot be written")


def test_sampled_configurations_without_a_value(folder: Path) -> None:
    """If no sampled configuration has a value, the message says so; if nothing is sampled, it says why."""
    system = read_variability_model(folder / "system.xml")
    space = Space(system)
    everything = space.enumerate()
    measured = Measurements(everything, {"time": np.full(len(everything), np.nan)})
    with pytest.raises(LearningError, match="none of the sampled configurations was measured"):
        learning_rows([Sampling("binary", "all"), Sampling("numeric", "ff")], False, measured, "time", space, "s.a")
    with pytest.raises(LearningError, match=r"nothing to learn from: twise:9.* selects no configuration"):
        learning_rows([Sampling("binary", "twise:9")], False, measured, "time", space, "s.a")


def test_an_invalid_configuration_is_shown(folder: Path) -> None:
    """The problem of a configuration that is not valid has its text and the constraint."""
    space = Space(read_variability_model(folder / "system.xml"))
    with pytest.raises(ConfigurationError) as caught:
        one_configuration("cache=1,right=1,x=2", space)
    [problem] = caught.value.problems
    assert problem.text == "cache=1,right=1,x=2"
    assert "cache" in problem.message


def test_a_profile_as_measurements(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Suggestions for a system refuse a profile, by its content."""
    monkeypatch.chdir(tmp_path)
    Path("+m.csv").write_text('{"params": {"p": 1}, "value": 2}\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"\+m\.csv: this is a profile"):
        suggest.run(suggest.Request(measurements="+m.csv", budget=1))
