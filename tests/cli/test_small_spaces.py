"""Commands on systems with few valid configurations, where all or all but one are measured."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.conftest import Run

# The options that may be selected, whether they exclude each other, and the valid configurations.
SYSTEMS: dict[str, tuple[tuple[str, ...], bool, list[tuple[int, ...]]]] = {
    "one": ((), False, [()]),
    "two": (("a",), False, [(0,), (1,)]),
    "three": (("a", "b"), True, [(0, 0), (1, 0), (0, 1)]),
    "four": (("a", "b"), False, [(0, 0), (1, 0), (0, 1), (1, 1)]),
    "eight": (("a", "b", "c"), False, [(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)]),
}
CASES = [
    *(
        (name, left_out, 0.0, "projection")
        for name, (_, _, rows) in SYSTEMS.items()
        for left_out in (0, 1)
        if len(rows) > left_out
    ),
    *(("four", left_out, -8.0, "projection") for left_out in (0, 1)),
    *(("three", left_out, 0.0, "stepwise") for left_out in (0, 1)),
]
# What is in the usual run: up to three configurations, and values of both signs.
USUAL = [case for case in CASES if case[0] in ("one", "two", "three") or case[1:3] == (1, -8.0)]


def _write(folder: Path, name: str, left_out: int, offset: float) -> int:
    """Write a system and its measurements, and return the number of valid configurations."""
    options, excluded, rows = SYSTEMS[name]
    parts = [
        f"<configurationOption><name>{each}</name><optional>True</optional></configurationOption>" for each in options
    ]
    parts.append("<configurationOption><name>always</name><optional>False</optional></configurationOption>")
    constraint = "<constraint>!a | !b</constraint>" if excluded else ""
    (folder / "system.xml").write_text(
        f'<vm name="tiny"><binaryOptions>{"".join(parts)}</binaryOptions>'
        f"<booleanConstraints>{constraint}</booleanConstraints></vm>",
        encoding="utf-8",
    )
    measured = rows[: len(rows) - left_out]
    lines = [",".join([*options, "always", "time"])]
    for row in measured:
        value = 5 * 1.4 ** sum(row[:1]) * 2.2 ** sum(row[1:2]) + 0.3 * sum(row[2:]) + offset
        lines.append(",".join(map(str, (*row, 1, value))))
    (folder / "measurements.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return len(rows)


@pytest.mark.parametrize(
    ("name", "left_out", "offset", "learner"),
    [pytest.param(*case, marks=() if case in USUAL else pytest.mark.slow) for case in CASES],
)
def test_commands_agree(
    name: str, left_out: int, offset: float, learner: str, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The report states the error that learning states; nothing asks for more measurements than there can be."""
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    valid = _write(tmp_path, name, left_out, offset)
    commands = {
        command: run(*command.split())
        for command in (
            f"learn --learner {learner}",
            "report learned.json -o r.md",
            "explain learned.json",
            "optimize learned.json",
            "predict learned.json measurements.csv",
            "suggest --budget 1",
        )
    }
    texts = {command.split()[0]: done.stdout + done.stderr for command, done in commands.items()}
    codes = {command.split()[0]: done.exit_code for command, done in commands.items()}
    assert codes == {**dict.fromkeys(codes, 0), "suggest": 0 if left_out else 2}
    page = (tmp_path / "r.md").read_text(encoding="utf-8")
    for text in (*texts.values(), page):
        assert all(
            int(count) <= valid
            for count in re.findall(r"measure at least (\d+)|(\d+) needed", text)
            for count in count
            if count
        )
    error = texts["learn"].splitlines()[0]
    said = "model is exact" if "model is exact" in error else "ypical error"
    stated = next(line for line in page.splitlines() if said in line).strip("*").split(";")[0]
    if left_out:
        assert "every configuration is measured" not in texts["learn"] + page.lower()
    else:
        assert "all valid configurations were measured" in texts["suggest"]
        assert error.startswith("every configuration is measured: ")
        assert not re.search("new configurations|unknown|not known|not learned from", texts["learn"] + stated)
    # The report does not repeat that no influence was found.
    assert error.split(said)[1].startswith(stated.split(said)[1])
    if "no influence found" in error:
        assert "the same for all valid configurations" in texts["optimize"]


def test_rows_without_a_value_are_not_measured(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """No command says that everything was measured where rows have no value of the property."""
    monkeypatch.chdir(tmp_path)
    rows = [(a, n, "" if (a, n) in {(0, 1), (1, 4)} else f"{2 + a * n}") for a in (0, 1) for n in range(1, 9)]
    text = "\n".join(["a,n,time", *(",".join(map(str, row)) for row in rows)]) + "\n"
    (tmp_path / "measurements.csv").write_text(text, encoding="utf-8")
    learned = run("learn", "--property", "time")
    assert learned.exit_code == 0
    assert "every configuration is measured" not in learned.stdout
    asked = run("suggest", "--property", "time", "--budget", "1")
    assert asked.exit_code == 2
    assert "2 of them without a value" in asked.stderr
