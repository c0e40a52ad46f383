"""Start of `splc`, and the cost of imports."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer

import splc
from sampling.spec import BINARY, NUMERIC, WHOLE
from splc.cli.app import COMMANDS, QUESTIONS, app, summary_of
from tests.cli.conftest import Run, description
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
UNUSED = (
    *("scipy", "sklearn", "matplotlib", "numpy.ma"),
    *("sampling.designs.subsets", "splc.learning.sums", "splc.models.text.reader"),
    *(f"splc.formats.models.{name}" for name in ("text", "python", "latex")),
)


def modules_after(code: str) -> set[str]:
    """Return the top-level modules that a fresh Python has imported after this code."""
    return {name.split(".")[0] for name in all_modules_after(code)}


def all_modules_after(code: str) -> set[str]:
    """Return all modules that a fresh Python has imported after this code."""
    code += "\nimport sys\nprint('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def modules_of(*arguments: str) -> set[str]:
    """Return all modules that a command imports."""
    return all_modules_after(f"""
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


def test_the_vocabulary_is_there() -> None:
    """Every name of the core vocabulary can be had, and is listed; another name is an ordinary AttributeError."""
    for name in vars(splc)["__all__"]:
        assert getattr(splc, name) is not None
        assert name in dir(splc)
    with pytest.raises(AttributeError, match="nothing"):
        getattr(splc, "nothing")  # noqa: B009


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["nonsense"]])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    """The help of `splc`, its version and unknown commands import no library that computes or reads."""
    assert {name.split(".")[0] for name in modules_of(*arguments)}.isdisjoint(HEAVY)


def test_learning_from_few_rows_imports_little(tmp_path: Path) -> None:
    """`splc learn` imports nothing that it has no use for, unless numpy itself does."""
    case, output = SMG2000 / "3d", str(tmp_path / "learned.log")
    files = ("--system", str(case / "system.xml"), "--measurements", str(case / "measurements.csv"))
    found = modules_of("learn", "--sampling", "pb:9,3", "--nfp", "solve_seconds", *files, "-o", output)
    assert Path(output).exists()
    assert (found - all_modules_after("import numpy")).isdisjoint(UNUSED)


def test_designs_import_no_scipy_stats(folder: Path) -> None:
    """`splc sample` does not import `scipy.stats`, which takes longer than all else, unless the design needs it."""
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
