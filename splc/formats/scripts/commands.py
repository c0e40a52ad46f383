"""The commands of SPL Conqueror's scripts: the table, and a command of a script."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from splc.formats.scripts.strategies import Sampling

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
