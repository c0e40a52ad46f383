"""Scaling models for other programs: as model text, as a Python module, and as a table in LaTeX.

A model of two segments is two models here: model text has that of the upper segment and tells of the lower one,
Python chooses by the parameter, LaTeX has a row for each.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Mapping

from splc.data.experiment import DEFAULT_METRIC, ROOT_CALLPATH, Key
from splc.formats.models.formulas import latex_text, log2_text, python_names, python_text
from splc.formats.models.scaling_json import Scaling
from splc.io.latex import latex_escaped, latex_number
from splc.io.numbers import number_text
from splc.io.tables import rounded_text
from splc.models.terms import exponent, exponent_text, quoted

_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
# In percent; what is below says no more than that it is small.
_LEAST = 0.001
# What a function may not be called in the module.
_TAKEN = frozenset({"math", "round", "MODELS"})


def lead_text(model: Scaling) -> str:
    """Return the lead term of a model, with logarithms to the base 2: `p^(3/2) * log2(p)`; `1` if it is constant."""
    parts = []
    for name, (power, log) in model.lead.items():
        shown = quoted(name, model.names)
        if power != 0:
            parts.append(shown + exponent_text(exponent(power)))
        if log != 0:
            parts.append(f"log2({shown}){exponent_text(exponent(log))}")
    return " * ".join(parts) or "1"


def title(key: Key) -> str:
    """Return what a model is about, for people: `main->sort, time`; what no file said is left out."""
    named = [name for name, default in zip(key, (ROOT_CALLPATH, DEFAULT_METRIC), strict=True) if name != default]
    return ", ".join(named)


def facts_text(model: Scaling) -> str:
    """Return what a model rests on: `SMAPE 1.2 % at 5 points, p = 2 … 32`; of two segments for each."""
    ranges = [
        f"{name} = {rounded_text(low, 6)} … {rounded_text(high, 6)}"
        for name, (low, high) in zip(model.names, model.ranges, strict=True)
    ]
    points = f"{model.points} point{'' if model.points == 1 else 's'}"
    own = f"SMAPE {percent_text(model.smape)} at {points}, {', '.join(ranges)}"
    return own if model.below is None else f"{facts_text(model.below)}; {own}"


def percent_text(value: float, digits: int = 3) -> str:
    """Return a percentage; one that is nothing but rounding is as good as 0."""
    return f"{rounded_text(value, digits)} %" if value == 0 or value >= _LEAST else f"< {_LEAST:g} %"


def scaling_text(models: Mapping[Key, Scaling], about: str) -> str:
    """Return models as model text, logarithms to the base 2, each below a comment that says what it is about.

    The text of a single model is read by `read_model`; of several, all but one have to be cut out.

    Args:
        models: (call path, metric) → model.
        about: what made them, as a comment at the beginning.

    Raises:
        OutputError: if a coefficient is no finite number.
    """
    lines = [f"# {_one_line(about)}"]
    for key, model in models.items():
        if len(models) > 1:
            lines.append("")
        said = ": ".join(text for text in (title(key), facts_text(model)) if text)
        lines.append(f"# {_one_line(said)}")
        if model.below is not None and model.change is not None:
            bound = f"{_one_line(model.names[0])} = {number_text(model.change)}"
            lines.append(f"# beyond {bound}; up to there it is {log2_text(model.below.model)}")
        lines.append(log2_text(model.model))
    return "\n".join(lines) + "\n"


def scaling_python(models: Mapping[Key, Scaling], about: str) -> str:
    """Return models as a Python module: one function each, and `MODELS`, (call path, metric) → function.

    Args:
        models: (call path, metric) → model.
        about: what made them, for the module's docstring.

    Raises:
        OutputError: if a coefficient is no finite number.
    """
    functions = _function_names(models)
    lines = [_docstring(about), "", "import math", ""]
    for key, model in models.items():
        names = python_names(model.model)
        own = [names[name] for name in model.names]
        said = ": ".join(text for text in (title(key), facts_text(model)) if text)
        lines += ["", f"def {functions[key]}({', '.join(own)}):", f"    {_docstring(said)}"]
        if model.below is not None and model.change is not None:
            lines.append(f"    if {own[0]} <= {number_text(model.change)}:")
            lines.append(f"        return {python_text(model.below.model)}")
        lines += [f"    return {python_text(model.model)}", ""]
    lines += ["", "MODELS = {"]
    lines += [f"    ({callpath!r}, {metric!r}): {functions[callpath, metric]}," for callpath, metric in models]
    return "\n".join([*lines, "}"]) + "\n"


def scaling_latex(models: Mapping[Key, Scaling], about: str) -> str:
    r"""Return models as a `tabular` in LaTeX, which needs no package; logarithms have the base 2.

    Args:
        models: (call path, metric) → model.
        about: what made them, as a comment at the beginning.

    Raises:
        OutputError: if a coefficient is no finite number.
    """
    titled = {key: [latex_escaped(each) for each in key] for key in models}
    rows = []
    for key, model in models.items():
        error = f"${latex_number(rounded_text(model.smape, 3))}$"
        upper = f"${latex_text(model.model)}$"
        if model.below is not None and model.change is not None:
            bound = f"{latex_escaped(model.names[0])} $\\leq {latex_number(rounded_text(model.change))}$"
            rows.append((*titled[key], f"${latex_text(model.below.model)}$ \\quad ({bound})", ""))
            rows.append(("", "", upper, error))
        else:
            rows.append((*titled[key], upper, error))
    columns = ("call path", "metric", "model", r"SMAPE (\%)")
    # A column in which every model has the name that stands for none tells nothing.
    silent = [{key[at] for key in models} == {name} for at, name in enumerate((ROOT_CALLPATH, DEFAULT_METRIC))]
    kept = [at for at in range(len(columns)) if at > 1 or not silent[at]]
    body = "".join(" & ".join(row[at] for at in kept) + " \\\\\n" for row in rows)
    header = " & ".join(columns[at] for at in kept)
    return (
        f"% {_one_line(about)}\n\\begin{{tabular}}{{{'l' * (len(kept) - 1)}r}}\n\\hline\n{header} \\\\\n\\hline\n"
        f"{body}\\hline\n\\end{{tabular}}\n"
    )


def _function_names(models: Iterable[Key]) -> dict[Key, str]:
    """Return a distinct Python name for each model."""
    used = set(_TAKEN)
    found = {}
    for key in models:
        plain = re.sub(r"\W+", "_", title(key), flags=re.ASCII).strip("_") or "model"
        plain = f"model_{plain}" if plain[0].isdigit() or keyword.iskeyword(plain) else plain
        name, number = plain, 1
        while name in used:
            number += 1
            name = f"{plain}_{number}"
        used.add(name)
        found[key] = name
    return found


def _docstring(text: str) -> str:
    escaped = _one_line(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"""{escaped}."""'


def _one_line(text: str) -> str:
    return " ".join(_CONTROLS.sub(" ", text).split())
