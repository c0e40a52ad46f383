"""A prediction program as a Python module without dependencies: its JSON and the modules of `runtime`, in one file."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from splc.formats.models.programs.program import heading, program_of
from splc.formats.models.stored_model import ModelFile
from splc.formats.models.text import python_module
from splc.io.latex import CONTROLS, directions_shown

_WIDTH = 100


def program_json(content: ModelFile) -> str:
    """Return the only model of a file as the JSON of its program."""
    return program_text(_program(content))


def python_source(content: ModelFile) -> str:
    """Return models as a Python module: a program, or functions of scaling models."""
    if any(stored.scaling is not None for stored in content.models):
        return python_module(content)
    return python_program(_program(content))


def _program(content: ModelFile) -> dict[str, Any]:
    return program_of(content.only("a program predicts with", "a program cannot have"))


def program_text(program: Mapping[str, Any]) -> str:
    """Return a program as JSON."""
    return json_text(program, ascii_only=False) + "\n"


def json_text(value: Any, indent: str = "", *, ascii_only: bool = True) -> str:
    """Return a value as JSON: objects, and lists of objects, that are too long for a line have one for each entry."""
    line = json.dumps(value, ensure_ascii=ascii_only, allow_nan=False)
    nested = isinstance(value, dict) or (isinstance(value, list) and any(isinstance(entry, dict) for entry in value))
    if not nested or len(indent) + len(line) <= _WIDTH:
        return line
    inner = indent + "  "
    if isinstance(value, dict):
        entries = [
            f"{inner}{json.dumps(name, ensure_ascii=ascii_only)}: {json_text(entry, inner, ascii_only=ascii_only)}"
            for name, entry in value.items()
        ]
        return "{\n" + ",\n".join(entries) + f"\n{indent}}}"
    entries = [inner + json_text(entry, inner, ascii_only=ascii_only) for entry in value]
    return "[\n" + ",\n".join(entries) + f"\n{indent}]"


_RUNTIME = "splc.formats.models.programs.runtime"
# Each uses only names of those before it.
_MODULES = ("prediction", "command")
_DATA = "PROGRAM: dict[str, Any] = "


def python_program(program: Mapping[str, Any]) -> str:
    """Return a program as a Python module."""
    imports: set[str] = set()
    parts = []
    for name in _MODULES:
        source = files(_RUNTIME).joinpath(f"{name}.py").read_text(encoding="utf-8")
        own = [node for node in ast.parse(source).body if isinstance(node, (ast.Import, ast.ImportFrom))]
        imports |= {line for line in map(ast.unparse, own) if not line.startswith("from splc.")}
        parts.append("\n".join(source.splitlines()[own[-1].end_lineno :]).strip())
    code = "\n\n\n".join([_with_data(parts[0], program), *parts[1:]])
    return "\n\n".join([_docstring(program), _ordered_imports(imports), code]) + "\n"


def _ordered_imports(imports: set[str]) -> str:
    """Return imports, the one of the future first, those of names merged by module."""
    module_imports = sorted(line for line in imports if line.startswith("import "))
    names: dict[str, set[str]] = {}
    for line in imports - {*module_imports}:
        module, _, imported = line.removeprefix("from ").partition(" import ")
        names.setdefault(module, set()).update(imported.split(", "))
    future = names.pop("__future__")
    merged = [f"from {module} import {', '.join(sorted(imported))}" for module, imported in sorted(names.items())]
    return "\n".join([f"from __future__ import {', '.join(sorted(future))}", "", *module_imports, *merged])


def _with_data(source: str, program: Mapping[str, Any]) -> str:
    """Return the first module with the program as its data."""
    text = json_text(program).replace("\\", "\\\\").replace("'", "\\'")
    head, assignment, tail = source.partition(_DATA)
    following_lines = tail.partition("\n")[2]
    assert assignment
    return f"{head}{_DATA}json.loads(\n    '''{text}'''\n)\n{following_lines}"


def _docstring(program: Mapping[str, Any]) -> str:
    lines = [
        f"{heading(program)}.",
        "",
        "It needs Python 3.11 and its standard library only.",
        "",
        '    predict({"option": value, …})    the prediction; printed=True: that of the printed model',
        '    interval({"option": value, …})   the ends of its prediction interval',
        "    OPTIONS                          the options and their values",
        "    python FILE option=value …       a prediction on the command line",
        "    python FILE < table.csv          a prediction for each row of a table",
        "",
        "Constraints among options are not checked. The printed model:",
        "",
        f"    {program['text']}",
    ]
    text = "\n".join(CONTROLS.sub(" ", directions_shown(line)) for line in lines)
    return '"""' + text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"') + '\n"""'
