"""Releases: the checkout, the version, the oldest dependencies, and the same numbers on every machine."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import splc
from tests.support.everywhere import systems
from tests.support.golden_messages import check_calls
from tests.support.paths import ROOT
from tests.support.tracked import not_ignored, tracked

# What the demo and README's examples, studies and users write; the last ones are in no list of ignored files.
IGNORED = ("casestudies/smg2000/2d/learned.png", "casestudies/smg2000/2d/comparison.svg", "build/demo/2d/learned.png")
# No test of the source or of the pages accepts it.
TEXT = "nobody\n" * 1000


def test_the_checkout_is_what_gitignore_does_not_name() -> None:
    """No tracked file is ignored, so that an unpacked archive has the files that git would list."""
    assert set(tracked()) <= set(not_ignored(ROOT))


def test_leftovers_are_ignored(tmp_path: Path) -> None:
    """What commands write beside committed files is not listed."""
    for name in IGNORED:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(TEXT, encoding="utf-8")
    (tmp_path / "casestudies" / "committed.py").write_text("", encoding="utf-8")
    assert list(not_ignored(tmp_path)) == [tmp_path / "casestudies" / "committed.py"]


PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def text(name: str) -> str:
    """Return a file of the checkout."""
    return (ROOT / name).read_text(encoding="utf-8")


def test_versions() -> None:
    """The version is that of CITATION.cff and the conda recipe, and its date that of the changelog."""
    assert re.findall(r"^version: (.*)$", text("CITATION.cff"), re.MULTILINE) == [splc.__version__]
    assert re.findall(r"^  version: ([\d.]+)$", text("packaging/conda/recipe.yaml"), re.MULTILINE) == [splc.__version__]
    released = re.findall(r"^date-released: (.*)$", text("CITATION.cff"), re.MULTILINE)
    assert re.findall(r"^## \[([\d.]+)\] - (.*)$", text("CHANGELOG.md"), re.MULTILINE)[0] == (
        splc.__version__,
        *released,
    )


def test_conda_recipe() -> None:
    """The recipe needs what the wheel needs."""
    needed = re.findall(r"^    - (.*)$", text("packaging/conda/recipe.yaml").partition("  run:\n")[2], re.MULTILINE)
    wheel = [re.sub(r"(?=>=)", " ", each) for each in PROJECT["dependencies"]]
    assert sorted(needed) == sorted([f"python {PROJECT['requires-python']}", *wheel])


def test_archive_has_what_the_project_needs() -> None:
    """The source archive has each tracked file and folder of the top level."""
    built = tomllib.loads(text("pyproject.toml"))["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    assert [name for name in built if not (ROOT / name.strip("/")).exists()] == []
    assert {"/mkdocs.yml", "/CITATION.cff", "/.github", "/packaging"} <= set(built)


def test_python_versions() -> None:
    """The classifiers name the versions of Python that CI tests."""
    stated = re.findall(r"Python :: (3\.\d+)$", "\n".join(PROJECT["classifiers"]), re.MULTILINE)
    tested = re.findall(r"python: \[(.*)\]", text(".github/workflows/ci.yml"))[0]
    assert stated == re.findall(r"3\.\d+", tested)


# Tools that check the code, build the site and the package, and PyTorch, which is gigabytes.
NOT_INSTALLED = {
    "atheris", "build", "cosmic-ray", "coverage", "import-linter", "mkdocs", "mkdocs-material", "mkdocstrings", "mypy",
    "optuna", "ruff", "scipy-stubs", "smac", "torch", "twine", "types-lxml",
}  # fmt: skip
# Pins of packages that splc does not name itself; the file states why.
FURTHER = {"pyparsing"}
REQUIREMENT = re.compile(r"([\w-]+)(?:\[.*\])?(?:[>=]=([\d.]+(?:dev\d+)?))?(?:,<[\d.]+)?")


def version(text: str) -> tuple[int, ...]:
    """Return a version without zeros at its end; python-sat has development versions only, such as `1.9.dev22`."""
    numbers = [int(part.removeprefix("dev")) for part in text.split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def bounds() -> dict[str, tuple[int, ...]]:
    """Return name → lower bound of all requirements."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    texts = [*project["dependencies"], *(text for extra in project["optional-dependencies"].values() for text in extra)]
    found = {}
    for text in texts:
        match = REQUIREMENT.fullmatch(text.partition(";")[0])
        assert match is not None, text
        if match[2] is not None:
            found[match[1]] = version(match[2])
    return found


