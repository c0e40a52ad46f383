"""From command lines to requests: every option of every command, and none."""

from __future__ import annotations

import shlex
from importlib import import_module
from typing import Any

import pytest
import typer

from splc.cli.app import COMMANDS, module_of
from tests.cli.conftest import Run

COLUMNS, WHERE = "--context v,w --context u --ignore i --ignore j,k", "--where version=1 --where machine=x"
SYSTEM, FILE, OPTIONS, NFP = "--system s.xml", "--measurements m.csv", "--options a,b --options c", "--property time"
READING = f"{SYSTEM} {FILE} {OPTIONS} {NFP} {COLUMNS} {WHERE}"
POLICIES = "--invalid drop --duplicates mean --aggregate min"
READ: dict[str, Any] = {
    "system": "s.xml",
    "measurements": "m.csv",
    "nfp": "time",
    "options": ("a", "b", "c"),
    "context": ("v,w", "u"),
    "ignore": ("i", "j,k"),
    "where": {"version": "1", "machine": "x"},
}
RULES = {"invalid": "drop", "duplicates": "mean", "aggregate": "min"}
MODEL = "--parameters p.toml --parameter a=1 --parameter b=2.5"
MODELS = {"parameters": "p.toml", "parameter": {"a": 1.0, "b": 2.5}}
SAMPLING = "--sampling pb:9,3 --binary pairwise --numeric ff --seed 3"
SAMPLED = {"sampling": "pb:9,3", "binary": "pairwise", "numeric": "ff", "seed": 3}
UNREAD: dict[str, Any] = {"where": {}, "options": ()}
PLAIN: dict[str, Any] = {**UNREAD, "parameter": {}}
LEARNING = (
    f"{READING} {POLICIES} {SAMPLING} --missing nearest --learner stepwise --preset splconqueror --first 'a * b' "
    "--given-terms g.txt --terms 4 --readable --form sum --scale log --order 2 --set abortError=1 --set x=y=z "
    "--search a=[1,2] --search b=[3] --samples 6 -j 2 --observed C_* --observed D --sum t:a --sum u "
    "--evaluate-on e.csv --validation random:5 --folds 7 --baselines -o m.json --plot p.svg"
)
LEARNED: dict[str, Any] = {
    **READ,
    **RULES,
    **SAMPLED,
    "missing": "nearest",
    "learner": "stepwise",
    "preset": "splconqueror",
    "given_terms": "g.txt",
    "search": ("a=[1,2]", "b=[3]"),
    "samples": 6,
    "jobs": 2,
    "observed": ("C_*", "D"),
    "parts": ("t:a", "u"),
    "evaluate_on": "e.csv",
    "validation": "random:5",
    "folds": 7,
    "baselines": True,
    "output": "m.json",
    "plot": "p.svg",
    "settings": {
        "abortError": "1",
        "x": "y=z",
        "terms": 4,
        "readable": True,
        "form": "sum",
        "scale": "log",
        "order": 2,
        "first": "a * b",
    },
}

