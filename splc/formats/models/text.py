"""Models as files of text: model text, which is read, too, tables in LaTeX, and Python modules."""

from __future__ import annotations

import keyword
import math
import re
from collections.abc import Collection, Iterable, Mapping

from splc.data.experiment import DEFAULT_METRIC, ROOT_CALLPATH, Key, title
from splc.data.table import names_of
from splc.errors import ExpressionError
from splc.formats.models.notation import latex_text, log2_text, python_names, python_text
from splc.formats.models.stored_model import ModelFile
from splc.formats.system.assembly import free_name
from splc.io.files import Source
from splc.io.latex import latex_escaped, latex_number, one_line
from splc.io.numbers import number_text, rounded_text
from splc.models.influence import InfluenceModel
from splc.models.parameters import Parameters
from splc.models.subexpressions import CallOf, Derived, needed
from splc.models.terms import Factor, Term
from splc.models.text.products import Signs
from splc.models.text.reader import expand_model
from splc.system.variability import ROOT, VariabilityModel


def parse_model(
    text: str | Source,
    system: VariabilityModel | None = None,
    parameters: Mapping[str, float] | Parameters | None = None,
    symbols: str | Collection[str] = (),
) -> InfluenceModel:
    """Return the performance-influence model of a text, such as `5 + 2 * px * log2(nx)`.

    Args:
        text: the model text, or its file.
        system: the system, whose options the names must be, or parameters, or the text's own definitions; None takes
            every name as an option, all of which are positive.
        parameters: machine parameters that the text uses, name → value, or the result of `read_parameters`.
        symbols: the parameters that `splc.calibration.calibrate` estimates.

    Raises:
        ExpressionError: if the text contains unknown names or is not a model.
    """
    source = text if isinstance(text, Source) else Source("model", text.encode())
    return parse_stored_text(source, system, parameters, names_of(symbols))[0]


def parse_stored_text(
    source: Source,
    system: VariabilityModel | None = None,
    parameters: Mapping[str, float] | Parameters | None = None,
    symbols: Collection[str] = (),
) -> tuple[InfluenceModel, frozenset[str]]:
    """Return the model of a text, and the parameters that it uses; the arguments are those of `parse_model`."""
    known_parameters = Parameters.of(parameters)
    names = None if system is None else system.term_names
    constants = {ROOT} if system is None else {*system.mandatory, ROOT}
    binary: list[str] = []
    order: tuple[str, ...] = ()
    signs = Signs()
    if system is not None:
        binary = [*(option.name for option in system.binary_options), *system.switches]
        order = (*system.term_order, *known_parameters.quantities)
        # The range of an observed variable is unknown.
        lowest = dict.fromkeys(system.observed, -math.inf)
        lowest |= {option.name: min(option.values) for option in system.numeric_options}
        signs = Signs(lowest, 0.0)
    try:
        expanded = expand_model(
            source.text(), names, known_parameters, symbols=symbols, constants=constants, binary=binary, signs=signs
        )
    except ExpressionError as error:
        raise error.at(source.name) from None
    return InfluenceModel.from_terms(expanded.expansion, order, "identity", expanded.derived), expanded.used


def with_link(model: InfluenceModel) -> InfluenceModel:
    """Return a model that is the exponential of a sum, without parameters, as this sum with the link 'log'."""
    derived: dict[str, Derived] = {str(derived_name.name): derived_name for derived_name in model.derived}
    match model.terms:
        case ((Term((Factor(name, 1, 0),)), 1.0),) if not model.parameters:
            match derived.get(str(name)):
                case CallOf(_, "exp", (terms,)) as found:
                    return InfluenceModel.from_terms(terms, model.order, "log", needed(found.names, derived))
    return model


def model_text_file(model: InfluenceModel) -> str:
    """Return a model as model text: a sum of terms, or for the link 'log' its exponential, `exp(0.5 + 2 * x)`."""
    return (f"exp({model.text})" if model.link == "log" else model.text) + "\n"


def models_text(content: ModelFile) -> str:
    """Return models as model text, logarithms to the base 2, each below a comment with what it rests on.

    A model that was read from a file has no comment. `read_model` reads the text of a single model; of several models,
    remove all but one first.
    """
    if not content.about:
        return model_text_file(content.models[0].model)
    lines = [f"# {one_line(content.about)}"]
    for stored in content.models:
        if len(content.models) > 1:
            lines.append("")
        lines.append(f"# {stored.comment}")
        if stored.lower is not None:
            below, changing, change = stored.lower
            bound = f"{one_line(changing)} = {number_text(change)}"
            lines.append(f"# beyond {bound}; up to there it is {log2_text(below)}")
        lines.append(log2_text(stored.model))
    return "\n".join(lines) + "\n"


def latex_table(content: ModelFile) -> str:
    r"""Return models as a `tabular` in LaTeX, which needs no package; logarithms have the base 2."""
    rows = []
    for stored in content.models:
        titled = [latex_escaped(title) for title in stored.key]
        error = "" if stored.error is None else f"${latex_number(rounded_text(stored.error, 3))}$"
        upper = f"${latex_text(stored.model)}$"
        if stored.lower is not None:
            below, changing, change = stored.lower
            bound = f"{latex_escaped(changing)} $\\leq {latex_number(rounded_text(change))}$"
            rows.append((*titled, f"${latex_text(below)}$ \\quad ({bound})", ""))
            rows.append(("", "", upper, error))
        else:
            rows.append((*titled, upper, error))
    measure = "SMAPE" if all(stored.scaling is not None for stored in content.models) else "error"
    columns = ("call path", "metric", "model", rf"{measure} (\%)")
    # A column in which every model has the default name is left out.
    defaults = (ROOT_CALLPATH, DEFAULT_METRIC)
    silent = [{stored.key[at] for stored in content.models} == {name} for at, name in enumerate(defaults)]
    column_indices = [at for at in range(len(columns)) if at > 1 or not silent[at]]
    body = "".join(" & ".join(row[at] for at in column_indices) + " \\\\\n" for row in rows)
    header = " & ".join(columns[at] for at in column_indices)
    return (
        f"% {one_line(content.about)}\n\\begin{{tabular}}{{{'l' * (len(column_indices) - 1)}r}}\n"
        f"\\hline\n{header} \\\\\n\\hline\n"
        f"{body}\\hline\n\\end{{tabular}}\n"
    )


# Names that a function of a module may not have.
_TAKEN_BY_MODULE = frozenset({"math", "round", "MODELS"})


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
