"""Models as text: model text, which is read, too, and its logarithms to the base 2, tables in LaTeX, Python modules.

Terms hold logarithms to the base 10: `a * log10(x)^b` is `a * log10(2)^b * log2(x)^b`, so that only the coefficient
changes. Terms whose influence is 0 are left out. In a formula an option that a configuration has not selected has no
value: unlike in a model, its terms do not vanish by themselves.
"""

from __future__ import annotations

import keyword
import math
import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from splc.arithmetic.functions import FUNCTION, POWER, SUM, THRESHOLDS
from splc.data.measurements import DEFAULT_METRIC, ROOT_CALLPATH, Key, title
from splc.data.table import names_of
from splc.errors import ExpressionError, OutputError, require_kind
from splc.formats.models.stored_model import ModelFile
from splc.formats.system.assembly import free_name
from splc.io.files import Source
from splc.io.latex import SMALL_GREEK, latex_escaped, latex_number, one_line
from splc.io.numbers import number_text, rounded_text
from splc.models.influence import InfluenceModel
from splc.models.parameters import Parameters
from splc.models.subexpressions import Addends, Derived, Operation, by_name, needed
from splc.models.terms import Exponent, Factor, Term, exponent_text, place_in, quoted
from splc.models.text.products import Signs
from splc.system.variability import ROOT, VariabilityModel

if TYPE_CHECKING:
    from splc.scaling.result import ScalingModel

# log10(2) to 60 digits, so that coefficients are rounded once.
_LOG10_2 = Decimal("0.301029995663981195213738894724493026768189881462108541310427")
_ROUNDINGS = Decimal(2) ** -51  # the largest relative error of two roundings of a coefficient


def log2_text(model: InfluenceModel, digits: int | None = None) -> str:
    """Return a model with logarithms to the base 2: `1.37 + 6.7 * log2(y)^2`; `digits`: significant ones, None: all."""
    return Notation(model, digits).text()


def log2_terms(model: InfluenceModel) -> list[tuple[str, float]]:
    """Return the text of each term of a sum, and its coefficient, with logarithms to the base 2."""
    notation = Notation(model)
    parts = (notation.sum((addend,), with_ones=True).partition(notation.times) for addend in model.terms)
    return [(text or "1", float(coefficient)) for coefficient, _, text in parts]


def latex_text(model: InfluenceModel, digits: int | None = 4) -> str:
    r"""Return a model as mathematics in LaTeX, without the dollars around it: `1.37 + 6.698 \cdot \log_{2}^{2}(y)`."""
    return _LatexNotation(model, digits).text()


def python_text(model: InfluenceModel, digits: int | None = None) -> str:
    """Return a model as a Python expression of the variables `python_names`: `1.37 + 6.698 * math.log2(y)**2`."""
    return _PythonNotation(model, digits).text()


def scaling_text(model: ScalingModel, digits: int | None = None) -> str:
    """Return a scaling model as `log2_text` does; with two segments, both."""
    upper = log2_text(model.model, digits)
    if model.below is None or model.change is None:
        return upper
    return f"{log2_text(model.below.model, digits)} up to {model.changing} = {model.change:g}, then {upper}"


def base2(influence: float, logs: Iterable[Exponent]) -> float:
    """Return the coefficient of a product when its logarithms get the base 2, in 15 digits if that is exact enough."""
    power = sum((Fraction(log_power) for log_power in logs), Fraction(0))
    if not math.isfinite(influence):
        raise OutputError(f"an influence is {influence}, which is not a finite number")
    if power == 0:
        return influence
    with localcontext() as context:
        context.prec = 60
        exact = Decimal(influence) * _LOG10_2 ** (Decimal(power.numerator) / Decimal(power.denominator))
        # 6.698 is the same after a conversion and back.
        rounded = Decimal(f"{exact:.15g}")
        result = float(rounded if abs(rounded - exact) <= _ROUNDINGS * abs(exact) else exact)
    if not math.isfinite(result):
        raise OutputError("a coefficient is too large with logarithms to the base 2")
    return result