# Command line, the workflow that gets the request, and the fields that differ from their defaults.
CASES: list[tuple[str, str, dict[str, Any]]] = [
    ("describe", "describe.run", UNREAD),
    (
        f"describe {READING} --invalid drop --duplicates mean --tree --depth 2 --json",
        "describe.run",
        {**READ, "invalid": "drop", "duplicates": "mean"},
    ),
    ("describe s.xml", "describe.run", {**UNREAD, "argument": "s.xml"}),
    ("describe --system s.xml", "describe.run", {**UNREAD, "system": "s.xml"}),
    ("sample", "sample.run", UNREAD),
    (
        f"sample {SYSTEM} {FILE} {OPTIONS} {COLUMNS} {WHERE} --invalid drop --duplicates mean {SAMPLING} "
        "--extend e.csv "
        "-o o.csv --command --prefix a --postfix b",
        "sample.run",
        {**READ, "nfp": None, "invalid": "drop", "duplicates": "mean", **SAMPLED, "extend": "e.csv", "output": "o.csv"},
    ),
    ("init", "init.run", UNREAD),
    (
        f"init m.csv {SYSTEM} {OPTIONS} {NFP} {COLUMNS} -o o.xml --json",
        "init.run",
        {**READ, "where": {}, "output": "o.xml"},
    ),
    ("learn", "learn.run", {**UNREAD, "settings": {}}),
    (f"learn {LEARNING}", "learn.run", LEARNED),
    (f"learn {LEARNING} --by version", "learn.contexts.run", {**LEARNED, "by": "version"}),
    ("explain m.txt", "explain.run", {**PLAIN, "model": "m.txt"}),
    (
        f"explain m.txt c.csv {READING} {MODEL} --against d.csv --plot p.svg",
        "explain.run",
        {**READ, **MODELS, "model": "m.txt", "configuration": "c.csv", "against": "d.csv", "plot": "p.svg"},
    ),
    ("predict m.txt c.csv", "predict.run", {**PLAIN, "model": "m.txt", "configurations": "c.csv"}),
    (
        f"predict m.txt c.csv {READING} {POLICIES} {MODEL} -o o.csv --interval --extrapolate",
        "predict.run",
        {
            **READ,
            **RULES,
            **MODELS,
            "model": "m.txt",
            "configurations": "c.csv",
            "output": "o.csv",
            "interval": True,
            "extrapolate": True,
        },
    ),
    ("optimize m.txt", "optimize.run", {**PLAIN, "models": ("m.txt",)}),
    (
        f"optimize m.txt n.txt {SYSTEM} {FILE} {OPTIONS} {COLUMNS} {WHERE} {MODEL} --invalid error --duplicates first "
        "--aggregate min --nfp time --property rate --maximize --maximize-only r --maximize-only s --fix a=1 --fix b "
        "--top 4 --limit 5 --plot p.svg",
        "optimize.run",
        {
            **{**READ, "nfp": None},
            "aggregate": "min",
            "invalid": "error",
            "duplicates": "first",
            **MODELS,
            "models": ("m.txt", "n.txt"),
            "properties": ("time", "rate"),
            "maximize": True,
            "maximize_only": ("r", "s"),
            "fix": ("a=1", "b"),
            "top": 4,
            "limit": 5,
            "plot": "p.svg",
        },
    ),
    (
        "compare a.txt b.log",
        "compare.run",
        {**PLAIN, "models": ("a.txt", "b.log"), "at": {}, "fail_below": {}, "fail_above": {}},
    ),
    (
        f"compare a.txt b.log {READING} {POLICIES} {MODEL} --scale 2 --round best --learning all --at n=4 "
        "--no-constant --on ff --measure smape --measure minkowski4 --weights measured --reference second "
        "--intervals 0.9 --seed 3 "
        "--table ranges --table correlations --plot p.svg --view terms "
        "--fail-below a=1 --fail-below b=2 --fail-above c=3",
        "compare.run",
        {
            **READ,
            **RULES,
            **MODELS,
            "models": ("a.txt", "b.log"),
            "scale": 2.0,
            "round": "best",
            "learning": 0,
            "at": {"n": 4.0},
            "constant": False,
            "on": "ff",
            "measures": ("smape", "minkowski4"),
            "weights": "measured",
            "reference": "second",
            "intervals": 0.9,
            "seed": 3,
            "ranges": True,
            "correlations": True,
            "plot": "p.svg",
            "fail_below": {"a": 1.0, "b": 2.0},
            "fail_above": {"c": 3.0},
        },
    ),
    (
        "compare a.txt b.log --round 7 --learning 2 --table intervals",
        "compare.run",
        {
            **PLAIN,
            "models": ("a.txt", "b.log"),
            "at": {},
            "fail_below": {},
            "fail_above": {},
            "round": 7,
            "learning": 2,
            "intervals": 0.95,
        },
    ),
    (
        "calibrate a.txt --free f",
        "calibrate.run",
        {**PLAIN, "analytical": "a.txt", "free": ("f",), "bound": {}},
    ),
    (
        f"calibrate a.txt {READING} {POLICIES} {MODEL} --free f,g --free h --bound f=1..2 --bound g=..3 --weights log "
        "--level 0.5 --folds 4 --seed 3 -o o.toml",
        "calibrate.run",
        {
            **READ,
            **RULES,
            **MODELS,
            "analytical": "a.txt",
            "free": ("f", "g", "h"),
            "bound": {"f": (1.0, 2.0), "g": (None, 3.0)},
            "weights": "log",
            "level": 0.5,
            "folds": 4,
            "seed": 3,
            "output": "o.toml",
        },
    ),
    (
        "convert a.txt -o b.json",
        "convert.run",
        {**PLAIN, "source": "a.txt", "output": "b.json", "at": {}},
    ),
    (
        f"convert a.txt -o b.json {SYSTEM} {NFP} {COLUMNS} {WHERE} {POLICIES} {MODEL} --to log --at n=4",
        "convert.run",
        {
            **READ,
            **RULES,
            **MODELS,
            "measurements": None,
            "options": (),
            "source": "a.txt",
            "output": "b.json",
            "to": "log",
            "at": {"n": 4.0},
        },
    ),
    ("corpus logs", "splc.splconqueror.corpus.corpus.run", {**UNREAD, "root": "logs", "jobs": 6}),
    (
        "corpus logs --systems s -j 2 --property time --context v --ignore i --where version=1 --invalid error "
        "--duplicates error --aggregate median",
        "splc.splconqueror.corpus.corpus.run",
        {
            "root": "logs",
            "systems": "s",
            "jobs": 2,
            "nfp": "time",
            "context": ("v",),
            "ignore": ("i",),
            "where": {"version": "1"},
            "options": (),
            "invalid": "error",
            "duplicates": "error",
            "aggregate": "median",
        },
    ),
    ("scale p.txt", "scale.run", {"profile": "p.txt", "where": {}, "settings": {}, "top": 20, "jobs": 1}),
    (
        "scale p.txt --context v --ignore i --where version=1 --method basic --set a=1 --predict-at p=64,n=2 "
        "--predict-at p=8 --coordinates p,n --scaling strong --inclusive --callpath a --callpath b "
        "--metric t --tree --top 3 "
        "--jobs 2 -o o.json --plot p.svg",
        "scale.run",
        {
            "profile": "p.txt",
            "context": ("v",),
            "ignore": ("i",),
            "where": {"version": "1"},
            "settings": {"a": "1", "method": "basic"},
            "predict_at": ({"p": 64.0, "n": 2.0}, {"p": 8.0}),
            "coordinates": ("p", "n"),
            "scaling": "strong",
            "inclusive": True,
            "callpaths": ("a", "b"),
            "metrics": ("t",),
            "tree": True,
            "top": 3,
            "jobs": 2,
            "output": "o.json",
            "plot": "p.svg",
        },
    ),
    ("measure --command c", "measure.run", {"command": "c", "contexts": {}}),
    (
        f"measure --command c {SAMPLING} --configurations f.csv --property a=time --property b=cpu --cwd d "
        "--env A=1 --env B=2 --context machine=x --timeout 1.5 --repeat 2 --warmup 1 --order random "
        "--max-deviation 0.5 --max-repeat 9 "
        "--batch-by 'a, b' -o o.csv --journal j --resume --retry-failed --backend dask "
        "--scheduler tcp://x --system s.xml",
        "measure.run",
        {
            "command": "c",
            **SAMPLED,
            "configurations": "f.csv",
            "properties": ("a=time", "b=cpu"),
            "cwd": "d",
            "env": ("A=1", "B=2"),
            "contexts": {"machine": "x"},
            "timeout": 1.5,
            "repeat": 2,
            "warmup": 1,
            "order": "random",
            "max_deviation": 0.5,
            "max_repeat": 9,
            "batch_by": ("a", "b"),
            "output": "o.csv",
            "journal": "j",
            "resume": True,
            "retry_failed": True,
            "scheduler": "tcp://x",
            "system": "s.xml",
        },
    ),
    (
        "measure --command c --batch --backend dask",
        "measure.run",
        {"command": "c", "contexts": {}, "batch": True, "scheduler": "local"},
    ),
    ("measure --command c --dry-run", "measure.preview", {"command": "c", "contexts": {}}),
    ("suggest", "suggest.configurations.run", {**UNREAD}),
    (
        f"suggest {READING} {POLICIES} --budget 7 --cost time --goal optimum --maximize --seed 3 -o o.csv",
        "suggest.configurations.run",
        {
            **READ,
            **RULES,
            "budget": 7.0,
            "cost": "time",
            "goal": "optimum",
            "maximize": True,
            "seed": 3,
            "output": "o.csv",
        },
    ),
    (
        "suggest m.csv --count 1",
        "suggest.points.run",
        {"profile": "m.csv", "where": {}, "target": {}, "axis": {}, "count": 1},
    ),
    (
        "suggest m.csv --context v --ignore i --where version=1 --coordinates p,n --callpath a "
        "--callpath b --metric t --cost p --target p=64,n=2 --strategy cheapest --until 5% --budget 9 "
        "--count 2 --axis p=1,2 "
        "--axis n=3 --extend 4 --repetitions 5",
        "suggest.points.run",
        {
            "profile": "m.csv",
            "context": ("v",),
            "ignore": ("i",),
            "where": {"version": "1"},
            "coordinates": ("p", "n"),
            "callpath": ("a", "b"),
            "metric": "t",
            "cost": "p",
            "target": {"p": 64.0, "n": 2.0},
            "strategy": "cheapest",
            "until": 5.0,
            "budget": 9.0,
            "count": 2,
            "axis": {"p": [1.0, 2.0], "n": [3.0]},
            "extend": 4,
            "repetitions": 5,
        },
    ),
    ("run a.a b.a", "splc.splconqueror.run.run", {"scripts": ("a.a", "b.a")}),
    (
        "run a.a --check --preset splconqueror-2019",
        "splc.splconqueror.run.run",
        {"scripts": ("a.a",), "check": True, "preset": "splconqueror-2019"},
    ),
    (
        "run a.a --to-study --preset splconqueror-2019 -o s.toml",
        "splc.splconqueror.run_study.run",
        {"scripts": ("a.a",), "preset": "splconqueror-2019", "output": "s.toml"},
    ),
    ("run a.a --to-study", "splc.splconqueror.run_study.run", {"scripts": ("a.a",)}),
]


@pytest.mark.parametrize(("line", "workflow", "fields"), CASES)
def test_requests(
    line: str, workflow: str, fields: dict[str, Any], run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    """Options are the fields of the request that have their values; the other fields have their defaults."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("joblib.cpu_count", lambda: 6)
    monkeypatch.setattr("splc.cli.commands.suggest.is_about_profile", lambda system, points: bool(points.profile))
    found = []

    def stop(request: Any, *rest: Any, **named: Any) -> None:
        found.append(request)
        raise typer.Exit(7)

    command = module_of(line.split(maxsplit=1)[0])
    workflow = workflow if workflow.startswith("splc.") else f"splc.workflows.{workflow}"
    module, _, name = workflow.rpartition(".")
    by_name = getattr(command, name, None) is getattr(import_module(module), name)
    monkeypatch.setattr(f"{command.__name__}.{name}" if by_name else workflow, stop)
    result = run(*shlex.split(line))
    assert result.exit_code == 7, result.output
    assert found == [import_module(module).Request(**fields)]


def test_every_command_has_a_case() -> None:
    """The request of each command is made by a test, so that an option that is no field of it is found."""
    without = {"study"}
    assert {line.split()[0] for line, *_ in CASES} == set(COMMANDS) - without
