"""SPL Conqueror's sampling strategies and the designs that they are here, in one table for both directions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal["binary", "numeric", "hybrid"]
KINDS: tuple[Kind, ...] = ("binary", "numeric", "hybrid")
# In a spec: the number of binary options, and the path of a file, which are known only when a script runs.
BINARY_OPTIONS = "{binary options}"
FILE = "{file}"
FROM_FILE = "fromFile"
VALIDATION = "validation"
# Arguments of hybrid strategies.
ONLY_BINARY, ONLY_NUMERIC = "onlyBinary", "onlyNumeric"
OPTIMIZATION, WEIGHTS = "optimization", "weights"


@dataclass(frozen=True)
class Key:
    """An argument of a strategy, `name:value`."""

    name: str  # its name in scripts
    ours: str = ""  # its name in specs; an empty text for a positional argument
    # its value if it is not given; None: it must be given; an empty text: the spec leaves it out
    default: str | None = None
    aliases: tuple[str, ...] = ()  # other names
    ignored: bool = False  # whether a spec has nothing like it


@dataclass(frozen=True)
class Strategy:
    """A strategy of SPL Conqueror."""

    kind: Kind  # the command
    name: str  # its name in scripts
    design: str  # the name of the design
    keys: tuple[Key, ...] = ()  # its arguments
    fixed: tuple[str, ...] = ()  # further arguments of the spec, as SPL Conqueror's program draws
    flag: str = ""  # an argument that must be true; it distinguishes strategies of one name
    aliases: tuple[str, ...] = ()  # older names


def _number(default: str | None, *aliases: str) -> Key:
    return Key("numConfigs", default=default, aliases=aliases)


_SEED = Key("seed", "seed", "0")
_DISTRIBUTION = (
    _number("asTW2"),
    Key("distribution", "distribution", ""),
    Key("distance-metric", "metric", ""),
    _SEED,
    Key(ONLY_NUMERIC, ignored=True, default=""),
    Key(ONLY_BINARY, ignored=True, default=""),
    Key("use-whole-population", ignored=True, default=""),
)


def _diversity(*, ignored: bool) -> tuple[Key, ...]:
    """Return the arguments of the selection of configurations with a distance."""
    names = {"selection": "selection", "optimization": OPTIMIZATION, "number-weight-optimization": WEIGHTS}
    return tuple(Key(name, own_name, "", ignored=ignored) for name, own_name in names.items())


# Arguments that make a design draw the same rows as SPL Conqueror's program.
_COMPAT = ("compat",)
# All rows of a design if there are fewer than it asks for.
_CAPPED = ("capped",)
# The first entry with a name counts, unless it has a flag that is not true.
STRATEGIES = (
    Strategy("binary", "allbinary", "all"),
    Strategy("binary", "featurewise", "optionwise", aliases=("optionwise",)),
    Strategy("binary", "pairwise", "pairwise"),
    Strategy("binary", "negfw", "negoptionwise", aliases=("negoptionwise",)),
    Strategy("binary", "twise", "twise", (Key("t"),)),
    Strategy("binary", "random", "random", (_number(BINARY_OPTIONS), _SEED, Key(FROM_FILE, "from", "")), _COMPAT),
    Strategy("binary", "satoutput", "henard", (_number("2"), _SEED), flag="henard"),
    Strategy("binary", "satoutput", "solver", (_number("2"), Key("seed", "seed", ""))),
    Strategy("binary", "distance-based", "distance", (_number("asOW"), Key("optionWeight", "weight", ""))),
    Strategy("numeric", "boxbehnken", "bbd", fixed=_COMPAT),
    Strategy("numeric", "centralcomposite", "cci", fixed=_COMPAT),
    Strategy("numeric", "fullfactorial", "ff"),
    Strategy("numeric", "factorial", "factorial", (Key("n", default="2"),), _COMPAT),
    Strategy("numeric", "hypersampling", "hyper", (Key("precision", default="50"),), _COMPAT),
    Strategy("numeric", "onefactoratatime", "ofat", (Key("distinctValuesPerOption", default="3"),), _COMPAT),
    Strategy("numeric", "kexchange", "dopt", (Key("sampleSize", default="100"), Key("k", "k", "5")), _CAPPED),
    Strategy(
        "numeric",
        "plackettburman",
        "pb",
        (Key("measurements", default="9"), Key("level", default="3")),
        _COMPAT,
    ),
    Strategy("numeric", "random", "random", (_number(None, "sampleSize"), _SEED), _COMPAT),
    Strategy("hybrid", "distribution-aware", "distaware", (*_DISTRIBUTION, *_diversity(ignored=False))),
    Strategy("hybrid", "distribution-preserving", "distpreserving", (*_DISTRIBUTION, *_diversity(ignored=True))),
)


@dataclass(frozen=True)
class Sampling:
    """A sampling that a script asks for."""

    kind: Kind  # the part of configurations that it selects; `hybrid` for whole ones
    spec: str  # the design, with placeholders for the number of binary options and the file
    validation: bool = False  # whether it is of the validation set, not of the learning set
    options: tuple[str, ...] = ()  # the options that it is restricted to; empty: all
    file: str | None = None  # the file of the configurations that `random` draws from
    line: str = ""  # the line of the script, as it is echoed in logs
    redraws: bool = False  # whether random binary selections are drawn as by the program before June 2023

    def resolved(self, binary_options: int, file: str = "") -> str:
        """Return the spec for a system with so many binary options."""
        spec = self.spec
        if self.redraws and self.kind == "binary" and spec.startswith("random:"):
            spec = spec.replace(",compat", ",compat=2018", 1)
        return spec.replace(BINARY_OPTIONS, str(binary_options)).replace(FILE, file)


def script_lines(spec: str, seed: int = 0) -> tuple[str, ...]:
    """Return the lines of a script that ask for the sampling of a spec; none if SPL Conqueror has no such sampling."""
    if spec == "measured":
        return ("select-all-measurements true",)
    parts = re.split(r"\+(?![^\[\]]*\])", spec)
    lines = []
    for number, part in enumerate(parts):
        name = re.split(r"[:\[]", part)[0].strip()
        rows = [strategy for strategy in STRATEGIES if strategy.design == name]
        if name == "random":
            # Whole configurations are drawn uniformly here only.
            rows = [strategy for strategy in rows if strategy.kind == KINDS[number]] if len(parts) == 2 else []
        if not rows:
            return ()
        lines.append(_line(rows[0], part, seed))
    return tuple(lines)


def _line(strategy: Strategy, spec: str, seed: int) -> str:
    spec, bracket, options = spec.partition("[")
    arguments = [text.strip() for text in spec.partition(":")[2].split(",") if text.strip()]
    named_arguments = dict(text.split("=", 1) for text in arguments if "=" in text)
    positional = [text for text in arguments if "=" not in text and text not in strategy.fixed]
    argument_texts = []
    for key in (strategy_key for strategy_key in strategy.keys if not strategy_key.ignored):
        value = named_arguments.get(key.ours) if key.ours else (positional.pop(0) if positional else None)
        if value is None and key is _SEED:
            value = str(seed)
        if value is not None:
            argument_texts.append(f"{key.name}:{value}")
    flags = [f"{strategy.flag}:true"] if strategy.flag else []
    return " ".join(
        (strategy.kind, strategy.name, *argument_texts, *flags, *([bracket + options.strip()] if bracket else []))
    )
