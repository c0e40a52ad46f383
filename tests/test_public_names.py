"""The public names: every one is documented, and every documented one exists."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path
from pkgutil import resolve_name

import pytest

from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "howto" / "python.md").read_text(encoding="utf-8")
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


def section(title: str) -> str:
    """Return the text of a section of the page."""
    (found,) = re.findall(rf"^## {title}\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE)
    return str(found)


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
    values = {name: resolve_name(name) for name in PUBLIC}
    described = {name for name, value in values.items() if inspect.isclass(value) or inspect.isroutine(value)}
    assert {name for name in described if not re.match(r"\S.*\.(\n|$)", values[name].__doc__ or "")} == set()


def test_a_notebook_session_needs_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The session of the page runs in an empty folder, which stays empty; each of its values can be shown as HTML."""
    (code,) = re.findall(r"```python\n(.*?)```", section("A notebook"), re.DOTALL)
    monkeypatch.chdir(tmp_path)
    values: dict[str, object] = {}
    exec(code, values)  # noqa: S102
    assert list(tmp_path.iterdir()) == []
    for name in ("measured", "result", "asked", "found", "more"):
        shown = values[name]._repr_html_()  # type: ignore[attr-defined]
        assert "<table>" in shown, name
