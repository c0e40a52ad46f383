"""The commands of SPL Conqueror's scripts: the table, and a command of a script."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
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


Need = Literal["vm", "measurements", "sampling", "model"]
# How the arguments of a command are written: nothing, one file whose name may have spaces, words separated by spaces,
# `name:value` pairs, `name=[a,b]` lists, or a sampling.
ArgumentForm = Literal["nothing", "file", "words", "pairs", "lists", "sampling"]


@dataclass(frozen=True)
class Usage:
    """A command of the table."""

    name: str  # its name
    arguments: str = ""  # its arguments as messages and pages show them
    form: ArgumentForm = "nothing"  # how they are written
    least: int = 0  # the least number of words
    most: int | None = 0  # the most words; None: any number
    keys: tuple[str, ...] | None = ()  # the names of `name:value` arguments beside the words; None: any name
    reads: tuple[int, ...] = ()  # the positions of words that are files to read
    writes: tuple[int, ...] = ()  # the positions of words that are files to write
    needs: tuple[Need, ...] = ()  # what must have been done before
    aliases: tuple[str, ...] = ()  # older spellings
    effect: bool = True  # whether it has an effect here; the others are accepted


def _file(name: str, arguments: str = "FILE", **settings: object) -> Usage:
    return Usage(name, arguments, "file", 1, 1, **settings)  # type: ignore[arg-type]


_LEARNING: tuple[Need, ...] = ("measurements", "sampling")
_JUDGING: tuple[Need, ...] = ("measurements", "model")
_SEARCH = ("samples", "seed", "file", "performWithOptimal")

# Commands whose output is a folder of files.
CONVERSIONS = ("convert-vm", "convert-measurements")
# To add a command, add a line here and a method to `splc.splconqueror.interpreter`.
COMMANDS: tuple[Usage, ...] = (
    _file("vm", "MODEL.xml", reads=(0,)),
    _file("all", "[check:false] FILE", keys=("check",), reads=(0,), needs=("vm",)),
    _file("evaluationset", reads=(0,), needs=("vm",)),
    Usage("nfp", "NAME", "file", 1, 1),
    _file("log", writes=(0,)),
    _file("script", "FILE.a", reads=(0,)),
    Usage("mlsettings", "NAME:VALUE …", "pairs", keys=None),
    _file("load-mlsettings", reads=(0,)),
    Usage("printsettings"),
    Usage("solver", "NAME", "words", 1, None, effect=False),
    Usage("binary", "STRATEGY [NAME:VALUE …] [[OPTION,…]] [validation]", "sampling"),
    Usage("numeric", "STRATEGY [NAME:VALUE …] [[OPTION,…]] [validation:true]", "sampling"),
    Usage("hybrid", "STRATEGY [NAME:VALUE …] [[OPTION,…]] [validation:true]", "sampling"),
    Usage("select-all-measurements", "true|false", "words", 1, 1),
    Usage("learn-splconqueror", needs=_LEARNING, aliases=("start",)),
    Usage(
        "learn-splconqueror-opt",
        "NAME=[VALUE,…] … [randomized] [samples:N] [seed:N] [file:CSV] [performWithOptimal:false]",
        "lists",
        keys=_SEARCH,
        most=1,
        needs=_LEARNING,
    ),
    Usage("analyze-learning", needs=_JUDGING),
    _file("predict-all-configs-splconqueror", "FILE.csv", writes=(0,), needs=_JUDGING),
    Usage("predict-configs-splconqueror", needs=_JUDGING),
    Usage("truemodel", "TERMS [FILE.csv]", "words", 1, 2, reads=(0,), writes=(1,), needs=("measurements",)),
    Usage("evaluate-model", "MODELS [FILE.csv]", "words", 1, 2, reads=(0,), writes=(1,), needs=("measurements",)),
    Usage("printconfigs", "FILE [PREFIX] [POSTFIX]", "words", 1, 3, writes=(0,), needs=("vm", "sampling")),
    _file("measurementstocsv", writes=(0,), needs=("measurements",)),
    Usage("optionorder", "NAME …", "words", 1, None, needs=("vm",)),
    Usage("clean-sampling"),
    Usage("clean-learning"),
    Usage("clean-global"),
    Usage("rollback"),
    *(Usage(name, "FOLDER FOLDERS FILES TARGET", "words", 4, 4) for name in CONVERSIONS),
    Usage("define-python-path", "FOLDER", "file", 1, 1, effect=False),
    Usage(
        "learn-python",
        "LEARNER [NAME:VALUE …] [writeFinalPredictionResults:false]",
        "pairs",
        1,
        1,
        keys=None,
        needs=_LEARNING,
    ),
    Usage(
        "learn-python-opt",
        "LEARNER [NAME:[VALUE,…] …] [file:CSV] [performWithOptimal:false]",
        "lists",
        1,
        1,
        keys=("file", "performWithOptimal"),
        needs=_LEARNING,
    ),
)
TABLE: Mapping[str, Usage] = {name: usage for usage in COMMANDS for name in (usage.name, *usage.aliases)}


@dataclass(frozen=True)
class ScriptCommand:
    """A command of a script."""

    name: str  # its name in the table
    text: str  # the line of the script without its comment, as logs echo it
    line: int  # the number of the line
    words: tuple[str, ...] = ()  # files and names, in order
    values: Mapping[str, str] = field(default_factory=dict)  # the `name:value` arguments
    lists: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # the `name=[a,b]` arguments
    sampling: Sampling | None = None  # the sampling of `binary`, `numeric` and `hybrid`

    @property
    def usage(self) -> Usage:
        """Its line in the table."""
        return TABLE[self.name]

    @property
    def inputs(self) -> tuple[str, ...]:
        """The files that it reads, as the script names them."""
        drawn_from = () if self.sampling is None or self.sampling.file is None else (self.sampling.file,)
        return (*(self.words[at] for at in self.usage.reads if at < len(self.words)), *drawn_from)

    @property
    def outputs(self) -> tuple[str, ...]:
        """The files that it writes, as the script names them."""
        output_file = (self.values["file"],) if "file" in self.values and self.usage.form == "lists" else ()
        return (*(self.words[at] for at in self.usage.writes if at < len(self.words)), *output_file)


@dataclass(frozen=True)
class Script:
    """A script."""

    path: str  # the file
    commands: tuple[ScriptCommand, ...]  # its commands
    sha256: str = ""  # the hash of the file
