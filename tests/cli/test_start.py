"""Start and end of `splc`: the cost of imports, and signals in this process and outside of commands."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from sampling.spec import BINARY, NUMERIC, WHOLE
from splc import cli
from splc.cli.app import COMMANDS, QUESTIONS, app, summary_of
from splc.cli.command import interruption, terminated_as_interrupted
from tests.cli.conftest import Run, description
from tests.support.objects import of
from tests.support.paths import SMG2000

# Not pydantic, which typer imports from version 0.29 on.
HEAVY = ("numpy", "scipy", "sklearn", "lxml", "joblib", "matplotlib", "sampling", "comparison")

# Every design but `sobol`, which is scipy.stats' own sequence, with arguments.
BINARY_SPECS = """all optionwise negoptionwise pairwise twise:2 covering:1 random:2 distance:2 divdistance:2 solver:2
henard:2 distaware:2 distpreserving:2"""
NUMERIC_SPECS = """ff random:2 pb:9,3 cci cci:compat cci:rotatable bbd bbd:compat ofat:3 factorial:2 hyper:50
dopt:4,capped lhs:2 distaware:2 distpreserving:2"""
WHOLE_SPECS = """random:2 random:2,compat distaware:4,distribution=normal distaware:4,distribution=binomial
distaware:4,distribution=geometric distpreserving:4 distance:4 measured measured:2 suggest:2"""
# What learning by the default learner from few rows, and writing a log, have no use for.
UNUSED = ("scipy", "sklearn", "matplotlib", "numpy.ma", "splc.learning.sums", "splc.models.text.reader")


def modules_after(code: str) -> set[str]:
    """Return all modules that a fresh Python has imported after this code."""
    code += "\nimport sys\nprint('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def modules_of(*arguments: str) -> set[str]:
    """Return all modules that a command imports."""
    return modules_after(f"""
import contextlib, io, sys
sys.argv = ["splc", *{arguments!r}]
from splc.cli import main
with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
    try:
        main()
    except SystemExit:
        pass
""")


def test_the_vocabulary_is_lazy() -> None:
    """`import splc` imports neither numpy nor sampling nor comparison, and its names never the latter two."""
    assert modules_after("import splc; dir(splc); splc.__version__").isdisjoint(HEAVY)
    used = modules_after("from splc import Measurements, Term, read_variability_model, read_measurements")
    assert used.isdisjoint({"sampling", "comparison"})


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["nonsense"]])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    """The help of `splc`, its version and unknown commands import no library that computes or reads."""
    assert modules_of(*arguments).isdisjoint(HEAVY)


def test_learning_from_few_rows_imports_little(tmp_path: Path) -> None:
    """`splc learn` imports nothing that it has no use for, unless numpy itself does."""
    case, output = SMG2000 / "3d", str(tmp_path / "learned.log")
    files = ("--system", str(case / "system.xml"), "--measurements", str(case / "measurements.csv"))
    found = modules_of("learn", "--sampling", "pb:9,3", "--nfp", "solve_seconds", *files, "-o", output)
    assert Path(output).exists()
    assert (found - modules_after("import numpy")).isdisjoint(UNUSED)


def test_designs_import_no_scipy_stats(folder: Path) -> None:
    """`splc sample` imports neither learners nor `scipy.stats`, which takes long, unless the design needs it."""
    binary, numeric, whole = BINARY_SPECS.split(), NUMERIC_SPECS.split(), WHOLE_SPECS.split()
    option = "<configurationOption><name>{}</name><{}></configurationOption>"
    binary_option = option.format("b", "optional>True</optional")
    options = "".join(option.format(name, "values>1;2;3;4</values") for name in "xyz")
    (folder / "system.xml").write_text(description(binary_option, numeric=options), encoding="utf-8")
    (folder / "measurements.csv").write_text("cache,b,x,y,z,time\n1,1,1,2,3,4\n0,1,1,2,3,5\n", encoding="utf-8")
    for specs, table in ((binary, BINARY), (numeric, NUMERIC), (whole, WHOLE)):
        assert {spec.partition(":")[0] for spec in specs} == table.keys() - {"sobol"}
    specs = [*(f"{spec}+ff" for spec in binary), *(f"all+{spec}" for spec in numeric), *whole]
    code = f"""
import contextlib, io, sys
from splc.cli import main
for spec in {specs}:
    sys.argv = ["splc", "sample", "--sampling", spec]
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.suppress(SystemExit):
        main()
    assert "cache,b,x,y,z" in output.getvalue() or spec == "suggest:2", spec
    assert "scipy.stats" not in sys.modules, spec
    assert "splc.learning.learner" not in sys.modules, spec
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=folder)
    assert done.returncode == 0, done.stderr


