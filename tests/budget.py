"""What the project may cost: lines by package, lines of imports, small files, inner names that tests import.

`budget.toml` beside this file has the numbers, which may only fall: `tests/test_structure.py` fails above them, and
`make budget LOWER=1` replaces those that are larger than what is there now. `goal` is where the design wants a package.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from tests.support.paths import ROOT
from tests.support.tracked import tracked

TABLE = ROOT / "tests" / "budget.toml"
PRODUCT = ("splc", "sampling", "comparison")
# Files under this number of lines, and lines of imports, as a share of those of a package: goals in percent.
SMALL, SMALL_GOAL, IMPORTS_GOAL = 60, 12, 5
# Files that register themselves: one declaration each.
PLUG_INS = ("splc/formats/benchmarks/", "splc/plotting/charts/", "sampling/designs/")

# A statement, with its lines; as text, since the trees of all files take seconds.
IMPORT = re.compile(
    r"^ *(?:from (?P<module>[\w.]+) import (?P<names>\([^)]*\)|[^(\n]*)|import [\w., ]+)$", re.MULTILINE
)

Cost = dict[str, dict[str, int]]


def name_of(file: Path) -> str:
    """Return the path of a file from the checkout."""
    return file.relative_to(ROOT).as_posix()


@cache
def files(*folders: str) -> tuple[Path, ...]:
    """Return the tracked files of Python in folders."""
    return tuple(tracked(*(ROOT / folder for folder in folders), pattern="*.py"))


def length(file: Path) -> int:
    """Return the number of lines of a file."""
    return len(file.read_text(encoding="utf-8").splitlines())


@cache
def _imports(file: Path) -> tuple[re.Match[str], ...]:
    return tuple(IMPORT.finditer(file.read_text(encoding="utf-8")))


def package_of(file: Path) -> str:
    """Return the row of a file in the table: `sampling`, `splc/io`; what is directly in splc is `splc`."""
    top, *inner = file.relative_to(ROOT).parts[:-1]
    return f"{top}/{inner[0]}" if top == "splc" and inner else top


def small_files() -> list[str]:
    """Return the files of the product that are too small for a chapter, but `__init__` and declared plug-ins."""
    names = (name_of(file) for file in files(*PRODUCT) if length(file) < SMALL and not file.name.startswith("__"))
    return [name for name in names if not name.startswith(PLUG_INS)]


def inner_names() -> set[tuple[str, str]]:
    """Return (module, name) pairs that tests import, and that no module outside of the folder of the module imports."""
    modules = {name_of(file).removesuffix(".py").replace("/", "."): file for file in files(*PRODUCT)}

    def imported(file: Path) -> Iterator[tuple[str, str]]:
        for statement in _imports(file):
            if (module := statement["module"]) in modules:
                yield from ((module, name) for name in re.findall(r"(\w+)(?: as \w+)?", statement["names"]))

    used = {each for file in files(*PRODUCT) for each in imported(file) if modules[each[0]].parent != file.parent}
    return {each for file in files("tests") for each in imported(file)} - used


def cost() -> Cost:
    """Return what the packages cost now, by the keys of the table."""
    found: Cost = {}
    for file in files(*PRODUCT):
        row = found.setdefault(package_of(file), {"lines": 0, "imports": 0})
        row["lines"] += length(file)
        row["imports"] += sum(statement[0].count("\n") + 1 for statement in _imports(file))
    found["tests"] = {"lines": sum(map(length, files("tests"))), "inner_names": len(inner_names())}
    found["product"] = {"lines": sum(map(length, files(*PRODUCT))), "small_files": len(small_files())}
    return found


def table() -> Cost:
    """Return the numbers of the table."""
    return tomllib.loads(TABLE.read_text(encoding="utf-8"))


def above(now: Cost, budget: Mapping[str, Mapping[str, int]]) -> list[str]:
    """Return what costs more than the table allows, as messages."""
    return [
        f"{name}: {key.replace('_', ' ')} {value:,} > {budget.get(name, {}).get(key, 0):,}"
        for name, row in now.items()
        for key, value in row.items()
        if value > budget.get(name, {}).get(key, 0)
    ]


def main(lower: bool) -> int:
    """Print now / budget / goal of each package; return 1 if something is above its budget."""
    now, budget = cost(), table()
    print(f"{'':<20}{'lines':>9}{'budget':>9}{'goal':>9}{'imports':>9}  goal {IMPORTS_GOAL} %")
    for name, row in now.items():
        imports = f"{100 * row['imports'] / row['lines']:.1f} %" if "imports" in row else ""
        allowed = budget.get(name, {})
        print(f"{name:<20}{row['lines']:>9,}{allowed.get('lines', 0):>9,}{allowed.get('goal', 0):>9,}{imports:>9}")
    share = 100 * now["product"]["small_files"] / len(files(*PRODUCT))
    print(f"files under {SMALL} lines: {now['product']['small_files']} ({share:.0f} %), goal {SMALL_GOAL} %")
    print(f"inner names that tests import: {now['tests']['inner_names']}")
    if lower:
        head = [line for line in TABLE.read_text(encoding="utf-8").splitlines() if line.startswith("#")]
        for name, row in budget.items():
            cells = {key: min(value, now[name].get(key, value)) for key, value in row.items()}
            head.append(f'"{name}" = {{ {", ".join(f"{key} = {value}" for key, value in cells.items())} }}')
        TABLE.write_text("\n".join(head) + "\n", encoding="utf-8")
    problems = above(now, budget)
    print("\n".join(problems) or "nothing is above its budget")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main("--lower" in sys.argv[1:]))