def test_lower_bounds_are_pinned() -> None:
    """Every lower bound of what is installed has a pin, and every pin is a lower bound."""
    lines = (ROOT / ".ci" / "oldest.txt").read_text(encoding="utf-8").splitlines()
    pins = dict(line.split("==") for line in lines if line and not line.startswith("#"))
    wanted = {name: bound for name, bound in bounds().items() if name not in NOT_INSTALLED}
    assert {name: version(pin) for name, pin in pins.items() if name not in FURTHER} == wanted


# The kernel of OpenBLAS, its threads, the seed of Python's hashes; the first one is what others are compared with.
MACHINES = (
    ("Haswell", 1, 0),
    ("Haswell", 2, 1),
    ("Sandybridge", 1, 1),
    ("Sandybridge", 2, 2),
    ("SkylakeX", 1, 2),
    ("SkylakeX", 2, 0),
)
TOLERANCE = 1e-9
ROUNDING = 1e-15  # of sums of numbers up to 1 that are 0
# Errors in percent are differences of numbers that agree to `TOLERANCE`.
ERRORS = re.compile("error|cross_validated")


def computed(system: str, kernel: str, threads: int, seed: int) -> Any:
    """Return the numbers of a system as another machine computes them."""
    environment = {
        **os.environ,
        "OPENBLAS_CORETYPE": kernel,
        "OPENBLAS_NUM_THREADS": str(threads),
        "PYTHONHASHSEED": str(seed),
        "NO_COLOR": "1",
    }
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.everywhere", system],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def differences(one: Any, other: Any, place: str = "") -> Iterator[str]:
    """Yield the places at which two JSON values differ: numbers by more than 1e-9 of the larger one."""
    if isinstance(one, dict) and isinstance(other, dict):
        if one.keys() != other.keys():
            yield f"{place}: keys {sorted(one.keys() ^ other.keys())}"
        for key in one.keys() & other.keys():
            yield from differences(one[key], other[key], f"{place} / {key}")
    elif isinstance(one, list) and isinstance(other, list):
        if len(one) != len(other):
            yield f"{place}: {len(one)} and {len(other)} values"
        for number, (left, right) in enumerate(zip(one, other, strict=False)):
            yield from differences(left, right, f"{place} [{number}]")
    elif isinstance(one, float) and isinstance(other, float):
        if not math.isclose(one, other, rel_tol=TOLERANCE, abs_tol=TOLERANCE if ERRORS.search(place) else ROUNDING):
            yield f"{place}: {one!r} and {other!r}"
    elif one != other:
        yield f"{place}: {one!r} and {other!r}"


@pytest.mark.slow
@pytest.mark.parametrize("system", systems())
def test_same_numbers(system: str) -> None:
    """Models, samples, comparisons and predictions are the same on every machine."""
    expected = computed(system, *MACHINES[0])
    found = [
        f"{kernel}, {threads} threads, hash seed {seed}:{text}"
        for kernel, threads, seed in MACHINES[1:]
        for text in differences(expected, computed(system, kernel, threads, seed))
    ]
    assert not found, "\n".join(found[:50])


def test_differences() -> None:
    """Numbers agree to a relative 1e-9, everything else exactly."""
    check_calls("differences-of-machines", found=lambda one, other: not list(differences(one, other)))
