"""SPL Conqueror's log grammar: numbers, durations and terms, as text and back.

    model := term (' + ' term)*          term := NUMBER ' * ' product
    product := factor ((' * ' | ' / ') factor)*
    factor := NAME | NUMBER | 'log10( ' product ' )' | '( ' NUMBER ' - ' NAME ' )'

`*` and `/` associate to the right: `A * 1 / x * y` is A/(x·y). In SPL Conqueror itself a division by 0 and the
logarithm of 0 give 0; here such a model has no value there, and `predict` raises an error.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from splc.arithmetic.parser import parse
from splc.arithmetic.tokens import FUNCTIONS, MODEL_FUNCTIONS, PLAIN_NAME, NameTable
from splc.arithmetic.tree import Name, Node, Number, Product, Sum
from splc.errors import ExpressionError, OutputError, listed
from splc.io.numbers import parse_number
from splc.models.terms import CONSTANT, Term, log_term, option_term
from splc.models.text.algebra import expand
from splc.models.text.products import Expansion, add
from splc.system.variability import ENABLED, ROOT, VariabilityModel

# A sign next to a space may be an operator: `a * b` is a product if a and b are names as well.
_LIKE_SIGNS = re.compile(r"`|\s[-+*/^)]|[-+*/^(]\s|^[-+*/^()]+$|^log10\(")


def net_number(value: float) -> str:
    """Return the shortest text that reads back as the same number, in .NET's style: `0.1`, `1E-05`, `1E+16`."""
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    scientific = np.format_float_scientific(value, trim="-", exp_digits=2)
    if -4 <= int(scientific.partition("e")[2]) < 15:
        return np.format_float_positional(value, trim="-")
    return scientific.replace("e", "E")


def duration_text(seconds: float) -> str:
    """Return a duration as .NET writes it: `hh:mm:ss.fffffff`, with `d.` in front from a day on."""
    ticks = round(seconds * 10_000_000)
    whole_seconds, fraction = divmod(ticks, 10_000_000)
    minutes, second = divmod(whole_seconds, 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    return f"{f'{days}.' if days else ''}{hour:02d}:{minute:02d}:{second:02d}.{fraction:07d}"


def term_text(term: Term, order: Sequence[str] = (), base: str = ROOT, further: Iterable[str] = ()) -> str:
    """Return a product of powers, logarithms and further factors: `log10( x ) * A * ( 64 - x )`; `base` if it is empty.

    Reciprocals come last: `A * 1 / x * y` is A/(x·y). Powers with fractions, which logs define names for, are model
    text.
    """
    above: list[str] = []
    below: list[str] = []
    for factor in term.ordered(order):
        if factor.power % 1 or factor.log % 1:
            above.append(Term((factor,)).text(order))
            continue
        (above if factor.power > 0 else below).extend([factor.option] * abs(int(factor.power)))
        (above if factor.log > 0 else below).extend([f"log10( {factor.option} )"] * abs(int(factor.log)))
    above.extend(further)
    if below:
        return " * ".join([*above, "1"]) + " / " + " * ".join(below)
    return " * ".join(above) or base


def model_text(terms: Iterable[tuple[float, str]]) -> str:
    """Return the model of influences and the texts of their terms: `228.8 * time_passes + -3 * gvn`."""
    # Readers expect a term.
    return " + ".join(f"{net_number(influence)} * {text}" for influence, text in terms) or f"0 * {ROOT}"


def split_model(text: str) -> list[tuple[str, str]]:
    """Return the terms of a model as texts of influence and term, '' for a lone number."""
    parts = (part.strip().partition(" * ") for part in text.split(" + "))
    return [(influence.strip(), product.strip()) for influence, _, product in parts]


def require_writable_names(names: Iterable[str], known: NameTable | None = None) -> None:
    """Raise an error if names would not read back from the log grammar; `known`: all names; None: no system."""
    # Among plain names, plain names need no probes.
    plain = known is None or all(map(_is_plain, known.names))
    wrong = [
        name
        for name in dict.fromkeys(names)
        if not (plain and _is_plain(name) and (known is None or known.names.get(name) == name))
        and not _reads_back(name, known)
    ]
    if wrong:
        raise OutputError(
            f"SPL Conqueror's log grammar cannot express the {'name' if len(wrong) == 1 else 'names'} "
            f"{listed([repr(name) for name in wrong])}",
            hint="write the model as JSON: -o model.json",
        )


def _is_plain(name: str) -> bool:
    return PLAIN_NAME.fullmatch(name) is not None and name not in MODEL_FUNCTIONS


def _reads_back(name: str, known: NameTable | None) -> bool:
    if ";" in name or len(name.splitlines()) != 1 or name != name.strip() or _LIKE_SIGNS.search(name):
        return False
    if name == ROOT:
        return True
    probes = {
        name: {option_term(name): 1.0},
        f"{name} * {name}": {option_term(name, 2): 1.0},
        f"1 / {name}": {option_term(name, -1): 1.0},
        f"log10( {name} )": {log_term(name): 1.0},
        f"( 64 - {name} )": {CONSTANT: 64.0, option_term(name): -1.0},
    }
    try:
        return all(expand_product(text, known or names_of([text])) == terms for text, terms in probes.items())
    except ExpressionError:
        return False


def is_number(text: str) -> bool:
    """Return whether a text is a number of the grammar (and finite)."""
    return text == text.strip() and not math.isnan(parse_number(text))


def names_of(products: Iterable[str]) -> NameTable:
    """Return the names in products of a log without a system: what spaces separate, but numbers and signs."""
    names: set[str] = {ROOT}
    for product in products:
        for token in product.split():
            if not set(token) & set("()*/^`") and not is_number(token) and token not in {"+", "-", "log10"}:
                names.add(token)
            else:
                names.update(PLAIN_NAME.findall(token))
    names.difference_update(FUNCTIONS)
    return NameTable.plain(names)


def is_sum(text: str, names: NameTable) -> bool:
    """Return whether a text of the log grammar is a sum, which is a factor only in parentheses."""
    return isinstance(parse(text, names, associate="right"), Sum)


def expand_product(text: str, names: NameTable, system: VariabilityModel | None = None) -> Expansion:
    """Return a product of the log grammar as a sum of terms, without the root and options that are always selected.

    `( 64 - x )` is multiplied out; of an optional numeric x, 64 counts only where x is selected, as in SPL Conqueror.
    """
    tree = parse(text, names, associate="right")
    factors, mirrored = list[tuple[int, Node]](), dict[str, str]()
    for side, node in tree.factors if isinstance(tree, Product) else [(1, tree)]:
        match node:
            case Sum(((1, Number()), (-1, Name(name)))) if system and ENABLED + name in system.switches:
                mirrored[ENABLED + name] = name
                enabled = (1, Name(ENABLED + name))
                factors.append((side, Sum(tuple((sign, Product(((1, part), enabled))) for sign, part in node.addends))))
            case _:
                factors.append((side, node))
    constant = {ROOT} | (system.mandatory if system else set())
    result: Expansion = {}
    for term, value in expand(Product(tuple(factors))).items():
        add(result, {term.reduced((), constant): value})
    return without_idle_switches(result, mirrored)


def without_idle_switches(expansion: Expansion, switches: Mapping[str, str]) -> Expansion:
    """Return a sum without switches (`Enabledx` → x) beside their option in a term, as `x * Enabledx` is x."""
    result: Expansion = {}
    for term, value in expansion.items():
        idle = {switch for switch, option in switches.items() if option in term.options}
        add(result, {Term(tuple(factor for factor in term.factors if factor.option not in idle)): value})
    return result
