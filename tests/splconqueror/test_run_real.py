"""Scripts on the real measurements: published numbers, and the scripts of published logs put together again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sampling import Space
from splc import read_variability_model
from splc.data.measurements import Measurements
from splc.formats.measurements.csv import write_measurements_splconqueror_csv
from splc.formats.models.read import read_stored_models
from splc.splconqueror.run import Request, Result, run
from tests.learning.conftest import measured
from tests.learning.stepwise.test_logs_of_2019 import t_wise
from tests.support.real_data import real

README = "lossFunction:RELATIVE abortError:10 minImprovementPerRound:0.25 learn_logFunction:True"
DEFAULTS = "abortError:1 minImprovementPerRound:0.1 learn_logFunction:True"

Runs = Callable[[str], Result]


@pytest.fixture
def runs(tmp_path: Path) -> Runs:
    """Return a function that runs a script."""

    def running(text: str) -> Result:
        (tmp_path / "script.a").write_text(text, encoding="utf-8")
        result = run(Request(scripts=(str(tmp_path / "script.a"),)))
        assert isinstance(result, Result)
        return result

    return running


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("system", "settings", "error", "termination", "terms"),
    [
        ("LLVM", README, 5.194, "abortError", {"time_passes", "gvn"}),
        (
            "LLVM",
            DEFAULTS,
            2.234,
            "minImprovementPerRound",
            {"time_passes", "gvn", "licm", "instcombine", "inline", "licm * gvn"},
        ),
        ("x264", README, 9.193, "abortError", {"no_asm", "ref_1", "ref_9"}),
        ("x264", DEFAULTS, 3.599, "minImprovementPerRound", set()),
        ("Dune", README, 11.595, "minImprovementPerRound", set()),
    ],
)
def test_published_numbers(
    system: str, settings: str, error: float, termination: str, terms: set[str], runs: Runs, tmp_path: Path
) -> None:
    """With the settings of SPL Conqueror's README a script learns the models that its program learns."""
    folder = real(system)
    model = folder / "FeatureModel.xml"
    result = runs(
        f"log a.log\nvm {model}\nall {folder / 'measurements.xml'}\nnfp Performance\nmlsettings {settings}\n"
        "select-all-measurements true\nlearn-splconqueror\nanalyze-learning"
    )
    (learned,) = result.models
    assert learned.error == pytest.approx(error, abs=5e-4)
    assert learned.result.termination == termination
    last = (tmp_path / "a.log").read_text(encoding="utf-8").splitlines()[-2].split(";")
    found = {frozenset(term.split(" * ")[1:]) for term in last[1].split(" + ")}
    assert not terms or found == {frozenset(term.split(" * ")) for term in terms}


def echoed(*names: str) -> Iterator[str]:
    """Yield the commands of published logs."""
    for name in names:
        for line in real("splc_logs", name).read_text(encoding="utf-8").splitlines():
            if line.startswith("command: "):
                yield line.removeprefix("command: ")


def script_of(folder: Path, system: str, *names: str) -> str:
    """Return the script that wrote logs, with the files of this machine, without the scripts that it calls."""
    written = "clean-global", "script"
    commands = (command for command in echoed(*names) if command.split()[0] not in written)
    files = {"FeatureModel.xml": "vm", "measurements.xml": "all"}
    lines = []
    for command in commands:
        place = next((file for file in files if command.endswith(file)), None)
        lines.append(f"{files[place]} {real(system, place)}" if place else command.replace("DIR/", "./"))
    return "\n".join(["log first.log", *lines])


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("system", "names", "sampled"),
    [
        pytest.param("Dune", ["Dune_divDistBased_t2.log"], [265], marks=pytest.mark.slow),
        ("Dune", ["Dune_solvBased_t1.log"], [25]),
        ("LLVM", ["LLVM_distBased_t3.log"], [165]),
        ("x264", ["x264_henard_t1.log"], [12]),
        ("x264", ["x264_rand_t2.log"], [65]),
        ("x264", ["x264_twise.log", "x264_twise_t1.log", "x264_twise_t2.log"], [12, 65]),
    ],
)
def test_scripts_of_published_logs(
    system: str, names: list[str], sampled: list[int], runs: Runs, tmp_path: Path
) -> None:
    """The commands that a published log echoes run; each learns from as many configurations as the program did.

    The logs that they write echo the same commands, and hold the models.
    """
    text = script_of(tmp_path, system, *names)
    if "fromFile:../allConfigurations.csv" in text:
        text = text.replace("../allConfigurations.csv", "all.csv")
        _write_all(system, tmp_path / "all.csv")
    result = runs(text)
    assert [each.result.learning_configurations for each in result.models] == sampled
    assert all(each.error is not None and each.error < 60 for each in result.models)
    logs = [file for file in result.logs if not file.endswith("_error")]
    commands = [line for file in logs for line in Path(file).read_text(encoding="utf-8").splitlines()]
    assert [line.removeprefix("command: ") for line in commands if line.startswith("command: ")] == text.splitlines()[
        1:
    ]
    with_models = [each.log for each in result.models if each.log is not None]
    stored = read_stored_models(with_models, learning=0)
    assert [len(each.model.terms) for each in stored] == [len(each.result.model.terms) for each in result.models]


