"""The printed model of a program as a function in C."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from splc.formats.models.programs.program import Program
from splc.formats.models.programs.term_program import AddendProgram, FactorProgram, FunctionProgram

_EQUAL = "fabs(a - b) <= 1e-12 * fabs(b)"
# Functions whose C is more than a call of the library: their bodies.
_BODIES = {
    "ceil": ("round_up", "double a", "fabs(a - rint(a)) <= 1e-12 + 1e-12 * fabs(rint(a)) ? rint(a) : ceil(a)"),
    "floor": ("round_down", "double a", "fabs(a - rint(a)) <= 1e-12 + 1e-12 * fabs(rint(a)) ? rint(a) : floor(a)"),
    # fmax and fmin hide NAN.
    "max": ("larger", "double a, double b", "isnan(a) || a > b ? a : b"),
    "min": ("smaller", "double a, double b", "isnan(a) || a < b ? a : b"),
    ">=": ("at_least", "double a, double b", f"isnan(a) || isnan(b) ? NAN : {_EQUAL} || a > b ? 1.0 : 0.0"),
    "<=": ("at_most", "double a, double b", f"isnan(a) || isnan(b) ? NAN : {_EQUAL} || a < b ? 1.0 : 0.0"),
    ">": ("above", "double a, double b", f"isnan(a) || isnan(b) ? NAN : !({_EQUAL}) && a > b ? 1.0 : 0.0"),
    "<": ("below", "double a, double b", f"isnan(a) || isnan(b) ? NAN : !({_EQUAL}) && a < b ? 1.0 : 0.0"),
}


class CTerms:
    """Expressions of the printed model.

    Args:
        program: the program.
        names: option → its name in C.
    """

    def __init__(self, program: Program, names: Mapping[str, str]) -> None:
        self.model = program.printed
        self.names = names
        self.optional = {option.name for option in program.options if option.optional}

    def helpers(self) -> Iterator[str]:
        """Yield the helpers that the function calls; C warns of others."""
        called = {call.function for call in self.model.functions}
        for name, (helper, arguments, body) in _BODIES.items():
            if name in called:
                yield f"static double {helper}({arguments})\n{{\n    return {body};\n}}\n"

    def function(self, name: str) -> str:
        """Return the function that predicts."""
        lines = [f"double {name}(const double x[OPTIONS])", "{"]
        if not any(term.factors for term in self.model.terms):
            lines.append("    (void) x;")
        for number, call in enumerate(self.model.functions):
            lines.append(f"    const double f{number} = {self.call(call)};")
        total = self.sum(self.model.terms, "\n        ")
        lines.append(f"    const double sum = {total};")
        lines.append("    return exp(sum);" if self.model.link == "log" else "    return sum;")
        return "\n".join([*lines, "}", ""])

    def sum(self, terms: Sequence[AddendProgram], separator: str = " ") -> str:
        """Return a sum; a term with a factor without a value is 0."""
        return f"{separator}+ ".join(map(self.term, terms)) or "0.0"

    def term(self, term: AddendProgram) -> str:
        """Return a term."""
        product = " * ".join(
            [repr(term.influence), *(power for factor in term.factors for power in self.powers(factor))]
        )
        absent = list(dict.fromkeys(filter(None, map(self.absent, term.factors))))
        return f"({' || '.join(absent)} ? 0.0 : {product})" if absent else product

    def absent(self, factor: FactorProgram) -> str:
        """Return when a factor has no value, an empty text if it always has one."""
        if factor.option is not None:
            return f"isnan(x[{self.names[factor.option]}])" if factor.option in self.optional else ""
        assert factor.function is not None
        function = self.model.functions[factor.function]
        options = function.options
        if function.function in ("selected", "deselected") or not options or not self.optional.issuperset(options):
            return ""
        return "(" + " && ".join(f"isnan(x[{self.names[name]}])" for name in options) + ")"

    def powers(self, factor: FactorProgram) -> Iterator[str]:
        """Yield the power of a value and that of its logarithm."""
        base = f"f{factor.function}" if factor.option is None else f"x[{self.names[factor.option]}]"
        for text, power in ((base, factor.power), (f"log10({base})", factor.log10)):
            if power == 1:
                yield text
            elif power != 0:
                yield f"pow({text}, {power!r})"

    def call(self, function: FunctionProgram) -> str:
        """Return a function of sums."""
        name = function.function
        if name in ("selected", "deselected"):
            values = "0.0 : 1.0" if name == "selected" else "1.0 : 0.0"
            return f"isnan(x[{self.names[function.options[0]]}]) ? {values}"
        arguments = [self.sum(addends) for addends in function.arguments]
        if name == "sum":
            return arguments[0]
        if name not in _BODIES:
            c_function = {"power": "pow", "ln": "log"}.get(name, name)
            return f"{c_function}({', '.join(arguments)})"
        helper, parameters, _ = _BODIES[name]
        result = arguments[0]
        for argument in arguments[1:]:
            result = f"{helper}({result}, {argument})"
        return result if "," in parameters else f"{helper}({result})"