def test_help_lists_every_command(run: Run) -> None:
    """`splc --help` lists all commands, and its own options."""
    text = run("--help").stdout
    assert re.findall(r"^  (\w+) ", text.partition("Commands:")[2], re.MULTILINE) == list(COMMANDS)
    assert "--version" in text
    assert "--help" in text


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_says_what_help_says(name: str) -> None:
    """`splc --help` shows the first paragraph of the help of each command."""
    group: Any = typer.main.get_command(app)
    text = group.get_command(typer.Context(group), name).help
    assert " ".join(text.split("\n\n")[0].split()) == summary_of(name)


def test_only_the_command_that_runs_is_built() -> None:
    """A subcommand is built without the others, and unknown names are not built."""
    group: Any = typer.main.get_command(app)
    context = typer.Context(group)
    assert group.get_command(context, "learn").name == "learn"
    assert list(group.commands) == ["learn"]
    assert group.get_command(context, "lern") is None


def test_no_arguments(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """`splc` alone shows questions with commands that run, and ends with the code of a usage error."""
    result = run()
    monkeypatch.chdir(tmp_path)
    for name in ("zstd", "kernels"):
        assert run("example", name).exit_code == 0
        monkeypatch.chdir(tmp_path / name)
        Path("formula.txt").write_text("0.01 * level", encoding="utf-8")
        for table in Path().glob("measurements.csv"):
            table.write_text("".join(table.read_text(encoding="utf-8").splitlines(keepends=True)[::24]))
        for question, command in QUESTIONS.items():
            assert f"  {question:32} {command}" in result.stdout
            if ("scale" in command) == (name == "kernels"):
                assert run(*command.split()[1:]).exit_code == 0, command
        monkeypatch.chdir(tmp_path)


MAIN = "from splc.cli import main\nsys.argv = ['splc', '--version']\nmain()"


@pytest.mark.parametrize(
    ("number", "moment"),
    [
        # While modules are imported, and after the command.
        (
            signal.SIGINT,
            "class Finder:\n"
            "    def find_spec(self, name, path=None, target=None):\n"
            "        name != 'typer' or end()\n"
            "sys.meta_path.insert(0, Finder())",
        ),
        (signal.SIGTERM, "import atexit\natexit.register(end)"),
    ],
)
def test_interrupted_outside_of_a_command(number: int, moment: str) -> None:
    """A request to end while splc starts, or ends, is followed at once, without a traceback."""
    code = f"import os, signal, sys\nend = lambda: signal.raise_signal({int(number)})\n{moment}\n{MAIN}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (130, "")


@pytest.mark.parametrize("file", ["sampling/__init__.py", pytest.param("comparison.py", marks=pytest.mark.slow)])
def test_a_file_that_shadows_a_package(folder: Path, file: str) -> None:
    """A user's file in the place of a package is named in one message with exit code 2; the command does not see it."""
    (folder / file).parent.mkdir(exist_ok=True)
    (folder / file).write_text("", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "splc", "describe"], capture_output=True, text=True, check=False, cwd=folder
    )
    assert done.returncode == 2
    assert done.stdout == ""
    name = Path(file).parts[0].removesuffix(".py")
    assert done.stderr == (
        f"{folder / file}: this file shadows the package '{name}' that belongs to splc\n"
        "    rename it, or run the command 'splc' instead of 'python -m splc'\n"
    )
    command = Path(sys.executable).with_name("splc")
    assert subprocess.run([command, "describe"], stdout=subprocess.DEVNULL, check=False, cwd=folder).returncode == 0


@pytest.mark.slow
def test_a_file_of_the_name_splc(models: Path) -> None:
    """The command works beside a user's `splc.py`, also in its processes."""
    (models / "splc.py").write_text("raise SystemExit('not this one')\n", encoding="utf-8")
    (models / "study.toml").write_text('samplings = ["pb:9,3", "random:4"]\n', encoding="utf-8")
    command = str(Path(sys.executable).with_name("splc"))
    arguments = [command, "study", "--no-pictures", "--jobs", "2"]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False, cwd=models)
    assert done.returncode == 0, done.stderr


BOTH = (signal.SIGINT, signal.SIGTERM)


@pytest.fixture(autouse=True)
def _handlers() -> Iterator[None]:
    """Restore the handlers of signals."""
    all_of = (*BOTH, signal.SIGHUP)
    before = [signal.getsignal(each) for each in all_of]
    for each in all_of:
        signal.signal(each, signal.SIG_DFL)
    yield
    for each, handler in zip(all_of, before, strict=True):
        signal.signal(each, handler)