def _write_all(system: str, path: Path) -> None:
    everything = Space(read_variability_model(real(system, "FeatureModel.xml"))).enumerate(10_000)
    write_measurements_splconqueror_csv(Measurements(everything, {}), path)


@pytest.mark.real_data
@pytest.mark.parametrize(("strength", "terms"), [(1, 3), (2, 4)])
def test_published_models(strength: int, terms: int, tmp_path: Path) -> None:
    """With its first term and its configurations, a script learns the model of a published log."""
    x264 = measured("x264")
    rows = t_wise(x264, strength)
    table = Measurements(x264.configurations[rows], {})
    write_measurements_splconqueror_csv(table, tmp_path / "sampled.csv")
    settings = next(each for each in echoed("x264_twise.log") if each.startswith("mlsettings"))
    (tmp_path / "script.a").write_text(
        f"{settings} first:no_mixed_refs\nvm {real('x264', 'FeatureModel.xml')}\n"
        f"all {real('x264', 'measurements.xml')}\nnfp Performance\n"
        f"binary random numConfigs:{len(rows)} fromFile:sampled.csv\nstart",
        encoding="utf-8",
    )
    result = run(Request(scripts=(str(tmp_path / "script.a"),), preset="splconqueror-2019"))
    assert isinstance(result, Result)
    (found,) = result.models
    published = real("splc_logs", f"x264_twise_t{strength}.log").read_text(encoding="utf-8").splitlines()
    last = [line for line in published if line[:1].isdigit()][-1].split(";")
    assert len(found.result.model.terms) == terms
    assert found.result.learning_error == pytest.approx(float(last[3]), rel=1e-11)
    assert found.error == pytest.approx(float(last[11]), rel=1e-11)


EXAMPLE = """vm {model}
all {measurements}
nfp Performance
binary random numConfigs:{count} seed:15
numeric centralcomposite
printconfigs ./configurations.txt
printconfigs ./configurations.csv
clean-sampling
truemodel ./trueModel.txt ./predictions.csv
select-all-measurements true
script ./sub.a
analyze-learning
"""


@pytest.mark.real_data
@pytest.mark.parametrize(("count", "sampled"), [("3", True), ("asOW", True), ("asTW2", False)])
def test_an_example_script(count: str, sampled: bool, runs: Runs, tmp_path: Path) -> None:
    """A typical example script prints configurations, fits given terms, and calls a script that learns.

    This system has no pair of options, so that its sample of as many configurations is empty, and a note says so.
    """
    model, measurements = real("splc_examples", "VariabilityModel.xml"), real("splc_examples", "measurements.xml")
    (tmp_path / "trueModel.txt").write_text("root\nbinOpt2\nbinOpt4\nnumOpt1 * binOpt1\nlog10( numOpt2 )\n")
    (tmp_path / "sub.a").write_text("select-all-measurements true\nlearn-splconqueror\n")
    result = runs(EXAMPLE.format(model=model, measurements=measurements, count=count))
    lines = (tmp_path / "configurations.txt").read_text(encoding="utf-8").splitlines()
    assert bool(lines) == sampled
    assert all(line.startswith('prefix "root%;%binOpt1%;%') and line.endswith(" postfix") for line in lines)
    assert len((tmp_path / "configurations.csv").read_text(encoding="utf-8").splitlines()) == len(lines) + 1
    assert any("asTW2 is 0" in str(note) for note in result.notes) != sampled
    fitted, learned = result.models
    assert len(fitted.result.terms) == 5
    assert learned.result.learning_configurations == 16
    assert learned.error == pytest.approx(learned.result.learning_error)
