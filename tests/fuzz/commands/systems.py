"""Generated systems, their descriptions, and tables of their measurements with the defects of users' tables."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

# Ways to name the members of an alternative group, as systems of SPL Conqueror and tables do.
_MEMBERS = ("{0}{1}", "{0}_{1}", "{0}{2}", "{2}{0}")
_PLAIN = ("cache", "tls", "px", "py", "nx", "threads", "block", "codec", "algo", "o", "level", "size", "mode", "buf")
# Names with signs, names of functions and of columns that readers treat in a special way.
_ODD = (
    "rc-lookahead", "a b", "größe", "2x", "log10", "root", "e5", "T", "id", "time", "version", "x*y", "no_cabac", "-",
)  # fmt: skip
_VALUES: tuple[tuple[float, ...], ...] = (
    (1, 2, 4, 8),
    (1, 2, 3),
    (0, 1, 2),
    (-1, 0, 5),
    (0.5, 1.5, 2.5),
    (10, 20, 30, 40, 50, 60),
    (1, 10, 100, 1000),
    (3,),
    (1e-9, 1e9),
    tuple(range(1, 26)),
)
_PROPERTIES = ("time", "energy", "messages", "size_kb", "solve_seconds", "Performance")
_CONTEXTS = {
    "version": ("1.8", "1.9", "1.10"),
    "machine": ("a", "b"),
    "workload": ("small", "large", "x;y"),
    "year": ("2019", "2020"),
}


@dataclass(frozen=True)
class Option:
    """An option of a generated system."""

    name: str  # its name
    values: tuple[float, ...]  # its values; those of a binary option are 0 and 1
    binary: bool = True  # whether it is a binary option
    parent: str | None = None  # the binary option that it is below
    group: str | None = None  # the name of its alternative group
    optional: bool = True  # whether a binary option may be 0, or a numeric one absent


@dataclass(frozen=True)
class System:
    """A generated system."""

    options: tuple[Option, ...]  # its options
    constraints: tuple[tuple[str, str], ...]  # pairs of binary options, the first of which needs the second
    most: tuple[str, str, float] | None  # two numeric options and the largest value of their product
    properties: tuple[str, ...]  # the names of what is measured
    contexts: dict[str, tuple[str, ...]]  # context → its values

    @property
    def binary(self) -> list[str]:
        """The names of the binary options."""
        return [each.name for each in self.options if each.binary]

    @property
    def numeric(self) -> list[str]:
        """The names of the numeric options."""
        return [each.name for each in self.options if not each.binary]

    def configuration(self, rng: random.Random) -> dict[str, float]:
        """Draw a configuration; one that violates a constraint is drawn again a few times only."""
        for _ in range(20):
            values = self._drawn(rng)
            if self._valid(values):
                break
        return values

    def _drawn(self, rng: random.Random) -> dict[str, float]:
        chosen = {name: rng.choice(members) for name, members in self.groups().items()}
        values: dict[str, float] = {}
        for each in self.options:
            present = each.parent is None or values.get(each.parent, 1) == 1
            if each.group is not None:
                values[each.name] = float(present and chosen[each.group] == each.name)
            elif each.binary:
                values[each.name] = rng.choice(each.values) if each.optional and present else float(present)
            else:
                values[each.name] = rng.choice(each.values)
        return values

    def _valid(self, values: dict[str, float]) -> bool:
        product = self.most is None or values[self.most[0]] * values[self.most[1]] <= self.most[2]
        return product and all(values[needs] <= values[needed] for needs, needed in self.constraints)

    def groups(self) -> dict[str, list[str]]:
        """Return group → its members."""
        found: dict[str, list[str]] = {}
        for each in self.options:
            if each.group is not None:
                found.setdefault(each.group, []).append(each.name)
        return found


def system(rng: random.Random) -> System:
    """Draw a system of few options; a few systems have very many."""
    names = iter(_names(rng))
    options: list[Option] = []
    for _ in range(rng.choice((0, 1, 2, 3, 5))):
        values = rng.choice(((0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (1.0,), (0.0,)))
        options.append(Option(next(names), values, optional=rng.random() < 0.9 or values == (0.0,)))
    for _ in range(rng.choice((0, 0, 1, 1, 2))):
        options += _group(next(names), rng)
    for _ in range(rng.choice((0, 1, 2, 2, 3))):
        options.append(Option(next(names), tuple(map(float, rng.choice(_VALUES))), binary=False))
    if not options:
        options.append(Option(next(names), (1.0, 2.0, 4.0), binary=False))
    if rng.random() < 0.05:
        wide = rng.choice((40, 150))
        options += [Option(f"w{at}", (0.0, 1.0)) for at in range(wide)]
    free = [
        each.name for each in options if each.binary and each.group is None and each.optional and len(each.values) > 1
    ]
    numeric = [each for each in options if not each.binary and len(each.values) > 2]
    constraints = ((free[0], free[-1]),) if len(free) > 1 and rng.random() < 0.4 else ()
    most = None
    if len(numeric) > 1 and rng.random() < 0.3:
        first, second = numeric[:2]
        most = (first.name, second.name, first.values[-1] * second.values[1])
    properties = rng.sample(_PROPERTIES, rng.choice((1, 1, 2, 3)))
    contexts = {name: _CONTEXTS[name] for name in rng.sample(sorted(_CONTEXTS), rng.choice((0, 0, 1, 1, 2)))}
    return System(tuple(options), constraints, most, tuple(properties), contexts)


def _names(rng: random.Random) -> list[str]:
    names = list(_PLAIN)
    rng.shuffle(names)
    if rng.random() < 0.12:
        odd = rng.sample(_ODD, 2)
        names[1:3] = odd
    return names


def _group(name: str, rng: random.Random) -> list[Option]:
    """Draw an alternative group, below an option of its own in half of the cases, once with a group below a member."""
    form = rng.choice(_MEMBERS)
    parent = Option(name, (0.0, 1.0), optional=rng.random() < 0.7) if rng.random() < 0.5 else None
    numbers = rng.choice(((1, 2, 3), (2, 3, 5, 29), (1, 2), tuple(range(1, 13))))
    above = parent.name if parent else None
    members = [
        Option(form.format(name, number, chr(ord("A") + at)), (0.0, 1.0), True, above, f"group of {name}", False)
        for at, number in enumerate(numbers)
    ]
    found = [parent, *members] if parent else members
    if rng.random() < 0.2:
        inner = members[0].name
        found += [Option(f"{inner}{end}", (0.0, 1.0), True, inner, f"group of {inner}", False) for end in ("x", "y")]
    return found


Row = dict[str, str]
# Defects of users' tables, and texts instead of a measured value.
DEFECTS = (
    "cell", "cell", "cell", "option", "typo", "typo", "constant", "zeros", "huge", "tiny", "whole numbers", "copy",
    "sum", "new in a context", "new in a context",
)  # fmt: skip
CELLS = (
    "", "0", "-1", "inf", "nan", "failed", "-", "1e400", "0x1", "1e300", "1.8e308", "-1e308", "1e155", "1e-300",
    "4.9e-324",
)  # fmt: skip


def measured(system: System, rng: random.Random) -> list[Row]:
    """Draw configurations, and measure each once or more in every context."""
    # Wide tables have few rows: a command may do some ten models of them.
    count = min(rng.choice((1, 3, 5, 8, 12, 12, 20, 20, 30, 30, 50, 50, 80, 200)), 4000 // len(system.options))
    repeated = rng.choice((1, 1, 1, 2, 3))
    functions = {name: _function(system, rng) for name in system.properties}
    places: list[Row] = [{}]
    for name, named in system.contexts.items():
        places = [{**place, name: value} for place in places for value in named]
    rows = []
    factors = [rng.uniform(0.5, 2) for _ in places]
    for _ in range(count):
        values = system.configuration(rng)
        for place, factor in zip(places, factors, strict=True):
            if len(places) > 1 and rng.random() < 0.1:
                continue
            results = {name: function(values) * factor for name, function in functions.items()}
            for _ in range(repeated):
                noisy = {name: f"{value * rng.gauss(1, 0.05):.6g}" for name, value in results.items()}
                rows.append({name: f"{value:.12g}" for name, value in values.items()} | noisy | place)
    return rows


def _function(system: System, rng: random.Random) -> Callable[[Mapping[str, float]], float]:
    """Draw a sum of a constant and influences of options and pairs, of any magnitude; a few are 0 or negative."""
    unit = rng.choice((1.0, 1.0, 1.0, 1e-9, 1e6))
    base = unit * rng.choice((10.0, 10.0, 100.0, 0.0, -5.0))
    names = [each.name for each in system.options]
    terms = [
        (rng.choice(names), rng.choice(names), unit * rng.uniform(-1, 10)) for _ in range(rng.choice((0, 1, 3, 6)))
    ]

    def value(values: Mapping[str, float]) -> float:
        return base + sum(influence * values[a] * (values[b] if a != b else 1) for a, b, influence in terms)

    return value


def spoiled(rows: list[Row], system: System, rng: random.Random) -> list[Row]:
    """Return the rows with a defect of users' tables."""
    rows = [dict(row) for row in rows]
    nfp = rng.choice(system.properties)
    first, second = (rng.choice(system.options).name for _ in range(2))
    context, values = next(iter(system.contexts.items()), ("", ("",)))
    defect = rng.choice(DEFECTS)
    some = rng.sample(range(len(rows)), min(len(rows), rng.choice((1, 1, 3))))
    for at, row in enumerate(rows):
        cell = row[nfp]
        match defect:
            case "cell" if at in some:
                row[nfp] = rng.choice(CELLS)
            case "option" if at in some:
                row[first] = rng.choice(("", "7"))
            case "typo" if at in some and context:
                row[context] += rng.choice((" ", "o", ".0"))
            case "constant":
                row[nfp] = "3.5"
            case "zeros":
                row[nfp] = "0"
            case "huge" if "e" not in cell:
                row[nfp] = f"{cell}e60"
            case "tiny" if "e" not in cell:
                row[nfp] = f"{cell}e-60"
            case "whole numbers":
                row[nfp] = f"{float(cell):.0f}"
            case "copy":
                row[f"{first}_2"] = row[first]
            case "sum":
                row["total"] = f"{float(row[first]) + float(row[second]):.12g}"
            case "new in a context" if context and row[context] == values[0]:
                row[first] = "0"
    return rows


