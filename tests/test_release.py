"""The facts of a release are the same in all files that state them."""

from __future__ import annotations

import re
import tomllib

import splc
from tests.support.paths import ROOT

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
