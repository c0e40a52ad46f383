from __future__ import annotations

import pickle
import random
import time
import tracemalloc

import pytest

from splc.errors import (
    ConfigurationError,
    ExpressionError,
    InputError,
    Problem,
    Problems,
    SplcError,
    VariabilityError,
    listed,
    nearest,
    shorten,
    unknown_name_hint,
)


class TestProblem:
    @pytest.mark.parametrize(
        ("problem", "text"),
        [
            (Problem("wrong"), "wrong"),
            (Problem("wrong", "f.xml", 3), "f.xml:3: wrong"),
            (Problem("wrong", "f.txt", 3, 7), "f.txt:3:7: wrong"),
            (Problem("wrong", "f.txt"), "f.txt: wrong"),
            (Problem("wrong", column=7), "column 7: wrong"),
            (Problem("wrong", "f.xml", 3, None, "a  b\nc", "do that"), "f.xml:3: wrong\n    a b c\n    do that"),
        ],
    )
    def test_text(self, problem: Problem, text: str) -> None:
        """A problem prints its place, what is wrong, the offending text and what to do; a column is never a line."""
        assert str(problem) == text

    def test_long_names_are_cut(self) -> None:
        """Words of more than 300 characters and messages of more than 3,000 are cut, wherever the words are."""
        long = "x" * 70_000
        shown = str(Problem(f"no {long} here", "f", 3, None, None, f"not {long!r}"))
        assert shown == f"f:3: no {'x' * 300}… here\n    not '{'x' * 299}…"
        assert str(Problem(f"no {'x' * 300} here")) == f"no {'x' * 300} here"
        many = "no " + "x " * 50_000
        assert str(Problem(many)) == many[:2999] + "…"
        assert str(Problem(many[:3000])) == many[:3000]

    def test_at_keeps_known_places(self) -> None:
        """File and line of a problem are set once; known ones are kept."""
        assert Problem("p").at("f", 3) == Problem("p", "f", 3)
        assert Problem("p", "g", 4, 5).at("f", 3) == Problem("p", "g", 4, 5)
        assert Problem("p", column=2).at(None, 3) == Problem("p", None, 3, 2)


class TestErrors:
    def test_an_error_keeps_its_class_when_it_is_placed(self) -> None:
        """Locating an error changes its problems only."""
        placed = ConfigurationError("wrong", hint="mend it").at("f.csv", 2)
        assert type(placed) is ConfigurationError
        assert str(placed) == "f.csv:2: wrong\n    mend it"

    def test_an_error_survives_another_process(self) -> None:
        """A pickled error has its problems and its class."""
        error = ExpressionError([Problem("one", "f", 1), Problem("two", "f", 2)])
        copy = pickle.loads(pickle.dumps(error))  # noqa: S301
        assert (type(copy), copy.problems, str(copy)) == (ExpressionError, error.problems, str(error))

    def test_all_are_of_one_tree(self) -> None:
        """SplcError is the base class of all errors, InputError that of errors in files and texts."""
        assert issubclass(VariabilityError, InputError)
        assert issubclass(InputError, SplcError)


class TestProblems:
    def test_all_at_once_in_order_of_lines(self) -> None:
        """Problems are raised together, by line, those without a line last."""
        problems = Problems("f.xml")
        problems.add("late", 9)
        problems.add("nowhere")
        problems.add("early", 2)
        problems.include(ExpressionError(Problem("included", column=4)), 5)
        with pytest.raises(VariabilityError) as caught:
            problems.raise_if_any(VariabilityError)
        assert [problem.message for problem in caught.value.problems] == ["early", "included", "late", "nowhere"]
        assert str(caught.value).splitlines()[1] == "f.xml:5:4: included"

    def test_nothing_is_raised_without_problems(self) -> None:
        """An empty collection raises nothing."""
        problems = Problems("f.xml")
        problems.raise_if_any()
        assert len(problems) == 0

    def test_problems_beyond_the_limit_are_counted(self) -> None:
        """Of many problems, the first are listed and the others counted."""
        problems = Problems("f.xml", limit=3)
        for line in range(10, 0, -1):
            problems.add(f"p{line}", line)
        with pytest.raises(InputError) as caught:
            problems.raise_if_any()
        assert [problem.message for problem in caught.value.problems] == ["p1", "p2", "p3", "… and 7 more problems"]


class TestHints:
    def test_nearest(self) -> None:
        """The nearest name is found regardless of case; without a near name there is none."""
        assert nearest("Gnv", ["gvn", "licm"]) == "did you mean 'gvn'?"
        assert nearest("INLINE", ["gvn", "inline"]) == "did you mean 'inline'?"
        assert nearest("zzz", ["gvn", "licm"]) is None

    def test_known_names_without_a_near_one(self) -> None:
        """Without a near name, known names are listed, up to a limit."""
        assert unknown_name_hint("zzz", ["a", "b"]) == "known are: a, b"
        assert listed([f"n{i}" for i in range(20)], 2) == "n0, n1, … (20 in all)"

    def test_repeated_names_are_looked_up_once(self) -> None:
        """A file that has the same wrong name in 1,000 rows is reported quickly."""
        names = [f"option_{i}" for i in range(1000)]
        assert {nearest("optoin_7", names) for _ in range(1000)} == {"did you mean 'option_7'?"}

    def test_long_names_have_no_near_ones(self) -> None:
        """Names of more than 300 characters are not compared, which would take seconds."""
        rng = random.Random(1)
        long = "".join(chr(0x100 + rng.randrange(200)) for _ in range(20_000))
        begin = time.process_time()
        assert nearest(long, ["x", long[1:]]) is None
        assert nearest("long", ["lung", long]) == "did you mean 'lung'?"
        assert time.process_time() - begin < 0.5
        assert nearest("x" * 300, ["x" * 299]) == f"did you mean {'x' * 299!r}?"

    def test_shorten(self) -> None:
        """A text is joined to one line and cut to the width."""
        assert shorten(" a\n b\t c ", 10) == "a b c"
        assert shorten("x" * 20, 10) == "x" * 9 + "…"


def test_nearest_names_keep_little_memory() -> None:
    """Lists of known names that are cells of files are not kept for long."""
    tracemalloc.start()
    try:
        for file in range(40):
            nearest("x", [f"{file}-{cell:0>100}" for cell in range(2000)])
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < 6e6