class Notation:
    """Sums of terms as model text; the other notations differ in templates, and in how single parts are written."""

    times = " * "
    shows_one = True  # whether products have a coefficient of 1
    parentheses, threshold = "({})", "[{} {} {}]"
    raised = "{}^({})"  # a power of an expression in parentheses
    comparisons: Mapping[str, str] = {}  # how comparisons are written, if otherwise than in model text

    def __init__(self, model: InfluenceModel, digits: int | None = None) -> None:
        self.model = model
        self.positions = {name: position for position, name in enumerate(model.order)}
        self.derived: dict[str, Derived] = by_name(model.derived)
        self.digits = digits

    def text(self) -> str:
        """Return the model: a sum with all its coefficients, or the exponential of one."""
        total = self.sum(self.model.terms, with_ones=self.shows_one)
        return self.called("exp", [total]) if self.model.link == "log" else total

    def sum(self, addends: Addends, *, with_ones: bool = False) -> str:
        """Return a sum, inside of a function without the coefficients that are 1."""
        parts: list[str] = []
        unit = "" if with_ones else self.number(1.0) + self.times
        for term, influence in addends:
            value = base2(influence, (factor.log for factor in term.factors))
            if value != 0:
                sign = (" - " if value < 0 else " + ") if parts else ("-" if value < 0 else "")
                parts.append(sign + self.product(abs(value), term.factors).removeprefix(unit))
        return "".join(parts) or "0"

    def product(self, size: float, factors: Iterable[Factor]) -> str:
        """Return a coefficient, which is positive, times factors."""
        parts = [self.number(size)]
        for factor in sorted(factors, key=lambda factor: place_in(factor.option, self.positions)):
            if factor.power != 0:
                parts.append(self.power(self.atom(factor.option), factor.power))
            if factor.log != 0:
                parts.append(self.logarithm(factor.option, factor.log))
        return self.times.join(parts)

    def atom(self, name: str) -> str:
        """Return the base of a factor, in a form that can be raised to a power."""
        match self.derived.get(name):
            case Operation(_, operation, operands):
                first, *others = (self.sum(operand) for operand in operands)
                if operation in THRESHOLDS:
                    return self.threshold.format(first, self.comparisons.get(operation, operation), *others)
                if operation not in (SUM, POWER):
                    return self.called(operation, [first, *others])
                inner = self.parentheses.format(first)
                return inner if operation == SUM else self.parentheses.format(self.raised.format(inner, *others))
        return self.name(name)

    def argument(self, name: str) -> str:
        """Return the argument of a logarithm, in parentheses."""
        definition = self.derived.get(name)
        has_own = isinstance(definition, Operation) and definition.operation in (SUM, POWER)
        return self.atom(name) if has_own else f"({self.atom(name)})"

    def number(self, size: float) -> str:
        """Return a coefficient."""
        return number_text(size) if self.digits is None else f"{size:.{self.digits}g}"

    def name(self, name: str) -> str:
        """Return an option or a parameter."""
        return quoted(name, self.model.order)

    def power(self, base: str, exponent: Exponent) -> str:
        """Return a power of a base that needs no parentheses."""
        return base + exponent_text(exponent)

    def called(self, function: str, texts: Sequence[str]) -> str:
        """Return a function of sums."""
        return f"{function}({', '.join(texts)})"

    def logarithm(self, name: str, exponent: Exponent) -> str:
        """Return a power of a logarithm."""
        return self.power(f"log2{self.argument(name)}", exponent)


class _LatexNotation(Notation):
    """LaTeX's mathematics."""

    times, shows_one = r" \cdot ", False
    parentheses, threshold, raised = r"\left({}\right)", r"\left[{} {} {}\right]", "{}^{{{}}}"
    comparisons: Mapping[str, str] = {">=": r"\geq", "<=": r"\leq"}

    def number(self, size: float) -> str:
        return latex_number(super().number(size))

    def name(self, name: str) -> str:
        if re.fullmatch("[A-Za-z]", name):
            return name
        if name in SMALL_GREEK:
            return f"\\{name}"
        if indexed := re.fullmatch(r"([A-Za-z])(\d+)", name, re.ASCII):
            return f"{indexed[1]}_{{{indexed[2]}}}"
        return rf"\textit{{{latex_escaped(name)}}}"

    def power(self, base: str, exponent: Exponent) -> str:
        return base if exponent == 1 else self.raised.format(base, exponent)

    def called(self, function: str, texts: Sequence[str]) -> str:
        if function in FUNCTION:
            return FUNCTION[function].latex_text(texts[0])
        return rf"\{function}\left({', '.join(texts)}\right)"

    def logarithm(self, name: str, exponent: Exponent) -> str:
        if exponent > 0:
            return self.power(r"\log_{2}", exponent) + self.argument(name)
        # An exponent of -1 at the name of a function would denote the inverse function.
        return self.power(self.parentheses.format(rf"\log_{{2}}{self.argument(name)}"), exponent)


