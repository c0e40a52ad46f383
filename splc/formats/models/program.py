"""The prediction program of a model: an object of JSON, which a Python module that needs no splc may have in it.

`docs/schemas/splc.program-1.json` states its keys, docs/reference/programs.md their meaning.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from typing import Any

import numpy as np

from splc._version import __version__
from splc.arithmetic.functions import FUNCTION
from splc.arithmetic.tree import Call, Name, Node, Number, Power, Product, Sum, Threshold
from splc.data.configurations import value_table
from splc.formats.models.stored_model import ModelFile, StoredModel
from splc.formats.models.text import python_module
from splc.io.json import picked, plain_values
from splc.io.latex import CONTROLS, directions_shown
from splc.learning import projection
from splc.models.influence import InfluenceModel
from splc.models.subexpressions import Parameter, by_name, options_of
from splc.models.terms import Factor, Term
from splc.system.clauses import clauses
from splc.system.groups import child_texts
from splc.system.options import NumericOption
from splc.system.variability import ROOT, VariabilityModel
from splc.types import Array

SCHEMA = "splc.program/1"
Object = dict[str, Any]  # an object of JSON
# The line of `runtime.py` that the program takes the place of, and the longest lines of JSON.
_DATA, _WIDTH = "PROGRAM: dict[str, Any] = ", 100


def program_of(stored: StoredModel) -> Object:
    """Return the prediction program of a model without parameters."""
    model = stored.model
    full_model = stored.full if isinstance(stored.full, (projection.Ensemble, projection.EnsembleSum)) else None
    if isinstance(full_model, projection.Ensemble) and full_model.basis.formula is not None:
        # A program has no formulas: the printed model predicts.
        full_model = None
    printed = stored.printed_intervals if isinstance(stored.printed_intervals, projection.PrintedIntervals) else None
    used = model.options | (frozenset() if full_model is None else full_model.options)
    # Without a description, all variables of the model are numbers.
    numbers = dict.fromkeys([*(name for name in model.order if name in used), *sorted(used)])
    system = stored.system or VariabilityModel("", (), observed=tuple(numbers))
    levels = [predictor.level for predictor in (full_model, printed) if predictor is not None]
    # A full model is a sum of Gaussian processes; those of a summand are added where an option is 1.
    summands = full_model.summands if isinstance(full_model, projection.EnsembleSum) else ()
    processes = [_process(each.full, each.where) for each in summands]
    processes += [_process(full_model, None)] if isinstance(full_model, projection.Ensemble) else []
    program = {
        "schema": SCHEMA,
        "version": __version__,
        "system": None if stored.system is None else system.name,
        "property": stored.nfp,
        "unit": stored.unit,
        "text": f"exp({model.text})" if model.link == "log" else model.text,
        "options": _options(system, used),
        # The columns of texts that stand for alternative groups; an empty text for no member, where possible.
        "texts": [
            {"name": parent, "texts": ({} if parent in system.mandatory else {"": ""}) | child_texts(parent, children)}
            for parent, children in system.child_groups.items()
        ],
        "level": levels[0] if levels else None,
        "full": processes,
        "printed": {
            **_printed(model, system),
            "intervals": printed and {"scale": _scale_object(printed.scale), "quantile": printed.quantile},
        },
    }
    return dict(plain_values(program))


def _options(system: VariabilityModel, used: frozenset[str]) -> list[Object]:
    """Return the options that configurations have: those of the system, and observed variables of the model."""
    switched = {system.options[system.switches[name][0]].name for name in used if name in system.switches}
    options = []
    for option in system.options:
        needed = option.name in used or option.name in switched
        if isinstance(option, NumericOption):
            fixed = option.values[0] if option.size == 1 else None
            facts = picked(option, "values, optional, flag = deselected_flag") | {"open": system.inferred}
            options.append(_option(option.name, "numeric", needed=needed, fixed=fixed, **facts))
        else:
            constant = 1.0 if option.name in system.mandatory else None
            options.append(_option(option.name, "binary", fixed=constant, needed=needed))
    return [*options, *(_option(name, "number", optional=True) for name in system.observed if name in used)]


def _option(name: str, kind: str, **facts: Any) -> Object:
    """Return an option or an observed variable; `facts`: those in which it differs from an unknown number."""
    unknown = {"values": (), "optional": False, "flag": None, "fixed": None, "needed": True, "open": False}
    return {"name": name, "kind": kind, **unknown, **facts}


def _printed(model: InfluenceModel, system: VariabilityModel) -> Object:
    """Return a printed model: its terms, and the functions in them, each after those that it uses."""
    derived, positions, functions = by_name(model.derived), dict[str, int](), list[Object]()

    def addends(terms: Iterable[tuple[Term, float]]) -> list[Object]:
        """Return a sum; terms without influence are left out."""
        return [
            {"influence": influence, "factors": [factor(each) for each in term.factors if each.option != ROOT]}
            for term, influence in terms
            # The logarithm of the root, which is always 1, is 0.
            if influence != 0 and not any(factor.option == ROOT and factor.log for factor in term.factors)
        ]

    def factor(stated: Factor) -> Object:
        """Return a factor: an option, or a function by its position, which is added if it is new."""
        name = stated.option
        if (is_function := name in derived or name in system.switches) and name not in positions:
            content = function(name)
            positions[name] = len(functions)
            functions.append(content)
        base = {"option": None if is_function else name, "function": positions.get(name)}
        return {**base, "power": float(stated.power), "log10": float(stated.log)}

    def function(name: str) -> Object:
        """Return the function of a subexpression, or whether an optional option has a value."""
        if name in system.switches:
            position, enabled = system.switches[name]
            kind = "selected" if enabled else "deselected"
            return {"function": kind, "arguments": [], "options": [system.names[position]]}
        operation, options = derived[name], sorted(options_of(frozenset((name,)), derived))
        # Parameters are replaced by numbers before.
        assert not isinstance(operation, Parameter)
        return {"function": operation.operation, "arguments": [*map(addends, operation.operands)], "options": options}

    return {"link": model.link, "functions": functions, "terms": addends(model.terms)}


FIRST_STATE = 48  # the character of state 0 in texts of states


def _scale_object(scale: projection.Scale) -> Object:
    return scale.as_json() | {"constant_noise": projection.CONSTANT_NOISE}


def _process(ensemble: projection.Ensemble, condition: str | None) -> Object:
    """Return the average of Gaussian processes with the same rows; `condition`: the option that is 1 where it adds."""
    parts, basis = ensemble.parts, ensemble.basis
    variables = [_variable(variable, ensemble) for variable in basis.variables] if parts else []
    if parts and (block := basis.context) is not None and ensemble.places is not None:
        # A variable without options, whose last state is the context that predictions are about.
        order = np.array([*(place for place in range(len(block.names)) if place != block.place), block.place])
        columns, rows = np.hstack(block.columns(order)), np.argsort(order)[ensemble.places]
        variables.append(_variable_object((), columns, [], rows))
    level, spread = ensemble.constant
    same = () if ensemble.stacked is None else ensemble.stacked.same
    return {
        "where": condition,
        "scale": _scale_object(ensemble.scale),
        "variables": variables,
        "kernels": [_kernel(posterior, variables) for posterior in parts],
        # Without kernels: the mean on the scale, and the standard deviation of predictions, None if it is unknown.
        "constant": level,
        "spread": spread if math.isfinite(spread) else None,
        # The variance of the noise of row r is a kernel's `noise` times `noises[r]`, plus `jitter`.
        "noises": parts[0].noise if parts else [],
        "jitter": projection.JITTER,
        **picked(ensemble, "noise, noise_unit, quantile"),
        "printed": 0.0 if ensemble.stacked is None else ensemble.stacked.weight,
        # The variables whose equal values in a row make a setting that the printed model has no part in.
        "same": [at for at, each in enumerate(variables) if each["options"] and {*same}.issuperset(each["options"])],
        "runs": ensemble.runs,
        "extrapolation": projection.EXTRAPOLATION,
    }


def _kernel(posterior: projection.KernelPosterior, variables: Sequence[Object]) -> Object:
    """Return the hyperparameters of a kernel (the relevances of the columns of each variable), and its weights."""
    theta, design = posterior.theta, posterior.design
    by_column, relevances = theta.relevances[design.relevances].tolist(), []
    for start, end, variable in zip(design.starts, design.starts[1:], variables, strict=False):
        # Thresholds are columns of some kernels only.
        missing = len(variable["columns"][0]) - (end - start)
        relevances.append(by_column[start:end] + [0.0] * missing)
    return {
        "relevances": relevances,
        **picked(theta, "interaction, stationary, width, noise"),
        **picked(posterior, "weights, mean, deviation"),
    }


def _variable(variable: projection.Variable, ensemble: projection.Ensemble) -> Object:
    """Return a variable with its states in the rows."""
    configurations = ensemble.configurations
    if variable.kind == "numeric":
        shapes = [*projection.shapes_of(variable), *projection.threshold_shapes(variable)]
        # numpy's set of values is sorted, NaN last.
        values, rows = np.unique(variable.column(configurations), return_inverse=True)
        functions = [{"shape": shape.name, **picked(shape, "a, b, c")} for shape in shapes]
        return _variable_object(variable.members, projection.columns_of(shapes, values), functions, rows)
    members = variable.members if variable.kind == "group" else variable.members[:1]
    selected = np.column_stack([configurations.column(name) == 1 for name in members])
    rows = np.where(selected.any(axis=1), selected.argmax(axis=1), len(members))
    return _variable_object(members, _states(variable, len(members)), [], rows)


def _states(variable: projection.Variable, members: int) -> Array:
    """Return the columns of a variable of binary options for each selected one and none, shape (members + 1, k)."""
    selected = np.vstack([np.eye(members), np.zeros(members)])
    if variable.kind == "binary":
        return 2 * selected - 1
    shapes, share = projection.shapes_of(variable), 1 / members
    numbers = [projection.columns_of(shapes, np.array([*variable.values, math.nan]))] if shapes else []
    if not variable.shared:
        return np.hstack([2 * selected - 1, *numbers])
    centred = (selected - share) / np.sqrt(1 - share)
    centred[-1] = 0.0
    return np.hstack([*numbers, centred])


def _variable_object(options: Sequence[str], columns: Array, shapes: list[Object], rows: Array) -> Object:
    """Return a variable: the values of each of its states, one for each column, and the state of each row."""
    # The state of binary options is the position of the selected one, the last if none is; of others it is a value.
    states = "".join(chr(FIRST_STATE + state) for state in rows.tolist())
    return {"options": options, "columns": columns.tolist(), "shapes": shapes, "rows": states}


def space_object(system: VariabilityModel) -> Object:
    """Return the options and constraints of a system in JSON's types; texts of clauses mark the values that fit."""
    numeric = {option.name for option in system.numeric_options}
    switches = {name: [system.names[at], bool(enabled)] for name, (at, enabled) in system.switches.items()}
    disjunctions, comparisons = [], []
    for clause in clauses(system):
        literals = [[at, "".join("01"[flag] for flag in allowed)] for at, allowed in clause.literals]
        disjunctions.append({"literals": literals, "text": clause.reason})
    for constraint in system.arithmetic_constraints:
        names = [*constraint.names]
        sides = {"left": _tree(constraint.left), "right": _tree(constraint.right)}
        sides |= {**picked(constraint, "comparison, negated, requires"), "names": names}
        selected = [name for name in names if name not in numeric]
        used = {name: switches[name] for name in names if name in switches}
        comparisons.append({**sides, "selected": selected, "switches": used, "text": constraint.text.strip()})
    options = [{"name": each.name, "values": plain_values(value_table(each))} for each in system.options]
    return {"options": options, "clauses": disjunctions, "comparisons": comparisons}


