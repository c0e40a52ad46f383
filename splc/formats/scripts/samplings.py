"""The samplings that scripts of SPL Conqueror ask for: the table of strategies, and their specs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from sampling import parse_spec
from splc.errors import Problem, SpecError, SplcError, unknown_name_hint
from splc.system.variability import VariabilityModel

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


_COMPAT = ("compat",)  # arguments that make a design draw the same rows as SPL Conqueror's program
_CAPPED = ("capped",)  # all rows of a design if there are fewer than it asks for
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
    Strategy("numeric", "plackettburman", "pb", (Key("measurements", default="9"), Key("level", default="3")), _COMPAT),
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
        strategy, (design, bracket, options) = rows[0], part.partition("[")
        arguments = [text.strip() for text in design.partition(":")[2].split(",") if text.strip()]
        named_arguments = dict(text.split("=", 1) for text in arguments if "=" in text)
        positional = [text for text in arguments if "=" not in text and text not in strategy.fixed]
        texts = [strategy.kind, strategy.name]
        for key in (each for each in strategy.keys if not each.ignored):
            value = named_arguments.get(key.ours) if key.ours else (positional.pop(0) if positional else None)
            value = str(seed) if value is None and key is _SEED else value
            texts += [] if value is None else [f"{key.name}:{value}"]
        texts += [f"{strategy.flag}:true"] if strategy.flag else []
        lines.append(" ".join([*texts, *([bracket + options.strip()] if bracket else [])]))
    return tuple(lines)


def names(kind: Kind) -> tuple[str, ...]:
    """Return the names of the strategies of a command, with the older ones."""
    strategies = (strategy for strategy in STRATEGIES if strategy.kind == kind)
    return tuple(dict.fromkeys(name for each in strategies for name in (each.name, *each.aliases)))


_DOMAIN = re.compile(r"\[([^\]]*)\]")


def sampling_of(kind: Kind, arguments: str, line: str = "") -> Sampling:
    """Return the sampling of a command `binary`, `numeric` or `hybrid`."""
    # Brackets that are not closed would each be followed to the end.
    end = arguments.rfind("]") + 1
    domains = _DOMAIN.findall(arguments, 0, end)
    all_words = (_DOMAIN.sub(" ", arguments[:end]) + arguments[end:]).split()
    values = {name.casefold(): value for name, colon, value in (word.partition(":") for word in all_words) if colon}
    plain_words = [word for word in all_words if ":" not in word]
    if not (words := [word for word in plain_words if word.casefold() != VALIDATION]):
        raise SpecError(f"{kind} names no sampling strategy", hint=f"known are: {', '.join(names(kind))}")
    named = (each for each in STRATEGIES if each.kind == kind and words[0].casefold() in (each.name, *each.aliases))
    if not (candidates := [*named]):
        hint = unknown_name_hint(words[0], names(kind))
        raise SpecError(f"unknown {kind} sampling strategy {words[0]!r}", hint=hint)
    flags = {each.flag for each in candidates if each.flag} & values.keys()
    chosen = {flag for flag in flags if truth(values.pop(flag), flag)}
    strategy = next(each for each in candidates if not each.flag or each.flag in chosen)
    if words[1:]:
        raise SpecError(f"{strategy.name} has no argument {words[1]!r}", hint=_usage(strategy))
    is_validation = truth(values.pop(VALIDATION, "false"), VALIDATION) or len(words) < len(plain_words)
    binary, numeric = (truth(values.get(name.casefold(), "false"), name) for name in (ONLY_BINARY, ONLY_NUMERIC))
    restricted_kind: Kind = "binary" if binary else "numeric" if numeric else kind
    options = tuple(name.strip() for domain in domains for name in domain.split(",") if name.strip())
    spec, file = _spec(strategy, values)
    spec += f"[{','.join(options)}]" if options else ""
    probe = spec.replace(BINARY_OPTIONS, "1").replace(FILE, "file.csv")
    try:
        # A random part alone would draw whole configurations.
        parse_spec({"binary": f"{probe}+ff", "numeric": f"all+{probe}", "hybrid": probe}[restricted_kind])
    except SplcError as error:
        problems = (Problem(f"{strategy.name}: {problem.message}", hint=problem.hint) for problem in error.problems)
        raise SpecError(problems) from None
    return Sampling(restricted_kind, spec, is_validation, options, file, line)


def _spec(strategy: Strategy, values: Mapping[str, str]) -> tuple[str, str | None]:
    """Return the spec of a strategy with its arguments, and the file that it draws from."""
    keys = {name.casefold(): key.name for key in strategy.keys for name in (key.name, *key.aliases)}
    values_by_key = {keys[name]: value for name, value in values.items() if name in keys}
    spelled, problems = [key.name for key in strategy.keys], []
    for name in (name for name in values if name not in keys):
        hint = unknown_name_hint(name, spelled) if spelled else _usage(strategy)
        problems.append(Problem(f"{strategy.name} has no argument {name!r}", hint=hint))
    positional, keywords = list[str](), dict[str, str]()
    for key in strategy.keys:
        if (argument := values_by_key.get(key.name, key.default)) is None:
            problems.append(Problem(f"{strategy.name} needs {key.name}", hint=_usage(strategy)))
        elif not argument or key.ignored:
            continue
        elif key.name == FROM_FILE:
            if set(argument) & set(",+[]="):
                hint = "rename the file, without , + = [ ]"
                problems.append(Problem(f"{FROM_FILE}: the name {argument!r} has signs of samplings", hint=hint))
            keywords[key.ours] = FILE
        elif key.ours:
            # Arguments of designs are in small letters: NONE, RandomSelection, Manhattan.
            keywords[key.ours] = argument.casefold().removesuffix("selection")
        else:
            positional.append(argument)
    if problems:
        raise SpecError(problems)
    if keywords.get(WEIGHTS) == "0":
        # No option is counted, which turns the optimization off.
        keywords.pop(OPTIMIZATION, None)
    if keywords.get(OPTIMIZATION, "none") == "none":
        keywords.pop(WEIGHTS, None)
    arguments = ",".join((*positional, *strategy.fixed, *(f"{name}={value}" for name, value in keywords.items())))
    return f"{strategy.design}:{arguments}" if arguments else strategy.design, values_by_key.get(FROM_FILE)


def _usage(strategy: Strategy) -> str:
    keys = " ".join(f"{key.name}:…" for key in strategy.keys)
    return f"write {strategy.kind} {strategy.name} {keys}".rstrip()


def spec_of(samplings: Sequence[Sampling], system: VariabilityModel, file: str = "") -> str:
    """Return the spec of one hybrid, or of a binary and a numeric sampling; a part that has none is taken in full."""
    specs = {sampling.kind: sampling.resolved(len(system.binary_options), file) for sampling in samplings}
    if "hybrid" in specs:
        return specs["hybrid"]
    binary = specs.get("binary") or ("all" if "numeric" in specs and system.binary_options else None)
    numeric = specs.get("numeric") or ("ff" if "binary" in specs and system.numeric_options else None)
    return "+".join(filter(None, (binary, numeric)))


def truth(text: str, name: str = "") -> bool:
    """Return `true` or `false` as a truth value; `name`: that of the argument, for messages."""
    if text.casefold() not in ("true", "false"):
        raise SpecError(f"{name + ': ' if name else ''}{text!r} is neither true nor false")
    return text.casefold() == "true"