class _PythonNotation(Notation):
    """Python expressions that use the module math."""

    threshold, raised = "({} {} {})", "{}**({})"

    def __init__(self, model: InfluenceModel, digits: int | None = None) -> None:
        super().__init__(model, digits)
        self.names = python_names(model)

    def name(self, name: str) -> str:
        return self.names.get(name, name)

    def power(self, base: str, exponent: Exponent) -> str:
        if exponent == 1:
            return base
        return f"{base}**{exponent}" if isinstance(exponent, int) else self.raised.format(base, exponent)

    def called(self, function: str, texts: Sequence[str]) -> str:
        if function in FUNCTION:
            return FUNCTION[function].python_text(texts[0], "math")
        return super().called(function, texts)

    def logarithm(self, name: str, exponent: Exponent) -> str:
        return f"math.{super().logarithm(name, exponent)}"


# Names that Python reads as something else than an option.
_TAKEN = frozenset({*keyword.kwlist, "math", "np", "round", "max", "min"})


def python_names(model: InfluenceModel) -> dict[str, str]:
    """Return option or parameter → its variable in Python: its name, if Python allows it."""
    names = [*model.order, *sorted(model.options | {parameter.name for parameter in model.parameters})]
    # Python reads identifiers in their NFKC form.
    plain = {name for name in names if name.isidentifier() and unicodedata.normalize("NFKC", name) == name} - _TAKEN
    variables: dict[str, str] = {}
    for name in dict.fromkeys(names):
        identifier = re.sub(r"\W", "_", name, flags=re.ASCII)
        if not identifier or identifier[0].isdigit() or keyword.iskeyword(identifier):
            identifier = f"_{identifier}"
        while identifier in plain | _TAKEN | {*variables.values()}:
            identifier += "_"
        variables[name] = name if name in plain else identifier
    return variables


def parse_model(
    text: str,
    system: VariabilityModel | None = None,
    *,
    parameters: Mapping[str, float] | Parameters | None = None,
    symbols: str | Collection[str] = (),
) -> InfluenceModel:
    """Return the performance-influence model of a text, such as `5 + 2 * px * log2(nx)`.

    Args:
        text: the model text.
        system: the system, whose options the names must be, or parameters, or the text's own definitions; None takes
            every name as an option, all of which are positive.
        parameters: machine parameters that the text uses, name → value, or the result of `read_parameters`.
        symbols: the parameters that `splc.calibration.calibrate` estimates.

    Raises:
        ExpressionError: if the text contains unknown names or is not a model.

    Examples:
        >>> splc.parse_model("2 * threads + tls", system).predict(table[:2])
        array([2., 4.])
    """
    require_kind(text, str, "splc.read_model reads a file")
    return parse_model_text(Source("model", text.encode()), system, parameters, names_of(symbols))


def parse_model_text(source: Source, *settings: Any, **named: Any) -> InfluenceModel:
    """Return the model of a file of text; the arguments are those of `parse_stored_text`."""
    return parse_stored_text(source, *settings, **named)[0]


def parse_stored_text(
    source: Source,
    system: VariabilityModel | None = None,
    parameters: Mapping[str, float] | Parameters | None = None,
    symbols: Collection[str] = (),
) -> tuple[InfluenceModel, frozenset[str]]:
    """Return the model of a text, and the parameters that it uses; the arguments are those of `parse_model`."""
    # Writing a model needs no parser of texts.
    from splc.models.text.reader import expand_model

    known_parameters = Parameters.of(parameters)
    names, order, settings = None, tuple[str, ...](), dict[str, Any](constants={ROOT})
    if system is not None:
        require_kind(system, VariabilityModel, "splc.infer_system(table)")
        names, order = system.term_names, (*system.term_order, *known_parameters.quantities)
        binary = [*(option.name for option in system.binary_options), *system.switches]
        # The range of an observed variable is unknown.
        lowest = dict.fromkeys(system.observed, -math.inf)
        lowest |= {option.name: min(option.values) for option in system.numeric_options}
        settings = {"constants": {*system.mandatory, ROOT}, "binary": binary, "signs": Signs(lowest, 0.0)}
    try:
        expanded = expand_model(source.text(), names, known_parameters, symbols=symbols, **settings)
    except ExpressionError as error:
        raise error.at(source.name) from None
    return InfluenceModel.from_terms(expanded.expansion, order, "identity", expanded.derived), expanded.used


