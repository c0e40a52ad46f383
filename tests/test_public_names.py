"""The public names: every one is documented, every documented one exists, and each is there when it is used."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
import textwrap
from collections.abc import Mapping
from doctest import DocTest, DocTestFinder, DocTestRunner
from functools import cache
from importlib import import_module
from typing import Any

import pytest

from tests.support.paths import ROOT

PACKAGES = (
    "splc",
    "sampling",
    "splc.learning",
    "splc.scaling",
    "splc.calibration",
    "comparison",
    "splc.study",
    "splc.tuning",
)
PUBLIC = {f"{package}.{name}" for package in PACKAGES for name in import_module(package).__all__}


def public(name: str) -> Any:
    """Return the value of a public name."""
    package, _, own = name.rpartition(".")
    return getattr(import_module(package), own)


def test_the_page_names_the_public_packages() -> None:
    """The page of the API names the packages whose public names `make docs` lists."""
    page = (ROOT / "docs" / "reference" / "api.md").read_text(encoding="utf-8")
    assert [name for name in PACKAGES if f"`{name}`" not in page] == []
    site = (ROOT / "docs" / "site.py").read_text(encoding="utf-8")
    assert [name for name in PACKAGES if f'"{name}"' not in site] == []


def test_workflows_have_the_same_parts() -> None:
    """Each public module of `splc.workflows` has a request, a result and `run`."""
    stub = (ROOT / "splc" / "workflows" / "__init__.pyi").read_text(encoding="utf-8")
    names = {
        f"splc.workflows.{name}" for name in re.findall(r"^from splc\.workflows import (\w+) as", stub, re.MULTILINE)
    } | {"splc.splconqueror.run"}
    for name in names:
        module = import_module(name)
        assert {"Request", "Result", "run"} <= set(dir(module)), name


def test_public_names_are_documented() -> None:
    """Public functions and classes have docstrings whose first line is one sentence."""
    values = {name: public(name) for name in PUBLIC}
    described = {name for name, value in values.items() if inspect.isclass(value) or inspect.isroutine(value)}
    assert {name for name in described if not re.match(r"\S.*\.(\n|$)", values[name].__doc__ or "")} == set()


# Examples of these would take longer, or need another library; pages run them.
WITHOUT_EXAMPLE = {
    *("splc.study.run_study", "splc.study.run_study_by"),
    *("splc.scaling.fit_experiment", "splc.tuning.from_optuna"),
}


@cache
def session() -> Mapping[str, Any]:
    """Return the names of the session that examples of docstrings are a part of."""
    page = (ROOT / "docs" / "reference" / "api.md").read_text(encoding="utf-8")
    values: dict[str, Any] = {}
    exec("\n".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL)), values)  # noqa: S102
    return values


def examples() -> Mapping[str, DocTest]:
    """Return name → the examples in the docstring of each public function and class."""
    found = {name: DocTestFinder(recurse=False).find(public(name), name, globs={}) for name in PUBLIC}
    return {name: tests[0] for name, tests in sorted(found.items()) if tests and tests[0].examples}


EXAMPLES = examples()


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_of_docstrings(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The example of a public name gives what it shows."""
    monkeypatch.chdir(ROOT / "casestudies" / "smg2000" / "2d")
    lines: list[str] = []
    EXAMPLES[name].globs = {**session()}
    assert DocTestRunner().run(EXAMPLES[name], out=lines.append).failed == 0, "".join(lines)


def test_public_functions_have_examples() -> None:
    """Every public function has an example that is run."""
    functions = {name for name in PUBLIC if inspect.isroutine(public(name))}
    assert functions - EXAMPLES.keys() == WITHOUT_EXAMPLE


LAZY = ("splc", "splc.learning", "splc.scaling", "sampling", "comparison")


def run(code: str) -> None:
    """Run code in a fresh interpreter, in which nothing of the project is imported yet."""
    command = [sys.executable, "-c", textwrap.dedent(code)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "before",
    [
        "",
        "import sampling.sample",
        "import sampling.spec",
        "from sampling.sample import draw_sample",
        "from sampling import draw_sample",
        "import sampling; sampling.sample",
        "from importlib import import_module; import_module('sampling.sample')",
    ],
)
def test_a_name_wins_over_its_module(before: str) -> None:
    """`sampling.sample` is the function, whatever was imported before and after."""
    run(
        f"""
        {before}
        import sampling
        from sampling import sample
        import sampling.sample
        from sampling import sample as again
        assert callable(sample), sample
        assert sample is again is sampling.sample
        assert sample.__module__ == "sampling.sample"
        """
    )


@pytest.mark.parametrize("package", LAZY)
def test_public_names(package: str) -> None:
    """`dir` lists public names before their first use, and no helpers; each is the object defined under that name."""
    run(
        f"""
        import sys, types, {package}
        package = sys.modules["{package}"]
        listed = dir(package)
        assert set(package.__all__) <= set(listed)
        assert "__name__" in listed and "__path__" in listed
        for name in listed:
            public = name in package.__all__ or name.startswith("__") or "{package}." + name in sys.modules
            assert public or isinstance(getattr(package, name), types.ModuleType), name
        assert not {{"attach_stub", "annotations", "_homes"}} & set(listed)
        for name in package.__all__:
            value = getattr(package, name)
            assert not isinstance(value, types.ModuleType), name
            assert getattr(value, "__name__", name) == {{"scale": "fit"}}.get(name, name), (name, value)
        namespace = {{}}
        exec("from {package} import *", namespace)
        assert set(package.__all__) <= namespace.keys()
        """
    )


@pytest.mark.parametrize("package", LAZY)
def test_unknown_names(package: str) -> None:
    """An unknown name is an AttributeError that names the package."""
    module = __import__(package, fromlist=["__name__"])
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'no_such_name'"):
        module.no_such_name  # noqa: B018
    assert not hasattr(module, "no_such_name")