def as_csv(rows: Sequence[Row], rng: random.Random, *, plain: bool = False) -> str:
    """Write a table; the columns of a few tables are in another order, have decimal commas, or further columns."""
    names = list(rows[0])
    form = (
        "plain"
        if plain
        else rng.choice(("plain",) * 16 + ("shuffled", "semicolons", "tabs", "commas", "more", "spaces"))
    )
    if form == "shuffled":
        rng.shuffle(names)
    if form == "more":
        rows = [{"id": str(at), "root": "1", **row, "note": rng.choice(("", "ok"))} for at, row in enumerate(rows)]
        names = list(rows[0])
    if form in {"semicolons", "commas"}:
        rows = [{name: cell.replace(".", ",") for name, cell in row.items()} for row in rows]
    separator = {"semicolons": ";", "tabs": "\t", "spaces": ", "}.get(form, ",")
    quoted = form != "commas"
    lines = [names, *([row[name] for name in names] for row in rows)]
    return "".join(separator.join(_cell(cell, separator, quoted) for cell in line) + "\n" for line in lines)


def _cell(cell: str, separator: str, quoted: bool) -> str:
    return f'"{cell}"' if quoted and separator in cell else cell


def as_xml(rows: Sequence[Row], system: System) -> str:
    """Write measurements as SPL Conqueror does; each configuration once."""
    parts = ["<results>"]
    names = [each.name for each in system.options]
    for row in {tuple(row[name] for name in names): row for row in rows}.values():
        selected = ",".join(name for name in system.binary if row[name] == "1")
        numbers = ",".join(f"{name};{row[name]}" for name in system.numeric)
        data = {"Configuration": selected, "Variable Features": numbers} | {
            each: row[each] for each in system.properties
        }
        cells = "".join(f'<data columname="{escape(name)}">{escape(cell)}</data>' for name, cell in data.items())
        parts.append(f"<row>{cells}</row>")
    return "\n".join([*parts, "</results>\n"])