def handlers() -> list[Any]:
    """Return the handlers of Ctrl-C and SIGTERM."""
    return [signal.getsignal(each) for each in BOTH]


def started(monkeypatch: pytest.MonkeyPatch, app: Any) -> None:
    """Run `main` with this app, or without one that can be imported."""
    monkeypatch.setitem(sys.modules, "splc.cli.app", of(app=app) if app is not None else None)
    cli.main()


def test_signals(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C raises KeyboardInterrupt in a command only; before and after it a signal ends the process at once."""
    within: list[Any] = []
    started(monkeypatch, lambda: within.extend(handlers()))
    assert within == [signal.default_int_handler, cli.end_process]
    assert handlers() == [cli.end_process, cli.end_process]
    ended: list[int] = []
    monkeypatch.setattr(os, "_exit", ended.append)
    signal.raise_signal(signal.SIGTERM)
    assert ended == [130]


@pytest.mark.parametrize("ignored", BOTH)
def test_ignored_signals(ignored: signal.Signals, monkeypatch: pytest.MonkeyPatch) -> None:
    """Signals that the process was started to ignore stay ignored."""
    signal.signal(ignored, signal.SIG_IGN)
    within: list[Any] = []
    started(monkeypatch, lambda: within.extend(handlers()))
    place = BOTH.index(ignored)
    assert (within[place], handlers()[place]) == (signal.SIG_IGN, signal.SIG_IGN)
    assert handlers()[1 - place] is cli.end_process


def test_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    """An interruption outside of a command has exit code 130; the handlers are those of the end."""

    def app() -> None:
        raise KeyboardInterrupt

    with pytest.raises(SystemExit) as ended:
        started(monkeypatch, app)
    assert ended.value.code == 130
    assert handlers() == [cli.end_process, cli.end_process]


def test_no_app(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A module that cannot be imported is a bug, with one message."""
    with pytest.raises(SystemExit) as ended:
        started(monkeypatch, None)
    assert ended.value.code == 70
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: splc cannot start: ModuleNotFoundError: import of splc.cli.app halted")


class TestInterruption:
    @pytest.mark.parametrize(
        ("sent", "again"), [(signal.SIGINT, "press Ctrl-C again"), (signal.SIGTERM, "send the signal again")]
    )
    def test_first(self, sent: signal.Signals, again: str, capsys: pytest.CaptureFixture[str]) -> None:
        """The first signal sets the flag and is answered; the second one, of either kind, ends the block."""
        for second in BOTH:
            with interruption("this step") as stop:
                assert not stop()
                signal.raise_signal(sent)
                assert stop()
                assert capsys.readouterr().err == f"\nstopping after this step; {again} to end at once\n"
                with pytest.raises(KeyboardInterrupt):
                    signal.raise_signal(second)
            assert handlers() == [signal.SIG_DFL, signal.SIG_DFL]

    def test_nothing_to_keep(self, capsys: pytest.CaptureFixture[str]) -> None:
        """Without finished work to keep the first signal ends the block."""
        with interruption("a", kept=False) as stop:
            assert (stop.requested, stop.kept) == (False, False)
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
        assert stop.requested
        with interruption("a") as stop:
            assert stop.kept
            stop.end_at_once()
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGTERM)
        assert capsys.readouterr().err == ""

    def test_chosen_signals(self) -> None:
        """Signals that are not chosen, or ignored, keep their handlers."""
        with interruption("a", (signal.SIGINT,)):
            assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        with interruption("a"):
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
            assert signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
            signal.raise_signal(signal.SIGTERM)
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        assert handlers() == [signal.SIG_IGN, signal.SIG_DFL]

    def test_other_threads(self) -> None:
        """In another thread, which receives no signals, the handlers stay, and the flag is unset."""
        found: list[Any] = []

        def work() -> None:
            with interruption("a", kept=False) as stop, terminated_as_interrupted():
                found.extend((stop(), stop.kept, *handlers()))

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        assert found == [False, False, signal.SIG_DFL, signal.SIG_DFL]

    @pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGHUP])
    def test_termination(self, sent: signal.Signals) -> None:
        """A request to end is a KeyboardInterrupt, during whose handling a second one is ignored."""
        with terminated_as_interrupted():
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(sent)
            assert signal.getsignal(sent) is signal.SIG_IGN
        assert signal.getsignal(sent) is signal.SIG_DFL

    def test_hang_up(self) -> None:
        """A hang-up that is ignored (`nohup`) stays so."""
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        with terminated_as_interrupted():
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
            assert signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
