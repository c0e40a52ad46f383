"""Generated systems: options of every kind, alternative groups, nested ones, constraints, properties and contexts."""

from __future__ import annotations

import random
from dataclasses import dataclass

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
