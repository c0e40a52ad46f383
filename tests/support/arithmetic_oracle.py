"""Random expressions, a slow parser of them (a machine with a stack), and their values by Python's arithmetic."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from operator import ge, gt, le, lt
from random import Random

from splc.arithmetic.functions import THRESHOLDS
from splc.arithmetic.parser import Associate
from splc.arithmetic.tokens import FUNCTIONS, MODEL_FUNCTIONS
from splc.arithmetic.tree import Call, Name, Node, Number, Power, Product, Sum, Threshold

NAMES = ("a", "b.c", "größe")
NUMBERS = ("2", "15", "1.5", ".5", "7.", "1e3", "2E-1")
COMPARISONS = (">=", "<=", "!=", "==", "=", "<", ">")
SPACES = ("", "", " ", "  ", "\t", "\n")

# (kind, text, offset)
Piece = tuple[str, str, int]


def kind_of(text: str) -> str:
    """Return the kind of a piece of text."""
    for kind, texts in (("name", (*NAMES, "`a`")), ("number", NUMBERS), ("function", MODEL_FUNCTIONS)):
        if text in texts:
            return kind
    return "cmp" if text in COMPARISONS else text


class WrongError(Exception):
    """The problem that the oracle finds: offset, message and hint."""


@dataclass
class Frame:
    """An open part (the whole text, parentheses, brackets or a call), and its content so far."""

    opened: int = 0
    function: Piece | None = None
    bracket: bool = False
    comparison: str = ""
    arguments: list[Node] = field(default_factory=list)
    addends: list[tuple[int, Node]] = field(default_factory=list)
    addend_sign: int = 1
    factors: list[Node] = field(default_factory=list)
    operators: str = ""
    powers: list[tuple[int, Node]] = field(default_factory=list)
    sign: int = 1

    def end_power(self) -> None:
        """Combine powers from the right; a sign applies to the power after it."""
        whole: Node | None = None
        for sign, base in reversed(self.powers):
            whole = base if whole is None else Power(base, whole)
            if sign < 0:
                whole = Number(-whole.value) if isinstance(whole, Number) else Sum(((-1, whole),))
        assert whole is not None
        self.factors.append(whole)
        self.powers = []

    def end_product(self, associate: Associate) -> None:
        """Combine factors; to the right, a factor divides if an odd number of `/` is before it."""
        self.end_power()
        count = range(1, len(self.operators) + 1)
        sides = [
            (-1) ** (self.operators[:i].count("/") if associate == "right" else self.operators[i - 1] == "/")
            for i in count
        ]
        product = Product(tuple(zip([1, *sides], self.factors, strict=True)), bool(re.search("/.", self.operators)))
        self.addends.append((self.addend_sign, product if self.operators else self.factors[0]))
        self.factors, self.operators = [], ""

    def end_sum(self, associate: Associate) -> None:
        """Combine addends."""
        self.end_product(associate)
        self.arguments.append(self.addends[0][1] if len(self.addends) == 1 else Sum(tuple(self.addends)))
        self.addends, self.addend_sign = [], 1


def decimal(text: str, at: int) -> str | None:
    """Return the hint for a decimal comma."""
    before = text[:at][len(text[:at].rstrip("0123456789")) :]
    after = text[at + 1 :][: len(text[at + 1 :]) - len(text[at + 1 :].lstrip("0123456789"))]
    return f"write numbers with a decimal point: {before}.{after}" if before and after else None


def lexed(pieces: list[Piece], text: str, in_model: bool, comparisons: bool) -> Iterator[Piece]:
    """Yield the pieces with their kinds as tokens; raise for what no expression has."""
    for here, after in pairwise([*pieces, ("end", "", len(text)), ("end", "", len(text))]):
        kind, word, at = here
        called = after[1] == "("
        if kind == "function" and not (word in FUNCTIONS or (in_model and called)):
            kind = "name"
        if kind == "name" and called and in_model and word[0] != "`":
            known = f"functions are {', '.join(MODEL_FUNCTIONS)}; write products with *"
            raise WrongError(at, f"unknown function {word!r}", known)
        if kind == "**":
            raise WrongError(at, "'**' is not an operator", "write powers as x^2")
        compares = comparisons or (in_model and word in THRESHOLDS)
        if (kind == "cmp" and not compares) or kind == ";" or (kind in ",[]" and not in_model):
            hint = "a statement ends where its line ends" if kind == ";" and in_model else None
            raise WrongError(at, f"{word!r} does not belong in an expression", hint)
        yield kind, word.strip("`"), at


def parsed(
    text: str, pieces: list[Piece], associate: Associate, in_model: bool, comparing: bool, depth: int
) -> list[Node | str]:
    """Return the expression, or both sides and the comparison, by a machine with a stack; raise `WrongError`."""
    found: list[Node | str] = []
    stack = [Frame()]
    tokens = lexed(pieces, text, in_model, comparing)
    token = next(tokens)
    operand = True  # Whether an operand is expected.

    def check() -> None:
        if len(stack) - 1 + sum(len(frame.powers) for frame in stack) > depth:
            raise WrongError(token[2], f"the expression is nested more than {depth} levels deep", None)

    while True:
        (kind, word, at), frame = token, stack[-1]
        if operand:
            if kind in ("+", "-"):
                frame.sign *= -1 if kind == "-" else 1
            elif kind in ("number", "name"):
                leaf = Number(float(word)) if kind == "number" else Name(word, at)
                frame.powers.append((frame.sign, leaf))
                frame.sign, operand = 1, False
            elif kind in ("function", "("):
                function = token if kind == "function" else None
                if function:
                    at = (token := next(tokens))[2]
                    if token[0] != "(":
                        raise WrongError(at, f"{word} needs its argument in parentheses", None)
                token = next(tokens)
                stack.append(Frame(at, function))
                check()
                continue
            elif kind == "[":
                stack.append(Frame(at, bracket=True))
                token = next(tokens)
                check()
                continue
            elif kind == "end":
                raise WrongError(
                    at, "the expression ends too early" if text.strip() else "the expression is empty", None
                )
            else:
                raise WrongError(at, f"{word!r} is not expected here", None)
        elif kind in ("+", "-"):
            frame.end_product(associate)
            frame.addend_sign, operand = 1 if kind == "+" else -1, True
        elif kind in ("*", "/"):
            frame.end_power()
            frame.operators += kind
            operand = True
        elif kind == "^":
            token = next(tokens)
            check()
            operand = True
            continue
        elif frame.bracket and not frame.comparison:
            if word not in THRESHOLDS:
                raise WrongError(at, "one of >= <= > < is expected here", "thresholds are written as [x >= 8]")
            frame.end_sum(associate)
            frame.comparison, operand = word, True
        elif frame.bracket and kind == "]":
            frame.end_sum(associate)
            stack.pop()
            stack[-1].powers.append((stack[-1].sign, Threshold(frame.comparison, *frame.arguments)))
            stack[-1].sign = 1
        elif frame.function and kind == ",":
            name = frame.function[1]
            if name not in ("max", "min"):
                log = "write log2(x), log10(x), or log(x) / log(base)" if name.startswith("l") else None
                raise WrongError(at, f"{name} takes one argument", decimal(text, at) or log)
            frame.end_sum(associate)
            operand = True
        elif len(stack) > 1 and kind == ")" and not frame.bracket:
            frame.end_sum(associate)
            stack.pop()
            node = frame.arguments[0]
            token = next(tokens)
            if frame.function:
                name, start = frame.function[1:]
                if name in ("max", "min") and len(frame.arguments) == 1:
                    raise WrongError(start, f"{name} takes two arguments or more", f"write {name}(a, b)")
                node = Call(name, tuple(frame.arguments), start)
            stack[-1].powers.append((stack[-1].sign, node))
            stack[-1].sign = 1
            continue
        elif kind == ",":
            raise WrongError(
                at, "',' is not expected here", decimal(text, at) or "only max and min take several arguments"
            )
        elif kind == "cmp" and not comparing:
            hint = "a threshold is one comparison in brackets: [x >= 1] * [x <= 8]"
            raise WrongError(at, f"{word!r} is not expected here", hint)
        elif frame.bracket:
            raise WrongError(at, f"the bracket opened at column {frame.opened + 1} is not closed", None)
        elif len(stack) > 1:
            raise WrongError(at, f"the parenthesis opened at column {frame.opened + 1} is not closed", None)
        elif comparing and not found:
            if kind != "cmp":
                raise WrongError(at, "a comparison is expected here", "one of >= <= != = < >")
            frame.end_sum(associate)
            found = [frame.arguments[0], "=" if word == "==" else word]
            stack = [Frame()]
            operand = True
        elif kind == "end":
            frame.end_sum(associate)
            return [*found, frame.arguments[0]]
        else:
            product = kind in ("number", "name", "function", "(", "cmp")
            raise WrongError(at, f"{word!r} is not expected here", "write products with *" if product else None)
        token = next(tokens)


def expression(random: Random, depth: int = 4) -> list[str]:
    """Return the pieces of a valid expression."""
    if depth == 0 or random.random() < 0.2:
        return [random.choice([*NAMES, *NUMBERS, "`a`"])]
    one, other = (expression(random, depth - 1) for _ in range(2))
    return random.choice(
        [
            [*one, random.choice("+-*/^"), *other],
            [*one, random.choice("+-*/^"), *other],
            ["(", *one, ")"],
            [random.choice("+-"), *one],
            [random.choice([*FUNCTIONS, "exp"]), "(", *one, ")"],
            [random.choice(["max", "min"]), "(", *one, ",", *other, ")"],
            ["[", *one, random.choice(THRESHOLDS), *other, "]"],
        ]
    )


def written(random: Random) -> tuple[str, list[Piece]]:
    """Return the text of an expression or a comparison and its pieces; most with a piece removed, replaced or added."""
    words = expression(random)
    if random.random() < 0.3:
        words += [random.choice(COMPARISONS), *expression(random)]
    others = [*NAMES, "2", *"+-*/^(),,;[]", "**", ">=", "=", "log2", "sqrt", "max", "exp"]
    for _ in range(random.choice([0, 1, 1, 1, 2])):
        at, removed = random.randint(0, len(words)), random.randint(0, 1)
        words[at : at + removed] = random.choices(others, k=random.randint(1 - removed, 1))
    text, pieces = random.choice(SPACES), list[Piece]()
    for word in words:
        space = random.choice(SPACES)
        if not space and re.search(r"[\w.`]{2}|[*<>!=]{2}", text[-1:] + word[0]):
            space = " "
        pieces.append((kind_of(word), word, len(text + space)))
        text += space + word
    return text, pieces


class UndecidedError(Exception):
    """A value that depends on the sign of a zero."""


def value(node: Node, values: Mapping[str, float], zero_safe: bool, errors: Random | None = None) -> float:
    """Return the value of a tree by Python's arithmetic, NaN or infinite where IEEE's is; perhaps with rounding errors.

    `errors`: the source of relative errors of powers and functions.
    """

    def of(child: Node) -> float:
        found = value(child, values, zero_safe, errors)
        return found * (1 + 1e-13 * errors.choice((-1, 1))) if errors and isinstance(child, Power | Call) else found

    match node:
        case Number(number):
            return number
        case Name(name):
            return values[name]
        case Sum(addends):
            return math.fsum([0.0]) + sum(sign * of(child) for sign, child in addends)
        case Product(factors):
            above = math.prod(of(child) for side, child in factors if side > 0)
            below = math.prod(of(child) for side, child in factors if side < 0)
            if below:
                return above / below
            return 0.0 if zero_safe else math.copysign(math.inf, above) if above and not math.isnan(above) else math.nan
        case Power(base, exponent):
            low, high = of(base), of(exponent)
            try:
                found = low**high
            except ZeroDivisionError:
                return 0.0 if zero_safe else math.inf
            except OverflowError:
                return math.inf
            return math.nan if isinstance(found, complex) else found
        case Call(function, (argument,)):
            inner = of(argument)
            if function in ("ceil", "floor"):
                whole = math.isfinite(inner) and abs(inner - round(inner)) <= 1e-12 * (1 + abs(inner))
                return inner if not math.isfinite(inner) else round(inner) if whole else getattr(math, function)(inner)
            if inner == 0 and function not in ("sqrt", "exp"):
                return 0.0 if zero_safe else -math.inf
            try:
                return float(getattr(math, "log" if function == "ln" else function)(inner))
            except ValueError:
                return math.nan
            except OverflowError:
                return math.inf
        case Call(function, arguments):
            parts = [of(child) for child in arguments]
            if any(map(math.isinf, parts)):
                raise UndecidedError
            return math.nan if any(map(math.isnan, parts)) else {"max": max, "min": min}[function](parts)
        case Threshold(comparison, left, right):
            first, second = of(left), of(right)
            if math.isnan(first) or math.isnan(second):
                return math.nan
            if math.isinf(first) and math.isinf(second):
                raise UndecidedError
            return float({">=": ge, ">": gt, "<=": le, "<": lt}[comparison](first, second))
