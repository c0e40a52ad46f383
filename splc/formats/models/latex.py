"""Models in LaTeX: formulas, and a table with one row per model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from splc.arithmetic.functions import FUNCTION
from splc.data.experiment import DEFAULT_METRIC, ROOT_CALLPATH
from splc.formats.models.notation import Notation
from splc.formats.models.stored_model import ModelFile
from splc.io.latex import SMALL_GREEK, latex_escaped, latex_number, one_line
from splc.io.numbers import rounded_text
from splc.models.influence import InfluenceModel
from splc.models.terms import Exponent, Factor


def latex_text(model: InfluenceModel, digits: int | None = 4) -> str:
    r"""Return a model as mathematics in LaTeX, without the dollars around it: `1.37 + 6.698 \cdot \log_{2}^{2}(y)`.

    Single letters, also with a number, and names of Greek letters are set as symbols, other names in italics. No
    package is needed.

    `digits`: significant digits of coefficients; None: as many as needed to read the same number back.
    """
    text = _LatexNotation(model, digits).total(model.terms)
    return rf"\exp\left({text}\right)" if model.link == "log" else text


class _LatexNotation(Notation):
    """LaTeX's mathematics."""

    times = r" \cdot "

    def product(self, size: float, factors: Iterable[Factor]) -> str:
        text = super().product(size, factors)
        return text.removeprefix(rf"1{self.times}")

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

    def enclosed(self, text: str) -> str:
        return rf"\left({text}\right)"

    def power(self, base: str, exponent: Exponent) -> str:
        return base if exponent == 1 else f"{base}^{{{exponent}}}"

    def raised(self, base: str, exponent: str) -> str:
        return rf"\left({base}\right)^{{{exponent}}}"

    def called(self, function: str, texts: Sequence[str]) -> str:
        if function in FUNCTION:
            return FUNCTION[function].latex_text(texts[0])
        return rf"\{function}\left({', '.join(texts)}\right)"

    def threshold(self, text: str, comparison: str, bound: str) -> str:
        sign = {">=": r"\geq", "<=": r"\leq"}.get(comparison, comparison)
        return rf"\left[{text} {sign} {bound}\right]"

    def logarithm(self, name: str, exponent: Exponent) -> str:
        argument = self.argument(name)
        if exponent > 0:
            return self.power(r"\log_{2}", exponent) + argument
        # An exponent of -1 at the name of a function would denote the inverse function.
        return self.power(self.enclosed(rf"\log_{{2}}{argument}"), exponent)


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
