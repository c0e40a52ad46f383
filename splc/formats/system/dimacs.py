"""DIMACS: clauses over variables, whose names are in comments (`c 1 name`)."""

from __future__ import annotations

import re
from pathlib import Path

from splc.errors import plural
from splc.formats.system.assembly import Assembly, disjunction, name_of
from splc.formats.system.structure import binary_clauses, literals_of
from splc.io.files import Source, write_whole
from splc.system.clauses import clauses as clauses_of_system
from splc.system.options import BinaryOption
from splc.system.variability import ROOT, VariabilityModel

# Some writers mark variables that are not features with a dollar.
_NAME = re.compile(r"c\s+(\d{1,9})\$?\s+(\S.*)")
_HEADER = re.compile(r"p\s+cnf\s+(\d{1,9})\s+(\d{1,12})\s*")
# The root that FeatureIDE adds to models without a hierarchy; it writes no clause about it.
FLAT_ROOT = "__Root__"
# A header may state any number of variables; each is an option.
MAX_VARIABLES = 1_000_000


def parse_dimacs(source: Source) -> VariabilityModel:
    """Return the system of clauses in DIMACS, each variable an optional option; those without a name are `v1`, …."""
    assembly = Assembly(source.name)
    problems = assembly.problems
    names: dict[int, tuple[str, int]] = {}
    variables = stated_count = -1
    clauses: list[tuple[int, list[int]]] = []
    clause: list[int] = []
    clause_line = 0
    is_invalid = False
    for number, line in enumerate(source.text().splitlines(), 1):
        if line.startswith("c"):
            if match := _NAME.match(line):
                names.setdefault(int(match[1]), (" ".join(match[2].split()), number))
        elif line.startswith("p"):
            header = _HEADER.fullmatch(line)
            if header is None or variables >= 0:
                message = "a second line 'p'" if header else "the line 'p' is not 'p cnf VARIABLES CLAUSES'"
                problems.add(message, number, text=line)
                continue
            variables, stated_count = int(header[1]), int(header[2])
            if variables > MAX_VARIABLES:
                problems.add(f"more than {MAX_VARIABLES:,} variables", number, text=line)
                problems.raise_if_any()
        elif line.startswith("%"):
            break
        else:
            for word in line.split():
                literal = _literal(word)
                if literal is None or variables < 0 or abs(literal) > variables:
                    problem = "is not a variable" if literal else "is not a number"
                    problems.add(f"{word!r} {problem} (the line 'p' states {max(variables, 0):,})", number, text=line)
                    is_invalid = True
                elif literal:
                    clause_line = clause_line if clause else number
                    clause.append(literal)
                elif clause or is_invalid:
                    clauses.append((clause_line, clause))
                    clause, is_invalid = [], False
                else:
                    problems.add("an empty clause, which never holds", number, text=line)
    if variables < 0:
        problems.add("the line 'p cnf VARIABLES CLAUSES' is missing")
    if clause:
        problems.add("the last clause does not end with 0", clause_line)
    if stated_count not in {-1, len(clauses)} and not len(problems):
        assembly.notes.append(f"{plural(len(clauses), 'clause', 'clauses')}; the line 'p' states {stated_count:,}")
    if names.get(1, ("",))[0] == FLAT_ROOT and all(abs(literal) > 1 for _, literals in clauses for literal in literals):
        assembly.notes.append(f"the root feature {FLAT_ROOT!r} is in no clause; it is always selected")
        clauses.insert(0, (names[1][1], [1]))
    numbers = range(1, max(variables, 0) + 1)
    reserved = assembly.root_name(name for number, (name, _) in names.items() if number in numbers)
    stated = (names.get(number, (f"v{number}", None)) for number in numbers)
    options = [BinaryOption(reserved if name == ROOT else name, line=line) for name, line in stated]
    for line_number, literals in clauses:
        parts = [(options[abs(literal) - 1].name, literal > 0) for literal in dict.fromkeys(literals)]
        assembly.constraints.append(disjunction(parts, line_number))
    return assembly.system(name_of(source), options)


def _literal(word: str) -> int | None:
    """Return a literal of a clause, None for other words."""
    digits = word.removeprefix("-")
    return int(word) if digits.isdecimal() and digits.isascii() and len(digits) < 12 else None


def write_dimacs(system: VariabilityModel, path: str | Path) -> tuple[str, ...]:
    """Write a system as clauses, with the names of its options in comments."""
    arithmetic = binary_clauses(system, "DIMACS")
    all_clauses = [*(literals_of(clause, system) for clause in clauses_of_system(system)), *arithmetic]
    numbers = {option.name: at for at, option in enumerate(system.binary_options, 1)}
    lines = [f"c {number} {name}" for name, number in numbers.items()]
    lines.append(f"p cnf {len(numbers)} {len(all_clauses)}")
    for literals in all_clauses:
        signed = (str(numbers[name] if positive else -numbers[name]) for name, positive in literals)
        lines.append(" ".join((*signed, "0")))
    write_whole(path, "\n".join(lines) + "\n")
    return ()
