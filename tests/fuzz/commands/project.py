"""Generated projects: the folder of a generated system, with every file that a command may read, and leftovers."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.fuzz.commands.systems import (
    Row,
    System,
    as_csv,
    as_description,
    as_xml,
    groups_as_text,
    measured,
    spoiled,
    system,
)
from tests.fuzz.limits import mutated
from tests.fuzz.readers import LINES, LOG, POINTS, SYSTEM

PROGRAM = "program"
# A program for `splc measure`, which prints the same time for the same arguments; one in ten arguments makes it fail.
_PROGRAM = """#!/bin/sh
[ "$1" = fail ] && { echo "no such input" >&2; exit 3; }
[ "$1" = batch ] && { head -n 1 | sed 's/$/,time/'; sed 's/$/,1.5/'; exit 0; }
echo "time: $#.5 s"
echo "{\\"time\\": $#, \\"a\\": {\\"b\\": 2}}"
"""
# Models without parameters: usual ones, constants, and some without a value where an option is 0.
_SUMS = ("1.5 + 2 * {1} + 0.1 * {0} * {2}\n",) * 6 + ("3\n", "0 * {0}\n", "1 / {0}\n", "log10({2})\n", "-{1}\n")
# Further lines of scripts.
_MORE = ("predict-all-configs-splconqueror p.csv", "printconfigs c.txt", "clean-sampling", "optionorder root", "# done")


@dataclass(frozen=True)
class Project:
    """A generated project."""

    system: System  # what it is about
    rows: list[Row]  # its measurements
    folder: Path  # where its files are

    @property
    def columns(self) -> list[str]:
        """The columns of its measurements."""
        return list(self.rows[0])

    @property
    def header(self) -> list[str]:
        """The columns of the table that commands find, as far as they are separated by commas."""
        path = self.folder / "measurements.csv"
        first = path.read_bytes().splitlines()[:1] if path.is_file() else []
        return [name for line in first for name in line.decode("utf-8", "replace").split(",")]

    def files(self, *patterns: str) -> list[str]:
        """Return the files of the folder now, also those that commands wrote."""
        found = {path for pattern in patterns for path in self.folder.glob(pattern) if path.is_file()}
        return sorted(str(path.relative_to(self.folder)) for path in found)


def project(folder: Path, rng: random.Random) -> Project:
    """Write a generated project into an empty folder."""
    clean: list[Row] = []
    # A single configuration may be missing in every context.
    while not clean:
        described = system(rng)
        clean = measured(described, rng)
    rows = clean
    for _ in range(rng.choice((0, 0, 0, 1, 1, 2))):
        rows = spoiled(rows, described, rng)
    made = Project(described, rows, folder)
    texts = _inputs(made, clean, rng)
    texts |= _models(described, texts, rng) | _programs(made, clean, rng) | _profiles(rng)
    if rng.random() < 0.2:
        texts |= rng.choice(_leftovers(rng))
    if rng.random() < 0.08:
        # A damaged program may write any file.
        name = rng.choice(sorted(texts.keys() - {PROGRAM}))
        every = [text.encode() for text in texts.values()]
        damaged = mutated(texts[name].encode(), every, rng).decode("utf-8", "surrogateescape")
        texts[name] = damaged
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
    (folder / PROGRAM).chmod(0o755)
    return made


def _inputs(made: Project, clean: list[Row], rng: random.Random) -> dict[str, str]:
    """Return description, measurements, configurations, observed variables and `splc.toml`."""
    described, rows = made.system, made.rows
    texts = {"configurations.csv": _configurations(described, rng)}
    has_description = rng.random() < 0.65
    if has_description:
        texts["system.xml"] = as_description(described, rng)
    as_text = not has_description and bool(described.groups()) and rng.random() < 0.3
    main = groups_as_text(rows, described) if as_text else rows
    texts["versions.csv"] = as_csv(_versions(described, rng), rng, plain=True)
    if has_description and not described.contexts and rng.random() < 0.15:
        texts["measurements.xml"] = as_xml(rows, described)
    else:
        texts["measurements.csv"] = as_csv(main, rng)
    texts["other.csv"] = as_csv(clean[: max(3, len(clean) // 2)], rng, plain=True)
    lines = []
    if len(described.properties) > 1 or rng.random() < 0.3:
        lines.append(f"property = {json.dumps(rng.choice(described.properties), ensure_ascii=False)}")
    if rng.random() < 0.1:
        texts["observed.csv"] = _observed(described, clean)
        lines.append('observed = "observed.csv"')
    if "year" in described.contexts:
        lines.append('contexts = ["year"]')
    for name in described.contexts:
        if rng.random() < 0.2:
            lines.append(f"where = {{ {name} = {json.dumps(described.contexts[name][0])} }}")
            break
    if rng.random() < 0.2:
        lines += [
            "[learning]",
            rng.choice(('preset = "splconqueror"', "readable = true", "terms = 3", "abortError = 2")),
        ]
    if lines:
        texts["splc.toml"] = "\n".join(lines) + "\n"
    return texts


def _configurations(described: System, rng: random.Random) -> str:
    drawn = [described.configuration(rng) for _ in range(rng.choice((1, 4, 10)))]
    return as_csv([{name: f"{value:.12g}" for name, value in each.items()} for each in drawn], rng, plain=True)


def _versions(described: System, rng: random.Random) -> list[Row]:
    """Return the first property of the same configurations in two versions."""
    nfp = described.properties[0]
    drawn = [described.configuration(rng) for _ in range(rng.choice((12, 20, 40)))]
    return [
        {name: f"{value:.12g}" for name, value in each.items()} | {"version": version, nfp: f"{rng.uniform(1, 2):.6g}"}
        for each in drawn
        for version in ("v1", "v2")
    ]


def _observed(described: System, rows: list[Row]) -> str:
    names = [each.name for each in described.options]
    seen = {tuple(row[name] for name in names): row for row in rows}.values()
    table = [{name: row[name] for name in names} | {"hits": str(at), "C_0": "1.5"} for at, row in enumerate(seen)]
    return as_csv(table, random.Random(0), plain=True)


def _models(described: System, inputs: Mapping[str, str], rng: random.Random) -> dict[str, str]:
    """Return an analytical model with its parameters, another model, and terms.

    Without a description, they are of options that are columns of the measurements.
    """
    columns = re.split(r"[,;\t]", inputs.get("measurements.csv", "").partition("\n")[0])
    known = [each for each in described.options if "system.xml" in inputs or each.name in columns] or described.options
    names = [f"`{each.name}`" for each in known]
    first, second, third = (rng.choice(names) for _ in range(3))
    numeric = [f"`{each.name}`" for each in known if not each.binary and min(each.values) > 0]
    curved = f" + gamma * log2({rng.choice(numeric)})" if numeric else ""
    texts = {
        "analytical.txt": f"# an expert's\nb = alpha + 1\nT = b + beta * {first} * {second} + {third}^2{curved}\n",
        "parameters.toml": "alpha = 0.5\nbeta = 2e-3 # s\ngamma = 1\n",
        "model.txt": rng.choice(_SUMS).format(first, second, third),
        "terms.txt": f"{first}\n{first} * {second}\n{third}\n",
    }
    return texts if rng.random() < 0.96 else {**texts, "parameters.toml": "alpha = 0.5\n"}


def _programs(made: Project, clean: list[Row], rng: random.Random) -> dict[str, str]:
    """Return a program, a script, a study, and a tree of logs with its system."""
    described = made.system
    nfp = rng.choice(described.properties)
    binary = "binary " + rng.choice(("featureWise", "pairwise", "allBinary", "twise t:2", "random numConfigs:4 seed:1"))
    numeric = "numeric " + rng.choice(
        ("fullFactorial", "plackettburman measurements:9 level:3", "random numConfigs:5 seed:1")
    )
    samplings = ([binary] if described.binary else []) + ([numeric] if described.numeric else [])
    script = ["log script.log", "vm systems/app/system.xml", "all systems/app/measurements.csv"]
    script += [f"nfp {nfp}", f"mlsettings {rng.choice(('abortError:5', 'numberOfRounds:3', 'learn_logFunction:true'))}"]
    script += [*samplings, "learn-splconqueror", "analyze-learning"]
    if rng.random() < 0.3:
        script += [rng.choice(_MORE)]
    spec = json.dumps(rng.choice((["measured:70%"], ["measured:50%", "measured:5"], ["random:4", "measured"])))
    study = [f"samplings = {spec}", f"seeds = {rng.choice(('[0]', '[0, 1]'))}", f"property = {json.dumps(nfp)}"]
    if described.contexts and rng.random() < 0.9:
        chosen = ", ".join(f"{name} = {json.dumps(values[0])}" for name, values in described.contexts.items())
        study += (
            [f"where = {{ {chosen} }}"]
            if rng.random() < 0.8
            else [f"by = {json.dumps(next(iter(described.contexts)))}"]
        )
    study += [rng.choice(('missing = "nearest"', 'missing = "drop"', 'invalid = "drop"'))]
    if rng.random() < 0.5:
        study += [
            "[learners.mine]",
            rng.choice(('preset = "splconqueror"', 'learner = "ridge"', "terms = 2", 'learner = "tree"')),
        ]
    names = [f"{each}" for each in (described.options[0].name, described.options[-1].name)]
    rounds = [
        f"{at + 1};{' + '.join(f'1.5 * {n}' for n in names[: at + 1])};9;9;9;9;0.1;1;{names[at]};1;1;" for at in (0, 1)
    ]
    log = f"command: vm system.xml\ncommand: nfp {nfp}\ncommand: {binary}\ncommand: analyze-learning\nModels:\n"
    return {
        PROGRAM: _PROGRAM,
        "script.a": "\n".join(script) + "\n",
        "study.toml": "\n".join(study) + "\n",
        "logs/app_t1.log": log + "\n".join(rounds) + "\nAnalyze finished\n",
        "systems/app/system.xml": as_description(described, rng),
        "systems/app/measurements.csv": as_csv(_without_contexts(clean, described), rng, plain=True),
    }


def _without_contexts(rows: list[Row], described: System) -> list[Row]:
    """Return the rows of one context without its columns."""
    contexts = described.contexts
    first = {name: rows[0][name] for name in contexts}
    kept = [row for row in rows if all(row[name] == value for name, value in first.items())]
    return [{name: cell for name, cell in row.items() if name not in contexts} for row in kept]


def _profiles(rng: random.Random) -> dict[str, str]:
    """Return a profile of one or two parameters as lines of CSV, and one in another format."""
    parameters = rng.choice((("p",), ("p",), ("p", "n")))
    grid: list[tuple[int, ...]] = [(p,) for p in (2, 4, 8, 16, 32)[: rng.choice((3, 5, 5, 5))]]
    if len(parameters) > 1:
        grid = [(*point, n) for point in grid for n in (10, 20, 30, 40, 50)]
    paths = rng.choice(((), ("main",), ("main", "main->f")))
    rows = []
    for point in grid:
        for path in paths or ("",):
            value = 3.0 + point[0] ** rng.choice((0.5, 1, 1)) * (point[-1] if len(point) > 1 else 1)
            for _ in range(rng.choice((1, 2))):
                cells = [*map(str, point), f"{value * rng.gauss(1, 0.05):.6g}", *([path] if paths else [])]
                rows.append(",".join(cells))
    header = ",".join([*parameters, "time", *(["callpath"] if paths else [])])
    more = rng.choice((("points.txt", POINTS), ("lines.jsonl", LINES)))
    return {"profile.csv": "\n".join([header, *rows]) + "\n", more[0]: more[1]}


def _leftovers(rng: random.Random) -> list[dict[str, str]]:
    """Return files of other systems and of commands that were ended."""
    return [
        {"old.xml": SYSTEM},
        {"notes.xml": "<notes/>\n"},
        {"learned.log": LOG},
        {"learned.json": "{}\n"},
        {"measurements.csv~": "x,time\n1,2\n"},
        {"measurements.csv.journal": '{"kind":"header","schema":1}\n'},
        {".0123456789abcdef.tmp.swp": "x"},
        {"results/manifest.json": "{}\n"},
        {"parameters.txt": "alpha = 1\n"},
        {"observed.csv": "x,hits\n1,2\n"},
        {"empty.csv": ""},
        {"README.md": "# notes\n" * rng.choice((1, 50))},
    ]
