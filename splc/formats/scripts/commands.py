"""The commands of SPL Conqueror's scripts: the table, and the reader of scripts, which have a command per line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from splc.errors import InputError, Problem, Problems, SpecError, SplcError, unknown_name_hint
from splc.formats.scripts.samplings import STRATEGIES, Sampling, sampling_of, truth
from splc.io.files import Source
from splc.io.settings import setting_name
from splc.learning.baselines import estimator_of
from splc.learning.stepwise.settings import Settings

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


def _file(name: str, arguments: str = "FILE", **settings: object) -> Usage:
    return Usage(name, arguments, "file", 1, 1, **settings)  # type: ignore[arg-type]


_LEARNING: tuple[Need, ...] = ("measurements", "sampling")
_JUDGING: tuple[Need, ...] = ("measurements", "model")
_SEARCH = ("samples", "seed", "file", "performWithOptimal")
_SETTINGS_SEARCH = "NAME=[VALUE,…] … [randomized] [samples:N] [seed:N] [file:CSV] [performWithOptimal:false]"
_PYTHON = "LEARNER [NAME:VALUE …] [writeFinalPredictionResults:false]"
_PYTHON_SEARCH = "LEARNER [NAME:[VALUE,…] …] [file:CSV] [performWithOptimal:false]"

CONVERSIONS = ("convert-vm", "convert-measurements")  # commands whose output is a folder of files
# To add a command, add a line here and a method to `splc.splconqueror.run`.
COMMANDS: tuple[Usage, ...] = (
    _file("vm", "MODEL.xml", reads=(0,)),
    _file("all", "[check:false] FILE", keys=("check",), reads=(0,), needs=("vm",)),
    _file("evaluationset", reads=(0,), needs=("vm",)),
    _file("nfp", "NAME"),
    _file("log", writes=(0,)),
    _file("script", "FILE.a", reads=(0,)),
    Usage("mlsettings", "NAME:VALUE …", "pairs", keys=None),
    _file("load-mlsettings", reads=(0,)),
    Usage("printsettings"),
    Usage("solver", "NAME", "words", 1, None),
    Usage("binary", "STRATEGY [NAME:VALUE …] [[OPTION,…]] [validation]", "sampling"),
    Usage("numeric", "STRATEGY [NAME:VALUE …] [[OPTION,…]] [validation:true]", "sampling"),
    Usage("hybrid", "STRATEGY [NAME:VALUE …] [[OPTION,…]] [validation:true]", "sampling"),
    Usage("select-all-measurements", "true|false", "words", 1, 1),
    Usage("learn-splconqueror", needs=_LEARNING, aliases=("start",)),
    Usage("learn-splconqueror-opt", _SETTINGS_SEARCH, "lists", keys=_SEARCH, most=1, needs=_LEARNING),
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
    _file("define-python-path", "FOLDER"),
    Usage("learn-python", _PYTHON, "pairs", 1, 1, keys=None, needs=_LEARNING),
    Usage("learn-python-opt", _PYTHON_SEARCH, "lists", 1, 1, keys=("file", "performWithOptimal"), needs=_LEARNING),
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


# Older spellings: the strategies themselves were commands, and numeric ones followed `expdesign`.
_STRATEGIES = {name: strategy.kind for strategy in reversed(STRATEGIES) for name in (strategy.name, *strategy.aliases)}
_DESIGN = "expdesign"
_KEY = re.compile(r"([\w-]+):(\S*)")
_LIST = re.compile(r"(?<![\w-])([\w-]++)\s*+[=:]\s*\[([^\]]*)\]")
RANDOMIZED = "randomized"
FINAL_PREDICTIONS = "writeFinalPredictionResults"


def parse_lines(source: Source) -> tuple[Script, tuple[Problem, ...]]:
    """Return the commands of a script that can be read, and what is wrong in others, but for the files they name."""
    problems, commands = list[Problem](), []
    for number, text in _statements(source):
        try:
            commands.append(_command(text, number))
        except SplcError as error:
            place: dict[str, Any] = {"file": source.name, "line": number, "column": None, "text": text}
            problems += dict.fromkeys(replace(problem, **place) for problem in error.problems)
    return Script(source.name, tuple(commands), source.sha256), tuple(problems)


def _statements(source: Source) -> Iterator[tuple[int, str]]:
    """Yield the number and the text of each line that is not blank, without its comment, which begins with `#`."""
    for number, line in enumerate(source.text().splitlines(), 1):
        if text := line.partition("#")[0].strip():
            yield number, text


def _command(text: str, line: int) -> ScriptCommand:
    first, arguments = [*text.split(maxsplit=1), ""][:2]
    name = first.casefold()
    if name == _DESIGN:
        name = "numeric"
    elif name not in TABLE and name in _STRATEGIES:
        name, arguments = _STRATEGIES[name], f"{name} {arguments}"
    if name not in TABLE:
        raise SpecError(f"unknown command {first!r}", hint=unknown_name_hint(name, list(TABLE)))
    usage = TABLE[name]
    command = ScriptCommand(usage.name, text, line, **_arguments(usage, arguments, text))
    if len(command.words) < usage.least or (usage.most is not None and len(command.words) > usage.most):
        raise SpecError(f"wrong arguments of {usage.name}", hint=f"write {usage.name} {usage.arguments}".rstrip())
    _check_values(command)
    return command


def _arguments(usage: Usage, text: str, line: str) -> dict[str, Any]:
    """Return the arguments of a command, by the fields of `ScriptCommand`."""
    match usage.form:
        case "sampling":
            return {"sampling": sampling_of(usage.name, text, line)}  # type: ignore[arg-type]
        case "nothing" | "words":
            return {"words": tuple(text.split())}
        case "file":
            values = {}
            while usage.keys and (match := _KEY.match(text)) and match[1].casefold() in usage.keys:
                values[match[1].casefold()] = match[2]
                text = text[match.end() :].strip()
            return {"words": (text,) if text else (), "values": values}
        case "pairs":
            return _pairs(text.split())
        case "lists":
            # Brackets that are not closed would each be followed to the end.
            end_of_lists = text.rfind("]") + 1
            matches = _LIST.findall(text, 0, end_of_lists)
            lists = {name: tuple(item.strip() for item in items.split(",")) for name, items in matches}
            pairs = _pairs((_LIST.sub(" ", text[:end_of_lists]) + text[end_of_lists:]).split())
            keys = {name.casefold(): name for name in usage.keys or ()}
            for name in (name for name in pairs["values"] if name.casefold() not in keys):
                raise SpecError(f"unknown argument {name!r}", hint=unknown_name_hint(name, [*keys.values()]))
            values = {keys[name.casefold()]: value for name, value in pairs["values"].items()}
            return {"words": pairs["words"], "values": values, "lists": lists}


def _pairs(words: list[str]) -> dict[str, Any]:
    plain_words = tuple(word for word in words if ":" not in word)
    return {"words": plain_words, "values": dict(word.split(":", 1) for word in words if ":" in word)}


def _check_values(command: ScriptCommand) -> None:
    """Check the values of a command."""
    problems, values = list[Problem](), dict(command.values)
    choices = [{name: value} for name, listed in command.lists.items() for value in listed]

    def check(function: Callable[..., Any], *arguments: Any) -> None:
        try:
            function(*arguments)
        except SplcError as error:
            problems.extend(error.problems)

    if command.name == "mlsettings":
        check(Settings().changed, values)
    elif command.name == "select-all-measurements":
        check(truth, command.words[0])
    elif command.name == "all" and "check" in values:
        check(truth, values["check"])
    elif command.name == "learn-splconqueror-opt":
        for word in (word for word in command.words[:1] if word.casefold() != RANDOMIZED):
            problems += [Problem(f"unknown argument {word!r}", hint=unknown_name_hint(word, [RANDOMIZED]))]
        if not choices:
            problems.append(Problem("there are no settings to choose from", hint="write NAME=[VALUE,VALUE]"))
        for choice in choices:
            check(Settings().changed, choice)
    elif command.name == "learn-python":
        for final in [name for name in values if name.casefold() == FINAL_PREDICTIONS.casefold()][:1]:
            check(truth, values.pop(final))
        check(estimator_of, command.words[0], values)
    elif command.name == "learn-python-opt":
        for choice in ({}, *choices):
            check(estimator_of, command.words[0], choice)
    if command.usage.form == "lists":
        if "performWithOptimal" in values:
            check(truth, values["performWithOptimal"])
        for name, least in (("samples", 1), ("seed", 0)):
            if name in values:
                check(whole_number, name, values[name], least)
    if problems:
        raise SpecError(problems)


def whole_number(name: str, text: str, least: int) -> int:
    """Return a text as a whole number."""
    if not (text.isascii() and text.isdigit()) or int(text) < least:
        raise SpecError(f"{name} must be a whole number of at least {least}, not {text!r}")
    return int(text)


def settings_of(source: Source) -> dict[str, str]:
    """Return the settings of a file of `name value` (or `name:value`) lines."""
    problems, settings = Problems(source.name), dict[str, str]()
    for number, line in _statements(source):
        name, value = [*re.split(r"[\s:]+", line, maxsplit=1), ""][:2]
        try:
            Settings().changed({name: value})
            settings[setting_name(name)] = value
        except SpecError as error:
            for problem in error.problems:
                problems.add(problem.message, number, text=line, hint=problem.hint)
    problems.raise_if_any(InputError)
    return settings