def kind_of(group: str) -> str:
    """Return the name of the column of text of an alternative group."""
    return group.removeprefix("group of ") + "_kind"


def groups_as_text(rows: Sequence[Row], system: System) -> list[Row]:
    """Return the rows with a column of text for each alternative group instead of a column for each member."""
    found = []
    for row in rows:
        row = dict(row)
        for group, members in system.groups().items():
            chosen = [name for name in members if row.pop(name) == "1"]
            row = {kind_of(group): "+".join(chosen) or "none", **row}
        found.append(row)
    return found


def as_description(system: System, rng: random.Random) -> str:
    """Write the description; a few numeric options are optional, or have a step function instead of a list."""
    groups = system.groups()
    binary = "\n".join(_binary(each, groups) for each in system.options if each.binary)
    numeric = "\n".join(_numeric(each, rng) for each in system.options if not each.binary)
    boolean = "".join(
        f"<constraint>!{escape(needs)} | {escape(needed)}</constraint>" for needs, needed in system.constraints
    )
    other = ""
    if system.most is not None:
        first, second, most = system.most
        other = f"<constraint>{escape(first)} * {escape(second)} &lt;= {most:.12g}</constraint>"
    return (
        f'<vm name="app">\n<binaryOptions>\n{binary}\n</binaryOptions>\n'
        f"<numericOptions>\n{numeric}\n</numericOptions>\n"
        f"<booleanConstraints>{boolean}</booleanConstraints>\n"
        f"<nonBooleanConstraints>{other}</nonBooleanConstraints>\n</vm>\n"
    )


