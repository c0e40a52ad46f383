"""SPL Conqueror's sampling strategies and the designs that they are here, in one table for both directions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["binary", "numeric", "hybrid"]
KINDS: tuple[Kind, ...] = ("binary", "numeric", "hybrid")
# In a spec: the number of binary options, which is known only when there is a system.
BINARY_OPTIONS = "{binary options}"
FROM_FILE = "fromFile"
VALIDATION = "validation"


@dataclass(frozen=True)
class Key:
    """An argument of a strategy, `name:value`.

    Attributes:
        name: its name in scripts.
        ours: its name in specs; an empty text for a positional argument.
        default: its value if it is not given; None: it must be given; an empty text: the spec leaves it out.
        aliases: other names.
        ignored: whether a spec has nothing like it.
    """

    name: str
    ours: str = ""
    default: str | None = None
    aliases: tuple[str, ...] = ()
    ignored: bool = False


@dataclass(frozen=True)
class Strategy:
    """A strategy of SPL Conqueror.

    Attributes:
        kind: the command.
        name: its name in scripts.
        design: the name of the design.
        keys: its arguments.
        fixed: further arguments of the spec, as SPL Conqueror's program draws.
        flag: an argument that must be true; it distinguishes strategies of one name.
        aliases: older names.
    """

    kind: Kind
    name: str
    design: str
    keys: tuple[Key, ...] = ()
    fixed: tuple[str, ...] = ()
    flag: str = ""
    aliases: tuple[str, ...] = ()


def _number(default: str | None, *aliases: str) -> Key:
    return Key("numConfigs", default=default, aliases=aliases)


_SEED = Key("seed", "seed", "0")
_UNUSED_SEED = Key("seed", ignored=True, default="")
_FILE = Key(FROM_FILE, ignored=True, default="")
_HYBRID = (
    _number("asTW2"),
    Key("distribution", "distribution", ""),
    Key("distance-metric", "metric", ""),
    _SEED,
    Key("selection", "selection", ""),
    Key("optimization", "optimization", ""),
    Key("number-weight-optimization", "weights", ""),
    Key("onlyNumeric", ignored=True, default=""),
    Key("onlyBinary", ignored=True, default=""),
    Key("use-whole-population", ignored=True, default=""),
)

# The first line with a name counts whose flag, if it has one, is true.
STRATEGIES = (
    Strategy("binary", "allbinary", "all"),
    Strategy("binary", "featurewise", "optionwise", aliases=("optionwise",)),
    Strategy("binary", "pairwise", "pairwise"),
    Strategy("binary", "negfw", "negoptionwise", aliases=("negoptionwise",)),
    Strategy("binary", "twise", "twise", (Key("t"),)),
    Strategy("binary", "random", "random", (_number(BINARY_OPTIONS), _SEED, _FILE)),
    Strategy("binary", "satoutput", "henard", (_number("2"), _SEED), flag="henard"),
    Strategy("binary", "satoutput", "solver", (_number("2"), _UNUSED_SEED)),
    Strategy("binary", "distance-based", "distance", (_number("asOW"), Key("optionWeight", "weight", ""))),
    Strategy("numeric", "boxbehnken", "bbd"),
    Strategy("numeric", "centralcomposite", "cci", fixed=("compat",)),
    Strategy("numeric", "fullfactorial", "ff"),
    Strategy("numeric", "factorial", "factorial", (Key("n", default="2"),)),
    Strategy("numeric", "hypersampling", "hyper", (Key("precision", default="50"),)),
    Strategy("numeric", "onefactoratatime", "ofat", (Key("distinctValuesPerOption", default="3"),)),
    Strategy("numeric", "kexchange", "dopt", (Key("sampleSize", default="100"), Key("k", "k", "5"))),
    Strategy(
        "numeric",
        "plackettburman",
        "pb",
        (Key("measurements", default="9"), Key("level", default="3")),
        fixed=("compat",),
    ),
    Strategy("numeric", "random", "random", (_number(None, "sampleSize"), _SEED)),
    Strategy("hybrid", "distribution-aware", "distaware", _HYBRID),
    Strategy("hybrid", "distribution-preserving", "distpreserving", _HYBRID),
)


@dataclass(frozen=True)
class Sampling:
    """A sampling that a script asks for.

    Attributes:
        kind: the command.
        spec: the design, with a placeholder where it needs the number of binary options.
        validation: whether it is of the validation set, not of the learning set.
        options: the options that it is restricted to; empty: all.
        file: the file of the configurations that `random` draws from.
        line: the line of the script, as it is echoed in logs.
    """

    kind: Kind
    spec: str
    validation: bool = False
    options: tuple[str, ...] = ()
    file: str | None = None
    line: str = ""

    def resolved(self, binary_options: int) -> str:
        """Return the spec for a system with so many binary options."""
        return self.spec.replace(BINARY_OPTIONS, str(binary_options))


def script_lines(spec: str, seed: int = 0) -> tuple[str, ...]:
    """Return the lines of a script that ask for the sampling of a spec; none if SPL Conqueror has no such sampling.

    Args:
        spec: the spec.
        seed: the seed of random parts of the spec without a seed of their own.
    """
    if spec == "measured":
        return ("select-all-measurements true",)
    parts = spec.split("+")
    found = []
    for number, part in enumerate(parts):
        name = part.partition(":")[0].strip()
        rows = [each for each in STRATEGIES if each.design == name]
        if name == "random":
            # Whole configurations are drawn uniformly here only.
            rows = [each for each in rows if each.kind == KINDS[number]] if len(parts) == 2 else []
        if not rows:
            return ()
        found.append(_line(rows[0], part, seed))
    return tuple(found)


def _line(strategy: Strategy, part: str, seed: int) -> str:
    arguments = [text.strip() for text in part.partition(":")[2].split(",") if text.strip()]
    named = dict(text.split("=", 1) for text in arguments if "=" in text)
    positional = [text for text in arguments if "=" not in text and text not in strategy.fixed]
    stated = []
    for key in (each for each in strategy.keys if not each.ignored):
        value = named.get(key.ours) if key.ours else (positional.pop(0) if positional else None)
        if value is None and key is _SEED:
            value = str(seed)
        if value is not None:
            stated.append(f"{key.name}:{value}")
    flags = [f"{strategy.flag}:true"] if strategy.flag else []
    return " ".join((strategy.kind, strategy.name, *stated, *flags))
