"""A prediction program as C (C99 with its mathematical library only)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from textwrap import fill

from splc.formats.models.programs.c_terms import CTerms
from splc.formats.models.programs.gaussian_process import FIRST_STATE, GaussianProcess, ScaleProgram, ShapeProgram
from splc.formats.models.programs.program import Program, heading
from splc.formats.system.assembly import free_name

_SHAPES = ("presence", "level", "threshold", "identity", "ln", "ln1p", "identity^2", "ln^2", "ln1p^2")
_NAME_LENGTH = 40

_SHAPE_FUNCTION = """\
/* The column of a numeric variable: a shape and its numbers (see docs/reference/programs.md of splc). */
static double column(const double *shape, double x)
{
    const int kind = (int) shape[0];
    double value;
    if (kind == 0) return isnan(x) ? -1.0 : 1.0;
    if (isnan(x)) return 0.0;
    if (kind == 1) return x == shape[1] ? 1.0 : -1.0;
    if (kind == 2) return ((x >= shape[1] ? 1.0 : 0.0) - shape[2]) / shape[3];
    value = kind % 3 == 0 ? x : kind % 3 == 1 ? log(x) : log1p(x);
    value = (value - shape[1]) / shape[2];
    return kind < 6 ? value : value * value - shape[3];
}
"""

_PROCESS = """\
    double own[COLUMNS], factor[STATES], square[STATES], t = 0.0;
    for (int v = 0; v < VARIABLES; v++) {
        const int columns = first_column[v + 1] - first_column[v];
        double *mine = own + first_column[v];
        if (numeric[v]) {
            for (int c = 0; c < columns; c++)
                mine[c] = column(shape + 4 * (first_column[v] + c), x[option[first_option[v]]]);
        } else {
            int selected = first_state[v + 1] - first_state[v] - 1;
            for (int i = first_option[v]; i < first_option[v + 1]; i++)
                if (x[option[i]] == 1.0) selected = i - first_option[v];
            for (int c = 0; c < columns; c++) mine[c] = value[first_value[v] + selected * columns + c];
        }
    }
    for (int k = 0; k < KERNELS; k++) {
        const double rho = kernel[5 * k], size = kernel[5 * k + 1], width = kernel[5 * k + 2];
        double sum = 0.0;
        for (int v = 0; v < VARIABLES; v++) {
            const int columns = first_column[v + 1] - first_column[v];
            const double *mine = own + first_column[v], *lambda = relevance + COLUMNS * k + first_column[v];
            for (int s = 0; s < first_state[v + 1] - first_state[v]; s++) {
                const double *other = value + first_value[v] + s * columns;
                double product = 0.0, distance = 0.0;
                for (int c = 0; c < columns; c++) {
                    product += lambda[c] * mine[c] * other[c];
                    distance += lambda[c] * (mine[c] - other[c]) * (mine[c] - other[c]);
                }
                factor[first_state[v] + s] = 1.0 + rho * product;
                square[first_state[v] + s] = distance;
            }
        }
        for (int r = 0; r < ROWS; r++) {
            double product = 1.0, distance = 0.0, root;
            for (int v = 0; v < VARIABLES; v++) {
                product *= factor[state[VARIABLES * r + v]];
                distance += square[state[VARIABLES * r + v]];
            }
            root = sqrt(3.0 * width * distance);
            sum += weight[ROWS * k + r] * (1.0 + (product - 1.0) / rho + size * (1.0 + root) * exp(-root));
        }
        t += kernel[5 * k + 3] + kernel[5 * k + 4] * sum;
    }
    t /= KERNELS;
"""


def c_program(program: Program) -> str:
    """Return a program as C."""
    names = option_names([option.name for option in program.options])
    terms = CTerms(program, names)
    lines = [*_heading(program, names), "#include <math.h>", ""]
    lines += ["enum option {", *(f"    {name}," for name in names.values()), "    OPTIONS", "};", ""]
    printed = terms.function("predict_printed" if program.full else "predict")
    lines += [*terms.helpers(), printed]
    if program.full:
        if any(process.kernels for process in program.full):
            lines.append(_SHAPE_FUNCTION)
        lines += [_process(process, number, names) for number, process in enumerate(program.full)]
        lines += ["double predict(const double x[OPTIONS])", "{", "    double found = 0.0;"]
        for number, process in enumerate(program.full):
            condition = "" if process.where is None else f"if (x[{names[process.where]}] == 1.0) "
            lines.append(f"    {condition}found += process_{number}(x);")
        lines += ["    return found;", "}", ""]
    return "\n".join(lines)


def option_names(names: Sequence[str]) -> dict[str, str]:
    """Return option → its name in C: distinct, and none of C's words."""
    names_in_c: dict[str, str] = {}
    used_names = {"OPTIONS"}
    for name in names:
        identifier = "OPTION_" + re.sub(r"\W", "_", name, flags=re.ASCII)[:_NAME_LENGTH]
        names_in_c[name] = free_name(identifier, used_names, 2) if identifier in used_names else identifier
        used_names.add(names_in_c[name])
    return names_in_c


def comment_text(text: str) -> str:
    """Return a text for a comment of C: ASCII, and neither its end nor a trigraph."""
    ascii_text = text.encode("unicode_escape").decode("ascii")
    return ascii_text.replace("*/", "* /").replace("/*", "/ *").replace("??", "? ?")