def _binary(option: Option, groups: dict[str, list[str]]) -> str:
    others = [name for name in groups.get(option.group or "", []) if name != option.name]
    excluded = "".join(f"<options>{escape(name)}</options>" for name in others)
    return (
        f"<configurationOption><name>{escape(option.name)}</name><outputString>--{escape(option.name)}</outputString>"
        f"<prefix></prefix><postfix></postfix><parent>{escape(option.parent or '')}</parent><impliedOptions/>"
        f"<excludedOptions>{excluded}</excludedOptions><optional>{option.optional}</optional></configurationOption>"
    )


def _numeric(option: Option, rng: random.Random) -> str:
    steps = [b - a for a, b in zip(option.values, option.values[1:], strict=False)]
    values = f"<values>{';'.join(f'{each:.12g}' for each in option.values)}</values>"
    if steps and len(set(steps)) == 1 and rng.random() < 0.7:
        values = _range(option, f"{option.name if rng.random() < 0.5 else 'n'} + {steps[0]:.12g}")
    elif len(option.values) > 2 and min(option.values) > 0 and rng.random() < 0.7:
        factors = {b / a for a, b in zip(option.values, option.values[1:], strict=False)}
        if len(factors) == 1:
            values = _range(option, f"n * {factors.pop():.12g}")
    if rng.random() < 0.1:
        values += "<deselectedFlag>-99</deselectedFlag>"
    return f"<configurationOption><name>{escape(option.name)}</name>{values}</configurationOption>"


def _range(option: Option, step: str) -> str:
    return (
        f"<minValue>{option.values[0]:.12g}</minValue><maxValue>{option.values[-1]:.12g}</maxValue>"
        f"<stepFunction>{escape(step)}</stepFunction>"
    )
