"""The parser against a slow and independent transcription of its grammar; exact messages."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.arithmetic import parser as parser_module
from splc.arithmetic.parser import Associate, parse, parse_comparison
from splc.arithmetic.tokens import FUNCTIONS, MODEL_FUNCTIONS, problem_at
from splc.arithmetic.tree import Node
from splc.errors import ExpressionError, Problem
from tests.support.arithmetic_oracle import WrongError, parsed, written


@given(st.integers(0, 2**32))
def test_trees_and_errors_are_those_of_a_machine_with_a_stack(seed: int) -> None:
    """The parser finds the tree of a text, or its first error with message, column and hint, for any limit of depth."""
    random = Random(seed)
    for _ in range(10):
        text, pieces = written(random)
        associate: Associate = random.choice(("left", "right"))
        comparing = random.random() < (0.9 if any(kind == "cmp" for kind, *_ in pieces) else 0.05)
        depth = random.randint(1, 8)
        in_model = not comparing and random.random() < 0.7
        expected: list[Node | str] | Problem
        try:
            expected = parsed(text, pieces, associate, in_model, comparing, depth)
        except WrongError as error:
            at, message, hint = error.args
            around = ("…" if at > 30 else "") + text[max(0, at - 30) : at + 40].replace("\n", " ")
            expected = Problem(message, column=at + 1, text=around, hint=hint)
        found: list[Node | str] | Problem
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(parser_module, "MAX_DEPTH", depth)
            try:
                if comparing:
                    found = list(parse_comparison(text, associate=associate))
                else:
                    found = [parse(text, associate=associate, functions=MODEL_FUNCTIONS if in_model else FUNCTIONS)]
            except ExpressionError as error:
                (found,) = error.problems
        assert found == expected, text


def test_an_error_shows_the_text_around_it() -> None:
    """An error shows up to 30 characters before its place and 40 from there on; line breaks become spaces."""
    text = "".join(map(chr, range(0x4E00, 0x4E00 + 90)))
    for at, shown in ((0, text[:40]), (30, text[:70]), (31, "…" + text[1:71]), (80, "…" + text[50:])):
        (problem,) = problem_at(text, at, "m", "h").problems
        assert problem == Problem("m", column=at + 1, text=shown, hint="h")
    assert problem_at("a\nb", 1, "m").problems[0].text == "a b"
