"""Parser of the arithmetic grammar that step functions, constraints and model text share.

    expression := ['+'|'-'] product (('+'|'-') product)*
    product    := power (('*'|'/') power)*
    power      := ['+'|'-'] atom ['^' power]
    atom       := NUMBER | NAME | `NAME` | FUNCTION '(' expression (',' expression)* ')' | '(' expression ')'
                | '[' expression ('>=' | '>' | '<=' | '<') expression ']'

Only `max` and `min` take several arguments; they and comparisons in brackets exist in model text only
(`MODEL_FUNCTIONS`).

Names are matched against the known names, longest first and before operators, so that `rc-lookahead` is a name if it is
an option. Text is never evaluated by Python. Nesting is limited to `MAX_DEPTH`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Literal

from splc.arithmetic.functions import SEVERAL, THRESHOLDS
from splc.arithmetic.tokens import FUNCTIONS, NameTable, Token, problem_at, tokenize
from splc.arithmetic.tree import Call, Name, Node, Number, Power, Product, Sum, Threshold
from splc.errors import ExpressionError, shorten

MAX_DEPTH = 64

Associate = Literal["left", "right"]


class Parser:
    """Recursive-descent parser of one text. Use `parse` or `parse_comparison`."""

    def __init__(
        self,
        text: str,
        names: NameTable | None,
        associate: Associate,
        comparisons: bool,
        functions: Sequence[str] = FUNCTIONS,
    ) -> None:
        self.text = text
        self.associate = associate
        self.comparisons = comparisons
        # Tokens are made as they are needed, so that text nested too deeply is refused at that place.
        self.tokens = tokenize(text, names, comparisons, functions)
        self.token = next(self.tokens)
        self.depth = 0

    def advance(self) -> None:
        """Advance to the next token."""
        self.token = next(self.tokens)

    def accept(self, *texts: str) -> str:
        """Consume and return the next token if it is one of these operators, else return an empty text."""
        token = self.token
        if token.kind != "op" or token.text not in texts:
            return ""
        self.advance()
        return token.text

    def end(self) -> None:
        """Raise an error unless all tokens are consumed."""
        if self.token.kind != "end":
            raise self.unexpected()

    def fail(self, message: str, hint: str | None = None) -> ExpressionError:
        """Return an error at the next token."""
        return problem_at(self.text, self.token.at, message, hint)

    def unexpected(self) -> ExpressionError:
        """Return the error for an unexpected next token."""
        token = self.token
        hint = None
        if token.kind == "comma":
            hint = self.decimal() or f"only {' and '.join(SEVERAL)} take several arguments"
        elif self.is_bare():
            hint = "a threshold is one comparison in brackets: [x >= 1] * [x <= 8]"
        elif token.kind != "op" or token.text == "(":
            hint = "write products with *"
        return self.fail(f"{token.text!r} is not expected here", hint)

    def is_bare(self) -> bool:
        """Return whether the next token is a comparison that belongs in brackets."""
        return self.token.kind == "cmp" and not self.comparisons

    def decimal(self) -> str | None:
        """Return a hint for a decimal comma, None if the comma is not within a number."""
        at = self.token.at
        before, after = re.search(r"\d+\Z", self.text[:at]), re.match(r"\d+", self.text[at + 1 :])
        return shorten(f"write numbers with a decimal point: {before[0]}.{after[0]}") if before and after else None

    def enter(self) -> None:
        """Enter a level of nesting."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.fail(f"the expression is nested more than {MAX_DEPTH} levels deep")

    def sum(self) -> Node:
        """Expression := product (('+'|'-') product)*."""
        addends = [(1, self.product())]
        while operator := self.accept("+", "-"):
            addends.append((1 if operator == "+" else -1, self.product()))
        return addends[0][1] if len(addends) == 1 else Sum(tuple(addends))

    def product(self) -> Node:
        """Product := power (('*'|'/') power)*, with the association `self.associate`."""
        factors = [(1, self.power())]
        operators, side = "", 1
        while operator := self.accept("*", "/"):
            operators += operator
            # To the right, a division turns all that follows around.
            around = side if self.associate == "right" else 1
            side = -around if operator == "/" else around
            factors.append((side, self.power()))
        if len(factors) == 1:
            return factors[0][1]
        return Product(tuple(factors), ambiguous="/" in operators[:-1])

    def power(self) -> Node:
        """Power := ('+'|'-')* atom ['^' power]; a power binds tighter than a sign."""
        sign = 1
        while operator := self.accept("+", "-"):
            sign = -sign if operator == "-" else sign
        node = self.atom()
        if self.accept("^"):
            self.enter()
            node = Power(node, self.power())
            self.depth -= 1
        if sign > 0:
            return node
        return Number(-node.value) if isinstance(node, Number) else Sum(((-1, node),))

    def atom(self) -> Node:
        """Return a number, a name, a call or a sum in parentheses."""
        token = self.token
        if token.kind == "number":
            value = float(token.text)
            if not math.isfinite(value):
                raise self.fail(f"the number {shorten(token.text, 60)} is too large")
            self.advance()
            return Number(value)
        if token.kind == "name":
            self.advance()
            return Name(token.text, token.at)
        if token.kind == "function":
            self.advance()
            if not (self.token.kind == "op" and self.token.text == "("):
                raise self.fail(f"{token.text} needs its argument in parentheses")
            return self.call(token)
        if self.accept("("):
            self.enter()
            node = self.sum()
            self.close(token)
            return node
        if self.accept("["):
            return self.threshold(token)
        if token.kind == "end":
            raise self.fail("the expression ends too early" if self.text.strip() else "the expression is empty")
        raise self.fail(f"{token.text!r} is not expected here")

    def close(self, opened: Token) -> None:
        """Consume a closing parenthesis or bracket."""
        if self.token.kind == "comma" or self.is_bare():
            raise self.unexpected()
        closing, symbol = ("]", "bracket") if opened.text == "[" else (")", "parenthesis")
        if not self.accept(closing):
            raise self.fail(f"the {symbol} opened at column {opened.at + 1} is not closed")
        self.depth -= 1

    def threshold(self, opened: Token) -> Node:
        """Return a comparison in brackets, of which the first is consumed."""
        self.enter()
        left = self.sum()
        comparison = self.token
        if comparison.kind != "cmp" or comparison.text not in THRESHOLDS:
            raise self.fail(f"one of {' '.join(THRESHOLDS)} is expected here", "thresholds are written as [x >= 8]")
        self.advance()
        right = self.sum()
        self.close(opened)
        return Threshold(comparison.text, left, right)

    def call(self, function: Token) -> Node:
        """Return a call of a function, whose arguments follow in parentheses."""
        name, opened = function.text, self.token
        self.advance()
        self.enter()
        arguments = [self.sum()]
        while self.token.kind == "comma":
            if name not in SEVERAL:
                other = "write log2(x), log10(x), or log(x) / log(base)" if name.startswith("l") else None
                raise self.fail(f"{name} takes one argument", self.decimal() or other)
            self.advance()
            arguments.append(self.sum())
        self.close(opened)
        if name in SEVERAL and len(arguments) == 1:
            raise problem_at(self.text, function.at, f"{name} takes two arguments or more", f"write {name}(a, b)")
        return Call(name, tuple(arguments), function.at)


def parse(
    text: str, names: NameTable | None = None, associate: Associate = "left", functions: Sequence[str] = FUNCTIONS
) -> Node:
    """Parse an expression.

    `names`: the known names; None accepts every plain name.
    """
    parser = Parser(text, names, associate, comparisons=False, functions=functions)
    node = parser.sum()
    parser.end()
    return node


def parse_comparison(
    text: str, names: NameTable | None = None, associate: Associate = "right"
) -> tuple[Node, str, Node]:
    """Parse `expression CMP expression`; CMP is one of `COMPARISONS` ('==' is returned as '=')."""
    parser = Parser(text, names, associate, comparisons=True)
    left = parser.sum()
    token = parser.token
    if token.kind != "cmp":
        raise parser.fail("a comparison is expected here", "one of >= <= != = < >")
    parser.advance()
    right = parser.sum()
    parser.end()
    return left, "=" if token.text == "==" else token.text, right