def with_link(model: InfluenceModel) -> InfluenceModel:
    """Return a model that is the exponential of a sum, without parameters, as this sum with the link 'log'."""
    derived = by_name(model.derived)
    match model.terms:
        case ((Term((Factor(name, 1, 0),)), 1.0),) if not model.parameters:
            match derived.get(name):
                case Operation(_, "exp", (terms,)) as found:
                    return InfluenceModel.from_terms(terms, model.order, "log", needed(found.names, derived))
    return model


def model_text_file(model: InfluenceModel) -> str:
    """Return a model as model text: a sum of terms, or for the link 'log' its exponential, `exp(0.5 + 2 * x)`."""
    return (f"exp({model.text})" if model.link == "log" else model.text) + "\n"


def models_text(content: ModelFile) -> str:
    """Return models as model text, logarithms to the base 2, each below a comment with what it rests on."""
    if not content.about:
        return model_text_file(content.models[0].model)
    lines = [f"# {one_line(content.about)}"]
    for stored in content.models:
        lines += ["", f"# {stored.comment}"] if len(content.models) > 1 else [f"# {stored.comment}"]
        if stored.lower is not None:
            below, changing, change = stored.lower
            bound = f"{one_line(changing)} = {number_text(change)}"
            lines.append(f"# beyond {bound}; up to there it is {log2_text(below)}")
        lines.append(log2_text(stored.model))
    return "\n".join(lines) + "\n"


def latex_table(content: ModelFile) -> str:
    r"""Return models as a `tabular` in LaTeX, which needs no package; logarithms have the base 2."""
    measure = "SMAPE" if all(stored.scaling is not None for stored in content.models) else "error"
    rows = [["call path", "metric", "model", rf"{measure} (\%)"]]
    for stored in content.models:
        titled = [*map(latex_escaped, stored.key)]
        error = [f"${latex_number(rounded_text(value, 3))}$" for value in stored.errors.values()][-1:]
        if stored.lower is not None:
            below, changing, change = stored.lower
            bound = f"{latex_escaped(changing)} $\\leq {latex_number(rounded_text(change))}$"
            rows.append([*titled, f"${latex_text(below)}$ \\quad ({bound})", ""])
            titled = ["", ""]
        rows.append([*titled, f"${latex_text(stored.model)}$", *(error or [""])])
    # A column in which every model has the default name is left out.
    defaults = enumerate((ROOT_CALLPATH, DEFAULT_METRIC))
    shown = [at for at, name in defaults if {stored.key[at] for stored in content.models} != {name}]
    header, *body = (" & ".join(row[at] for at in (*shown, 2, 3)) + " \\\\\n" for row in rows)
    return (
        f"% {one_line(content.about)}\n\\begin{{tabular}}{{{'l' * (len(shown) + 1)}r}}\n"
        f"\\hline\n{header}\\hline\n{''.join(body)}\\hline\n\\end{{tabular}}\n"
    )


def python_module(content: ModelFile) -> str:
    """Return models as a Python module: one function each, and `MODELS`, (call path, metric) → function."""
    # Names that a function of a module may not have.
    functions, taken = dict[Key, str](), {"math", "round", "MODELS"}
    for key in (stored.key for stored in content.models):
        identifier = re.sub(r"\W+", "_", title(key), flags=re.ASCII).strip("_") or "model"
        identifier = f"model_{identifier}" if identifier[0].isdigit() or keyword.iskeyword(identifier) else identifier
        functions[key] = free_name(identifier, taken, 2) if identifier in taken else identifier
        taken.add(functions[key])
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
    entries = [f"    {key!r}: {name}," for key, name in functions.items()]
    return "\n".join([*lines, "", "MODELS = {", *entries, "}"]) + "\n"


def _docstring(text: str) -> str:
    escaped = one_line(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"""{escaped}."""'
