"""Models as Python: expressions, and modules with one function per model."""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import reduce
from typing import Literal

from splc.arithmetic.functions import FUNCTION
from splc.data.experiment import Key, title
from splc.formats.models.notation import Notation
from splc.formats.models.stored_model import ModelFile
from splc.formats.system.assembly import free_name
from splc.io.latex import one_line
from splc.io.numbers import number_text
from splc.models.influence import InfluenceModel
from splc.models.terms import Exponent

Module = Literal["math", "np"]

_TAKEN = frozenset({"math", "np", "round", "max", "min"})
# Names that a function of a module may not have.
_TAKEN_BY_MODULE = frozenset({"math", "round", "MODELS"})


def python_text(model: InfluenceModel, module: Module = "math", digits: int | None = None) -> str:
    """Return a model as a Python expression: `1.37 + 6.698 * math.log2(y)**2`.

    Options, and parameters that are kept as names, are variables with the names of `python_names`.

    `digits`: significant digits of coefficients; None: as many as needed to read the same number back.
    """
    text = _PythonNotation(model, digits, module).total(model.terms)
    return f"{module}.exp({text})" if model.link == "log" else text


def python_names(model: InfluenceModel) -> dict[str, str]:
    """Return option or parameter → its variable in `python_text`: its name, if Python allows it."""
    names = [*model.order, *sorted(model.options | {parameter.name for parameter in model.parameters})]
    variables = {name: name for name in names if _is_variable(name)}
    used_names = {*variables.values(), *_TAKEN}
    for name in names:
        if name in variables:
            continue
        identifier = re.sub(r"\W", "_", name, flags=re.ASCII)
        identifier = (
            identifier
            if identifier and not identifier[0].isdigit() and not keyword.iskeyword(identifier)
            else f"_{identifier}"
        )
        while identifier in used_names:
            identifier += "_"
        used_names.add(identifier)
        variables[name] = identifier
    return {name: variables[name] for name in names}


def _is_variable(name: str) -> bool:
    # Python reads identifiers in their NFKC form.
    normal = unicodedata.normalize("NFKC", name) == name
    return name.isidentifier() and normal and not keyword.iskeyword(name) and name not in _TAKEN


class _PythonNotation(Notation):
    """Python expressions."""

    def __init__(self, model: InfluenceModel, digits: int | None, module: Module) -> None:
        super().__init__(model, digits)
        self.module = module
        self.names = python_names(model)

    def name(self, name: str) -> str:
        return self.names.get(name, name)

    def power(self, base: str, exponent: Exponent) -> str:
        if exponent == 1:
            return base
        return f"{base}**{exponent}" if isinstance(exponent, int) else f"{base}**({exponent})"

    def raised(self, base: str, exponent: str) -> str:
        return f"({base})**({exponent})"

    def called(self, function: str, texts: Sequence[str]) -> str:
        if function in FUNCTION:
            return FUNCTION[function].python_text(texts[0], self.module)
        if self.module == "math":
            return super().called(function, texts)
        return reduce(lambda nested, text: f"np.{function}imum({nested}, {text})", texts)

    def threshold(self, text: str, comparison: str, bound: str) -> str:
        return f"({text} {comparison} {bound})"

    def logarithm(self, name: str, exponent: Exponent) -> str:
        return self.power(f"{self.module}.log2{self.argument(name)}", exponent)


def python_module(content: ModelFile) -> str:
    """Return models as a Python module: one function each, and `MODELS`, (call path, metric) → function."""
    functions = _function_names(stored.key for stored in content.models)
    lines = [_docstring(content.about), "", "import math", ""]
    for stored in content.models:
        names = python_names(stored.model)
        arguments = [names[name] for name in stored.names]
        lines += ["", f"def {functions[stored.key]}({', '.join(arguments)}):", f"    {_docstring(stored.comment)}"]
        if stored.lower is not None:
            below, changing, change = stored.lower
            lines.append(f"    if {names[changing]} <= {number_text(change)}:")
            lines.append(f"        return {python_text(below)}")
        lines += [f"    return {python_text(stored.model)}", ""]
    lines += ["", "MODELS = {"]
    lines += [f"    ({callpath!r}, {metric!r}): {name}," for (callpath, metric), name in functions.items()]
    return "\n".join([*lines, "}"]) + "\n"


def _function_names(models: Iterable[Key]) -> dict[Key, str]:
    """Return a distinct Python name for each model."""
    used_names = set(_TAKEN_BY_MODULE)
    function_names = {}
    for key in models:
        identifier = re.sub(r"\W+", "_", title(key), flags=re.ASCII).strip("_") or "model"
        identifier = f"model_{identifier}" if identifier[0].isdigit() or keyword.iskeyword(identifier) else identifier
        function_names[key] = free_name(identifier, used_names, 2) if identifier in used_names else identifier
        used_names.add(function_names[key])
    return function_names


def _docstring(text: str) -> str:
    escaped = one_line(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"""{escaped}."""'