def _tree(node: Node) -> list[Any]:
    """Return a syntax tree as lists: the kind of a node, and its parts."""
    match node:
        case Number(value):
            return ["number", value]
        case Name(name):
            return ["name", name]
        case Sum(addends):
            return ["sum", *([sign, _tree(child)] for sign, child in addends)]
        case Product(factors):
            return ["product", *([side, _tree(child)] for side, child in factors)]
        case Power(base, exponent):
            return ["power", _tree(base), _tree(exponent)]
        case Call(function, arguments):
            is_logarithm = function in FUNCTION and FUNCTION[function].base is not None
            return [*(["logarithm"] if is_logarithm else []), function, *map(_tree, arguments)]
        case Threshold(comparison, left, right):
            return ["threshold", comparison, _tree(left), _tree(right)]


_ONLY = ("a program predicts with", "a program cannot have")


def program_json(content: ModelFile) -> str:
    """Return the only model of a file as the JSON of its program."""
    return _json_text(program_of(content.only(*_ONLY)), ascii_only=False) + "\n"


def _json_text(value: Any, indent: str = "", *, ascii_only: bool = True) -> str:
    """Return a value as JSON: objects, and lists of objects, that are too long for a line have one for each entry."""
    line = json.dumps(value, ensure_ascii=ascii_only, allow_nan=False)
    nested = isinstance(value, dict) or (isinstance(value, list) and any(isinstance(entry, dict) for entry in value))
    if not nested or len(indent) + len(line) <= _WIDTH:
        return line
    inner, entries = indent + "  ", value.items() if isinstance(value, dict) else [(None, entry) for entry in value]
    names = ("" if name is None else f"{json.dumps(name, ensure_ascii=ascii_only)}: " for name, _ in entries)
    texts = (_json_text(entry, inner, ascii_only=ascii_only) for _, entry in entries)
    lines = ",\n".join(f"{inner}{name}{text}" for name, text in zip(names, texts, strict=True))
    return f"{line[0]}\n{lines}\n{indent}{line[-1]}"


def python_source(content: ModelFile) -> str:
    """Return models as a Python module without dependencies: a program, or functions of scaling models."""
    if any(stored.scaling is not None for stored in content.models):
        return python_module(content)
    program = program_of(content.only(*_ONLY))
    runtime, command = (
        files(__package__).joinpath(name).read_text(encoding="utf-8") for name in ("runtime.py", "runtime_command.py")
    )
    # Without the docstring of the one, and the imports of the other.
    head, assignment, tail = runtime.split('"""', 2)[2].partition(_DATA)
    assert assignment
    data = _json_text(program).replace("\\", "\\\\").replace("'", "\\'")
    following = tail.partition("\n")[2].rstrip()
    code = command[command.index("def main(") :]
    return f"{_docstring(program)}{head}{_DATA}json.loads(\n    '''{data}'''\n)\n{following}\n\n\n{code}"


def _docstring(program: Mapping[str, Any]) -> str:
    """Return the docstring of an exported module; `splc.formats.models.read` reads its first line."""
    subject = f"{program['property']} of {program['system'] or 'an unknown system'}, by splc {program['version']}"
    lines = [
        f"Program of the model of {subject}." if program["property"] else "Program of a model.",
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