def _heading(program: Program, names: dict[str, str]) -> Iterator[str]:
    yield "/*"
    yield f" * {comment_text(heading(program))}."
    yield " *"
    yield " *     double predict(const double x[OPTIONS]);"
    if program.full:
        yield " *     double predict_printed(const double x[OPTIONS]);   the printed model"
    yield " *"
    yield " * x has the values of the options in this order: 0 or 1 of binary options, NAN of deselected numeric ones."
    yield " * Values and constraints are not checked. The result is NAN where the model has no value."
    yield " *"
    for option in program.options:
        values = "0, 1" if option.kind == "binary" else ", ".join(f"{value:.6g}" for value in option.values)
        description = f"{names[option.name]}: {comment_text(option.name)}" + (f" = {values}" if values else "")
        yield fill(description, 110, initial_indent=" *   ", subsequent_indent=" *       ", break_long_words=False)
    yield " *"
    yield " * The printed model:"
    yield fill(
        comment_text(program.text), 110, initial_indent=" *   ", subsequent_indent=" *   ", break_long_words=False
    )
    yield " */"


def _process(process: GaussianProcess, number: int, names: dict[str, str]) -> str:
    """Return the function of a Gaussian process."""
    lines = [f"static double process_{number}(const double *x)", "{"]
    if not process.kernels:
        lines += ["    (void) x;", f"    const double t = {process.constant!r};", *_backward(process.scale), "}", ""]
        return "\n".join(lines)
    variables, kernels = process.variables, process.kernels
    widths = [len(variable.columns[0]) for variable in variables]
    states = [len(variable.columns) for variable in variables]
    first_state = [*_starts(states)]
    rows = zip(*([ord(state) - FIRST_STATE for state in variable.rows] for variable in variables), strict=True)
    shapes = [
        shape
        for variable in variables
        for shape in variable.shapes or [ShapeProgram("presence")] * len(variable.columns[0])
    ]
    sizes = {
        "VARIABLES": len(variables),
        "COLUMNS": sum(widths),
        "STATES": sum(states),
        "ROWS": len(process.noises),
        "KERNELS": len(kernels),
    }
    lines.append(f"    enum {{ {', '.join(f'{name} = {size}' for name, size in sizes.items())} }};")
    lines += _array("int", "numeric", (int(bool(variable.shapes)) for variable in variables))
    lines += _array("int", "first_option", _starts(len(variable.options) for variable in variables))
    lines += _array("int", "option", (names[name] for variable in variables for name in variable.options))
    lines += _array("int", "first_column", _starts(widths))
    lines += _array("int", "first_state", first_state)
    lines += _array("int", "first_value", _starts(a * b for a, b in zip(widths, states, strict=True)))
    lines += _array("double", "value", (entry for variable in variables for row in variable.columns for entry in row))
    lines += _array(
        "double",
        "shape",
        (entry for shape in shapes for entry in (_SHAPES.index(shape.shape), shape.a, shape.b, shape.c)),
    )
    lines += _array(
        "int", "state", (start + state for row in rows for start, state in zip(first_state, row, strict=False))
    )
    lines += _array(
        "double", "relevance", (relevance for kernel in kernels for block in kernel.relevances for relevance in block)
    )
    lines += _array(
        "double",
        "kernel",
        (constant for k in kernels for constant in (k.interaction, k.stationary, k.width, k.mean, k.deviation)),
    )
    lines += _array("double", "weight", (weight for kernel in kernels for weight in kernel.weights))
    return "\n".join([*lines, _PROCESS.rstrip(), *_blended(process), *_backward(process.scale), "}", ""])


def _blended(process: GaussianProcess) -> Iterator[str]:
    """Yield the lines that make the printed model a part of `t`; it is one of positive properties only."""
    if not process.printed:
        return
    scale = process.scale
    y = f"fmax(printed / {scale.unit!r}, {scale.lowest!r})"
    yield "    const double printed = predict_printed(x);"
    yield "    if (isfinite(printed))"
    forward = f"log({y})" if scale.name == "log" else f"({y} - 1.0)"
    yield f"        t = {1 - process.printed!r} * t + {process.printed!r} * {forward};"


def _starts(sizes: Iterable[int]) -> Iterator[int]:
    """Yield where each block starts, and the end."""
    total = 0
    yield total
    for size in sizes:
        total += size
        yield total


def _array(kind: str, name: str, values: Iterable[float | str]) -> Iterator[str]:
    """Yield the lines of a constant array."""
    text = ", ".join(value if isinstance(value, str) else repr(value) for value in values)
    yield f"    static const {kind} {name}[] = {{"
    yield fill(text, 110, initial_indent=" " * 8, subsequent_indent=" " * 8, break_long_words=False)
    yield "    };"


def _backward(scale: ScaleProgram) -> Iterator[str]:
    """Yield the lines that return the value of `t` on a scale, in the unit of the property."""
    limited = "fmin(fmax(t, -600.0), 600.0)"
    y = {
        "log": f"exp({limited})",
        "shifted_log": f"exp({limited}) - {scale.shift!r}",
        "asinh": f"sinh({limited})",
    }.get(scale.name, f"t + {float(scale.positive)!r}")
    yield f"    const double y = {y.replace('- -', '+ ')};"
    yield f"    return isnan(t) ? NAN : fmax(y, {scale.lowest!r}) * {scale.unit!r};"
