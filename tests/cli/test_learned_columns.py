"""Models that remember the columns of the table that they were learned from."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Run

Refused = Callable[..., str]

# The property has few whole numbers and is not the last one, so that only its name tells it.
NAMES = ("--options", "cipher", "--ignore", "day", "--context", "year", "--where", "year=2020", "--property", "cost")
LEARN = ("learn", "--measurements", "table.csv", *NAMES, "--learner", "stepwise")


def content(factor: int = 1) -> str:
    """Return a table with a text column that is an option, one to ignore, and a context of numbers."""
    lines = ["cipher,n,day,cost,bytes,year"]
    for year in (2020, 2021):
        for cipher, base in (("aes", 3), ("chacha", 5)):
            for day in ("mon", "tue"):
                lines += [
                    f"{cipher},{n},{day},{factor * (base + 2 * n) * (1 if year == 2020 else 7)},{n * base},{year}"
                    for n in (1, 2, 4)
                ]
    return "\n".join(lines) + "\n"


@pytest.fixture(params=["model.json", "model.log"])
def model(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> str:
    """A model of the rows of one year."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "table.csv").write_text(content())
    (tmp_path / "twice.csv").write_text(content(2))
    (tmp_path / "formula.txt").write_text("3 + 2 * cipher_chacha + 2 * n\n")
    done = run(*LEARN, "-o", str(request.param))
    assert done.exit_code == 0, done.stderr
    return str(request.param)


@pytest.mark.parametrize(
    "command",
    [
        ("explain", "MODEL"),
        ("explain", "MODEL", "cipher=aes,n=2"),
        ("optimize", "MODEL"),
        ("predict", "MODEL", "twice.csv"),
        ("compare", "MODEL", "formula.txt"),
        ("compare", "formula.txt", "MODEL", "--on", "twice.csv"),
    ],
)
def test_columns_are_remembered(model: str, run: Run, command: tuple[str, ...]) -> None:
    """The roles of columns need not be stated again, and the results are the same."""
    given = [model if each == "MODEL" else each for each in command]
    short, stated = (run(*given, "--measurements", "table.csv", *more, "--json") for more in ((), NAMES))
    assert short.exit_code == stated.exit_code == 0, short.stderr
    results = [{**json.loads(each.stdout), "notes": []} for each in (short, stated)]
    assert results[0] == results[1]
    # The property is the one that the model names, without another notice of it.
    assert "options: cipher, n; properties: cost, bytes; context: year" in short.stderr.replace("contexts", "context")
