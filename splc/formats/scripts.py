"""Scripts of SPL Conqueror (`.a`), which have a command per line, and the samplings that they ask for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from sampling import parse_spec
from splc.errors import InputError, Problem, Problems, SpecError, SplcError, unknown_name_hint
from splc.io.files import Source
from splc.io.settings import setting_name
from splc.learning.baselines import estimator_of
from splc.learning.stepwise.settings import Settings
from splc.system.variability import VariabilityModel

Kind = Literal["binary", "numeric", "hybrid"]
# In a spec: the number of binary options, and the path of a file, which are known only when a script runs.
BINARY_OPTIONS, FILE = "{binary options}", "{file}"
FROM_FILE, VALIDATION = "fromFile", "validation"
# Arguments of hybrid strategies: those that restrict them, and those that select configurations with a distance.
ONLY_BINARY, ONLY_NUMERIC = "onlyBinary", "onlyNumeric"
OPTIMIZATION, WEIGHTS = "optimization", "weights"
_DIVERSITY = {"selection": "selection", "optimization": OPTIMIZATION, "number-weight-optimization": WEIGHTS}


@dataclass(frozen=True)
class Key:
    """An argument of a strategy, `name:value`."""

    name: str  # its name in scripts
    ours: str | None = ""  # its name in specs; an empty text for a positional argument; None: specs have none like it
    default: str | None = None  # its value if it is not given; None: it must be; empty: the spec leaves it out
    aliases: tuple[str, ...] = ()  # other names


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


SEED = Key("seed", "seed", "0")
_DISTRIBUTION = (
    _number("asTW2"),
    Key("distribution", "distribution", ""),
    Key("distance-metric", "metric", ""),
    SEED,
    *(Key(name, None) for name in (ONLY_NUMERIC, ONLY_BINARY, "use-whole-population")),
)
_DIVERSE = tuple(Key(name, ours, "") for name, ours in _DIVERSITY.items())
_WITHOUT_EFFECT = tuple(Key(name, None) for name in _DIVERSITY)
_COMPAT = ("compat",)  # arguments that make a design draw the same rows as SPL Conqueror's program
_CAPPED = ("capped",)  # all rows of a design if there are fewer than it asks for
# The first entry with a name counts, unless it has a flag that is not true.
STRATEGIES = (
    Strategy("binary", "allbinary", "all"),
    Strategy("binary", "featurewise", "optionwise", aliases=("optionwise",)),
    Strategy("binary", "pairwise", "pairwise"),
    Strategy("binary", "negfw", "negoptionwise", aliases=("negoptionwise",)),
    Strategy("binary", "twise", "twise", (Key("t"),)),
    Strategy("binary", "random", "random", (_number(BINARY_OPTIONS), SEED, Key(FROM_FILE, "from", "")), _COMPAT),
    Strategy("binary", "satoutput", "henard", (_number("2"), SEED), flag="henard"),
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
    Strategy("numeric", "random", "random", (_number(None, "sampleSize"), SEED), _COMPAT),
    Strategy("hybrid", "distribution-aware", "distaware", (*_DISTRIBUTION, *_DIVERSE)),
    Strategy("hybrid", "distribution-preserving", "distpreserving", (*_DISTRIBUTION, *_WITHOUT_EFFECT)),
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


_DOMAIN = re.compile(r"\[([^\]]*)\]")


def _bracketed(pattern: re.Pattern[str], text: str) -> tuple[list[Any], dict[str, Any]]:
    """Return the matches of a pattern that ends with a bracket, and the words and `name:value` pairs beside them."""
    # Brackets that are not closed would each be followed to the end.
    end = text.rfind("]") + 1
    return pattern.findall(text, 0, end), _pairs((pattern.sub(" ", text[:end]) + text[end:]).split())


def sampling_of(kind: Kind, arguments: str, line: str = "") -> Sampling:
    """Return the sampling of a command `binary`, `numeric` or `hybrid`."""
    domains, pairs = _bracketed(_DOMAIN, arguments)
    values, plain_words = {name.casefold(): value for name, value in pairs["values"].items()}, pairs["words"]
    names_of = {each: (each.name, *each.aliases) for each in STRATEGIES if each.kind == kind}
    known = [*dict.fromkeys(name for names in names_of.values() for name in names)]
    if not (words := [word for word in plain_words if word.casefold() != VALIDATION]):
        raise SpecError(f"{kind} names no sampling strategy", hint=f"known are: {', '.join(known)}")
    if not (candidates := [each for each, names in names_of.items() if words[0].casefold() in names]):
        raise SpecError(f"unknown {kind} sampling strategy {words[0]!r}", hint=unknown_name_hint(words[0], known))
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
        argument = values_by_key.get(key.name, key.default) if key.ours is not None else ""
        if argument is None:
            problems.append(Problem(f"{strategy.name} needs {key.name}", hint=_usage(strategy)))
        elif not argument:
            continue
        elif key.name == FROM_FILE:
            if set(argument) & set(",+[]="):
                hint = "rename the file, without , + = [ ]"
                problems.append(Problem(f"{FROM_FILE}: the name {argument!r} has signs of samplings", hint=hint))
            keywords["from"] = FILE
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


Need = Literal["vm", "measurements", "sampling", "model"]


@dataclass(frozen=True)
class Usage:
    """A command of the table."""

    name: str  # its name
    arguments: str = ""  # its arguments as messages and pages show them
    # how they are written: one file, whose name may have spaces, words, `name:value` pairs, or `name=[a,b]` lists
    form: Literal["nothing", "file", "words", "pairs", "lists", "sampling"] = "nothing"
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
    Usage("numeric", "STRATEGY [NAME:VALUE …] [[OPTION,…]] [validation:true]", "sampling", aliases=("expdesign",)),
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


# Older spellings: the strategies themselves were commands.
_STRATEGIES = {name: strategy.kind for strategy in reversed(STRATEGIES) for name in (strategy.name, *strategy.aliases)}
_KEY = re.compile(r"([\w-]+):(\S*)")
_LIST = re.compile(r"(?<![\w-])([\w-]++)\s*+[=:]\s*\[([^\]]*)\]")
RANDOMIZED, FINAL_PREDICTIONS = "randomized", "writeFinalPredictionResults"


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
    if name not in TABLE and name in _STRATEGIES:
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
            matches, pairs = _bracketed(_LIST, text)
            lists = {name: tuple(item.strip() for item in items.split(",")) for name, items in matches}
            keys = {name.casefold(): name for name in usage.keys or ()}
            for name in (name for name in pairs["values"] if name.casefold() not in keys):
                raise SpecError(f"unknown argument {name!r}", hint=unknown_name_hint(name, [*keys.values()]))
            values = {keys[name.casefold()]: value for name, value in pairs["values"].items()}
            return {"words": pairs["words"], "values": values, "lists": lists}


def _pairs(words: list[str]) -> dict[str, Any]:
    plain_words = tuple(word for word in words if ":" not in word)
    return {"words": plain_words, "values": dict(word.split(":", 1) for word in words if ":" in word)}


def _check_values(command: ScriptCommand) -> None:
    words, values, problems = command.words, dict(command.values), list[Problem]()
    choices = [{name: value} for name, listed in command.lists.items() for value in listed]
    # Functions that raise an error for a wrong value, with their arguments.
    checks: list[tuple[Callable[..., Any], list[Any]]] = []
    match command.name:
        case "mlsettings":
            checks.append((Settings().changed, [values]))
        case "select-all-measurements":
            checks.append((truth, [words[0]]))
        case "all" if "check" in values:
            checks.append((truth, [values["check"]]))
        case "learn-splconqueror-opt":
            for word in (word for word in words if word.casefold() != RANDOMIZED):
                problems.append(Problem(f"unknown argument {word!r}", hint=unknown_name_hint(word, [RANDOMIZED])))
            if not choices:
                problems.append(Problem("there are no settings to choose from", hint="write NAME=[VALUE,VALUE]"))
            checks += [(Settings().changed, [choice]) for choice in choices]
        case "learn-python":
            finals = [name for name in values if name.casefold() == FINAL_PREDICTIONS.casefold()][:1]
            checks += [(truth, [values.pop(name)]) for name in finals]
            checks.append((estimator_of, [words[0], values]))
        case "learn-python-opt":
            checks += [(estimator_of, [words[0], choice]) for choice in ({}, *choices)]
    if command.usage.form == "lists":
        checks += [(truth, [values[name]]) for name in values if name == "performWithOptimal"]
        numbers = (("samples", 1), ("seed", 0))
        checks += [(whole_number, [name, values[name], least]) for name, least in numbers if name in values]
    for function, arguments in checks:
        try:
            function(*arguments)
        except SplcError as error:
            problems.extend(error.problems)
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
