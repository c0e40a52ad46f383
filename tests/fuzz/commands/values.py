"""Values of the arguments and options of commands: names, files and numbers of a project, by the name of the option."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from types import MappingProxyType

from splc.learning.projection.constants import ProjectionSettings
from splc.learning.registry import LEARNERS
from splc.learning.stepwise.settings import PRESETS, Settings
from tests.fuzz.commands.project import PROGRAM, Project

Value = Callable[[Project, random.Random], str]
# More time than a session has: such a line of `splc tune` has a budget of runs, too.
LONG = "1h30m"

_BINARY = (
    "all", "optionwise", "negoptionwise", "pairwise", "twise:2", "covering:2", "random:4", "solver:3", "henard:4",
)  # fmt: skip
_NUMERIC = (
    "ff", "pb:9,3", "cci", "bbd", "ofat:3", "factorial:2", "hyper:50", "dopt:6,k=3", "lhs:4", "sobol:4", "random:4",
)  # fmt: skip
_WHOLE = ("random:5", "random:20", "random:4,seed=3", "distaware:4", "distpreserving:4", "distance:3")
_MEASURED = ("measured", "measured:70%", "measured:50%", "measured:5", "measured:10,seed=2")
_NUMBERS = (*("1", "2", "3", "5", "20") * 4, "0", "-1", "0.5", "1e9", "1000000")


def _one_of(*values: str) -> Value:
    return lambda project, rng: rng.choice(values)


def _option(project: Project, rng: random.Random) -> str:
    return rng.choice(project.system.options).name


def _property(project: Project, rng: random.Random) -> str:
    return rng.choice(project.system.properties)


def _context(project: Project, rng: random.Random) -> str:
    """Return a context; a few times, and where there is none, another column."""
    contexts = list(project.system.contexts)
    return rng.choice(contexts) if contexts and rng.random() < 0.95 else rng.choice(project.columns)


def _column(project: Project, rng: random.Random) -> str:
    return rng.choice(project.columns)


def _columns(project: Project, rng: random.Random) -> str:
    return ",".join(_column(project, rng) for _ in range(rng.choice((1, 1, 2))))


def _ignored(project: Project, rng: random.Random) -> str:
    """Return a column that can be left out; sometimes an option."""
    others = [name for name in project.columns if name in (*project.system.contexts, *project.system.properties)]
    return rng.choice(others) if rng.random() < 0.8 else _columns(project, rng)


def _where(project: Project, rng: random.Random) -> str:
    name = _context(project, rng)
    return f"{name}={rng.choice(project.rows).get(name, '')}"


def _assignment(project: Project, rng: random.Random) -> str:
    """Return an option with one of its values, or the name of a binary option."""
    option = rng.choice(project.system.options)
    if option.binary and rng.random() < 0.3:
        return option.name
    return f"{option.name}={rng.choice(option.values):.12g}"


def _configuration(project: Project, rng: random.Random) -> str:
    """Return a configuration as text, or a file of configurations."""
    if rng.random() < 0.1:
        return _file("configurations.csv")(project, rng)
    drawn = project.system.configuration(rng)
    return ",".join(f"{name}={value:.12g}" for name, value in drawn.items())


def _term(project: Project, rng: random.Random) -> str:
    return rng.choice(("{0}", "{0} * {1}", "log10({1})", "{0} * {0}")).format(*(_option(project, rng) for _ in "ab"))


def _free(project: Project, rng: random.Random) -> str:
    """Return parameters of the analytical model, or its factor."""
    if rng.random() < 0.4:
        return "scale"
    path = project.folder / "analytical.txt"
    text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    known = [name for name in ("alpha", "beta", "gamma") if name in text] or ["alpha"]
    return ",".join(rng.sample(known, rng.randint(1, len(known))))


def _file(*patterns: str) -> Value:
    """Return a value that is one of the files with these patterns that exist, seldom any other file."""

    def value(project: Project, rng: random.Random) -> str:
        found = project.files(*patterns) if rng.random() < 0.95 else project.files("*", "*/*")
        return rng.choice(found or project.files("*"))

    return value


def _new(*suffixes: str) -> Value:
    """Return a value that is a file to write."""
    return lambda project, rng: rng.choice(("out", "out", "new", "a{}b")) + rng.choice(suffixes)


def _sampling(project: Project, rng: random.Random) -> str:
    """Return a sampling, mostly of measured configurations, or of parts that the system has."""
    if rng.random() < 0.4:
        return rng.choice(_MEASURED)
    if rng.random() < 0.4:
        return rng.choice(_WHOLE)
    parts = [rng.choice(_BINARY)] if project.system.binary else []
    return "+".join(parts + ([rng.choice(_NUMERIC)] if project.system.numeric else []))


def _setting(project: Project, rng: random.Random) -> str:
    """Return a setting of a learner."""
    every = fields(ProjectionSettings) if rng.random() < 0.85 else fields(Settings)
    field = rng.choice(every)
    values = {
        "form": ("sum", "product", "auto"),
        "scale": ("log", "raw", "auto"),
        "lossFunction": ("RELATIVE", "LEASTSQUARES", "ABSOLUTE"),
        "scoreMeasure": ("RELERROR", "INFLUENCE"),
        "first": (_option(project, rng),),
    }.get(field.name)
    if values is None:
        values = ("true", "false") if isinstance(field.default, bool) else ("1", "2", "3", "5", "0", "0.5", "1e9")
    return f"{field.name}={rng.choice(values)}"


def _part(project: Project, rng: random.Random) -> str:
    where = f":{rng.choice(project.system.binary)}" if project.system.binary and rng.random() < 0.3 else ""
    return f"{_property(project, rng)}{where}"


def _program(project: Project, rng: random.Random) -> str:
    name = _option(project, rng)
    forms = (
        "-n {{{0}}}", "{{{0}}} {{{1}}}", "{{options}}", "{{{0}?--{0}}}", "{{= {0}+1}}", "fail", "batch",
        "{{repetition}} '{{{0}}}'",
    )  # fmt: skip
    return f"./{PROGRAM} {rng.choice(forms).format(name, _option(project, rng))}"


_MODEL = _file("learned*.log", "learned*.json", "out*.log", "out*.json", "model.txt", "analytical.txt", "logs/*.log")
_TABLE = _file("measurements.*", "measurements.*", "other.csv")
_PICTURE = _new(".svg", ".svg", ".png", ".pdf")
_POINT = _one_of("p=64", "p=1024", "p=64,n=20", "n=100,p=3", "p=0", "p=-1", "x=2")

# Command, or `any`, and option → its words.
_WORDS = tomllib.loads((Path(__file__).parent / "words.toml").read_text(encoding="utf-8"))
# Options of all commands. Those that are flags, choices or whole numbers have their values from the signature.
VALUES: Mapping[str, Value] = MappingProxyType(
    {
        **{name: _one_of(*words) for name, words in _WORDS.pop("any").items()},
        "--at-least": _one_of(*("2%", "0", "50", "100%") * 3, "-1", "x"),
        "--analytical": _file("analytical.txt"),
        "--batch": lambda project, rng: rng.choice(("all", _option(project, rng))),
        "--block": _context,
        "--by": _context,
        "--configurations": _file("configurations.csv", "other.csv"),
        "--context": _context,
        "--cost": _property,
        "--group": _option,
        "--default": _configuration,
        "--evaluate-on": _TABLE,
        "--extend": _file("configurations.csv", "other.csv", "out*.csv", "measurements.csv"),
        "--fail-above": _one_of(*("error_rate=20", "measured.error_rate=50") * 3, "smape=1"),
        "--first": _term,
        "--fix": _assignment,
        "--from": _file("learned*.json", "learned*.log", "out*.json", "model.txt"),
        "--free": _free,
        "--given-terms": _file("terms.txt"),
        "--ignore": _ignored,
        "--intervals": _one_of(*("0.95", "0.5", "0.9") * 3, "1", "0"),
        "--journal": _new(".journal"),
        "--learner": _one_of(*LEARNERS, *LEARNERS, "projection", "stepwise"),
        "--level": _one_of(*("0.95", "0.5", "0.99") * 3, "1", "2"),
        "--max-deviation": _one_of(*("0.1", "0.5") * 4, "0", "nan"),
        "--maximize-only": _property,
        "--measure": _one_of(*("minkowski4", "smape", "rmse") * 3, "list", "kendall"),
        "--measurements": _TABLE,
        "--on": lambda project, rng: rng.choice(("measured", "all", "configurations.csv", _sampling(project, rng))),
        "--options": _columns,
        "--output": _new(".json", ".log", ".csv", ".txt", ".xml", ".py", ".tex", ".toml", ""),
        "--parameters": _file("parameters.*"),
        "--plot": _PICTURE,
        "--predict-at": _POINT,
        "--preset": _one_of(*PRESETS, "splconqueror"),
        "--property": _property,
        "--replay": _TABLE,
        "--sampling": _sampling,
        "--set": _setting,
        "--sum": _part,
        "--system": _file("system.xml", "systems/app/system.xml"),
        "--target": _POINT,
        "--timeout": _one_of(*("1", "0.5", "10") * 4, "0", "-1", "5e9", "nan", "inf"),
        "--validation": _sampling,
        "--where": _where,
        "analytical": _file("analytical.txt"),
        "argument": _file("system.xml", "measurements.*", "other.csv", "systems/app/*"),
        "configuration": _configuration,
        "configurations": _file("configurations.csv", "other.csv", "measurements.*"),
        "file": _file("study.toml"),
        "measurements": _TABLE,
        "model": _MODEL,
        "models": _MODEL,
        "profile": _file("profile.csv", "profile.csv", "*.jsonl", "points.txt"),
        "scripts": _file("script.a"),
        "table": _TABLE,
        "tables": _TABLE,
    }
)
# Commands whose values depend on each other come in kinds, the second word.
KINDS = {"convert": ("convert", "convert", "convert models", "convert models", "convert system")}
# Where the same name means something else, or only some values make sense.
OWN: Mapping[tuple[str, str], Value] = MappingProxyType(
    {
        **{(command, name): _one_of(*words) for command, own in _WORDS.items() for name, words in own.items()},
        **dict.fromkeys(
            [(each, "--output") for each in ("measure", "predict", "sample", "suggest", "tune")], _new(".csv")
        ),
        ("measure", "--block"): _one_of("3", "20", "0"),
        ("tune", "--best"): _new(".csv"),
        ("calibrate", "--output"): _new(".toml"),
        ("changed", "--by"): _one_of(*["version"] * 20, "none"),
        ("changed", "--measurements"): _one_of(*["versions.csv"] * 12, "measurements.csv"),
        ("changed", "--property"): lambda project, rng: project.system.properties[0],
        ("convert", "--output"): _new(*[".csv"] * 8, ".xml", ".json", ""),
        ("convert", "source"): _file("measurements.*", "measurements.*", "other.csv", "runs*.csv"),
        ("convert models", "--output"): _new(*(".json", ".log", ".txt") * 4, ".csv"),
        ("convert models", "source"): _MODEL,
        ("convert system", "--output"): _new(*(".xml", ".uvl") * 4, ".csv"),
        ("convert system", "source"): _file("system.xml", "systems/app/system.xml"),
        ("describe", "--system"): _file("system.xml"),
        ("example", "folder"): _new("", "", ""),
        ("explain", "--against"): _configuration,
        ("init", "--output"): _new(".xml"),
        ("report", "--output"): _new(*(".html", ".md") * 4, ".txt"),
        ("learn", "--output"): _new(".json", ".log", ".py", ".tex", "", ".txt"),
        ("measure", "--command"): _program,
        ("measure", "--sampling"): _one_of(
            "measured", *("random:2", "random:3,seed=2", "random:1") * 4, "pb:9,3", "optionwise"
        ),
        ("run", "--output"): _new(".toml"),
        ("scale", "--output"): _new(".json", ".txt", ".log", ".py", ".tex"),
        ("suggest", "--from"): _file("learned*.json", "out*.json"),
        ("tune", "--command"): _program,
        ("tune", "--budget"): _one_of(*("1", "3", "6", "12") * 2, "5,10", "x"),
        ("tune", "--for"): _one_of(*("1s", "2", LONG) * 3, "0", "soon"),
        ("tune", "--from"): _file("measurements.*", "other.csv"),
        ("tune", "--model"): _new(".json", ".log"),
        ("tune", "--plot"): _new(".svg", ".png"),
        ("tune", "--report"): _new(*(".html",) * 4, ".md"),
        ("suggest", "--measurements"): _file("measurements.*", "measurements.*", "other.csv"),
    }
)


def value_of(command: str, name: str) -> Value | None:
    """Return the function that draws the value of an option or argument; None: its signature says enough.

    `command`: its name, or its name and kind.
    """
    return OWN.get((command, name)) or VALUES.get(name)


def number(project: Project, rng: random.Random) -> str:
    """Draw a value of an option that is a whole number."""
    return rng.choice(_NUMBERS)
