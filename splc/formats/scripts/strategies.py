"""SPL Conqueror's sampling strategies and the designs that they are here, in one table for both directions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from sampling import parse_spec
from splc.errors import Problem, SpecError, SplcError, unknown_name_hint

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
# Designs of which SPL Conqueror's program draws other rows; the argument asks for its rows.
COMPATIBLE = "compat"


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


def names(kind: Kind) -> tuple[str, ...]:
    """Return the names of the strategies of a command, with the older ones."""
    found = (name for each in STRATEGIES if each.kind == kind for name in (each.name, *each.aliases))
    return tuple(dict.fromkeys(found))


_DOMAIN = re.compile(r"\[([^\]]*)\]")


def sampling_of(kind: Kind, arguments: str, line: str = "") -> Sampling:
    """Return the sampling of a command `binary`, `numeric` or `hybrid`.

    Raises:
        SpecError: naming what is wrong.
    """
    domains = _DOMAIN.findall(arguments)
    words, values = [], {}
    for word in _DOMAIN.sub(" ", arguments).split():
        name, colon, value = word.partition(":")
        if colon:
            values[name.casefold()] = value
        else:
            words.append(word)
    validation = [word for word in words if word.casefold() == VALIDATION]
    words = [word for word in words if word.casefold() != VALIDATION]
    if not words:
        raise SpecError(f"{kind} names no sampling strategy", hint=f"known are: {', '.join(names(kind))}")
    chosen = _strategy(kind, words[0], values)
    if words[1:]:
        raise SpecError(f"{chosen.name} has no argument {words[1]!r}", hint=_usage(chosen))
    stated = _truth(VALIDATION, values.pop(VALIDATION)) if VALIDATION in values else False
    spec, file = _spec(chosen, values)
    options = tuple(name.strip() for domain in domains for name in domain.split(",") if name.strip())
    return Sampling(kind, spec, bool(validation) or stated, options, file, line)


def _strategy(kind: Kind, name: str, values: dict[str, str]) -> Strategy:
    own = [each for each in STRATEGIES if each.kind == kind and name.casefold() in (each.name, *each.aliases)]
    if not own:
        raise SpecError(f"unknown {kind} sampling strategy {name!r}", hint=unknown_name_hint(name, names(kind)))
    flags = {each.flag for each in own if each.flag}
    given = {flag: _truth(flag, values.pop(flag)) for flag in flags if flag in values}
    return next(each for each in own if not each.flag or given.get(each.flag))


def _spec(chosen: Strategy, values: Mapping[str, str]) -> tuple[str, str | None]:
    """Return the spec of a strategy with its arguments, and the file that it draws from."""
    known = {name.casefold(): key for key in chosen.keys for name in (key.name, *key.aliases)}
    given: dict[str, str] = {}
    problems = []
    for name, value in values.items():
        if name not in known:
            spelled = [key.name for key in chosen.keys]
            hint = unknown_name_hint(name, spelled) if spelled else _usage(chosen)
            problems.append(Problem(f"{chosen.name} has no argument {name!r}", hint=hint))
        else:
            given[known[name].name] = value
    positional, named = [], []
    for key in chosen.keys:
        value = given.get(key.name, key.default)
        if value is None:
            problems.append(Problem(f"{chosen.name} needs {key.name}", hint=_usage(chosen)))
        elif value and not key.ignored:
            # Options of designs are in small letters: NONE, RandomSelection, Manhattan.
            (named.append(f"{key.ours}={value.casefold()}") if key.ours else positional.append(value))
    if problems:
        raise SpecError(problems)
    arguments = ",".join((*positional, *chosen.fixed, *named))
    spec = f"{chosen.design}:{arguments}" if arguments else chosen.design
    return _checked(chosen, spec), given.get(FROM_FILE)


def _checked(chosen: Strategy, spec: str) -> str:
    """Return a spec that is known to be right."""
    probe = spec.replace(BINARY_OPTIONS, "1")
    try:
        parse_strategy(chosen.kind, probe)
    except SplcError as error:
        raise SpecError(
            Problem(f"{chosen.name} is {spec.partition(':')[0]!r} here: {each.message}", hint=each.hint)
            for each in error.problems
        ) from None
    return spec


def parse_strategy(kind: Kind, spec: str) -> None:
    """Check a spec of a binary, numeric or hybrid sampling.

    Raises:
        SpecError: if it is wrong.
    """
    if kind == "hybrid":
        parse_spec(spec)
    else:
        parse_spec(**{kind: spec})


def _usage(chosen: Strategy) -> str:
    keys = " ".join(f"{key.name}:…" for key in chosen.keys)
    return f"write {chosen.kind} {chosen.name} {keys}".rstrip()


def _truth(name: str, text: str) -> bool:
    if text.casefold() not in ("true", "false"):
        raise SpecError(f"{name}: {text!r} is neither true nor false")
    return text.casefold() == "true"


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
