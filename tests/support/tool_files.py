"""Small files as tuners and benchmark tools write them, with what they contain."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class History:
    """A file, and what it contains.

    Attributes:
        text: the file.
        options: the options.
        properties: the properties; the first one is used.
        rows: cells of the options, the contexts and the first property of each row.
        contexts: the contexts.
        failed: the number of runs without a value.
        units: property → its unit.
    """

    text: str
    options: tuple[str, ...]
    properties: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    contexts: tuple[str, ...] = ()
    failed: int = 0
    units: Mapping[str, str] = field(default_factory=dict)


def cache(*, closed: bool = True) -> str:
    """Return a cache of Kernel Tuner, whose last brackets are missing while it runs."""
    entries: list[dict[str, Any]] = [
        {"x": 16, "tile": 1, "time": 3.8, "times": [3.9, 3.8, 3.7], "compile_time": 918.6, "GFLOP/s": 19.5},
        {"x": 16, "tile": 2, "time": 2.5, "times": [2.5], "compile_time": 861.0, "GFLOP/s": 25.5},
        {"x": 32, "tile": 1, "time": "RuntimeFailedConfig", "times": [], "compile_time": 890.0},
        {"x": 32, "tile": 2, "time": 1e20, "compile_time": 890.0},
    ]
    lines = ",\n".join(f'"{each["x"]},{each["tile"]}": {json.dumps(each)}' for each in entries)
    keys = {"device_name": "GPU", "kernel_name": "k", "tune_params_keys": ["x", "tile"], "objective": "time"}
    return f'{json.dumps(keys)[:-1]},\n"cache": {{\n{lines}{"}}" if closed else ","}'


def smac(version: int) -> str:
    """Return a run history of SMAC: lists of lists, lists, or objects."""
    trials: list[Any] = [
        [1, "a", 7, None, 0.5, 1.5, 1],
        [2, "b", 7, None, 0.25, 2.5, 1],
        [2, "a", 7, None, 9e9, 3.5, 3],
    ]
    if version == 1:
        states = {1: "StatusType.SUCCESS", 3: "StatusType.CRASHED"}
        trials = [[each[:4], [*each[4:6], {"__enum__": states[each[6]]}, 1.0, 2.0, {}]] for each in trials]
    elif version == 2:
        trials = [[*each, 1.0, 2.0, {}] for each in trials]
    else:
        names = ("config_id", "instance", "seed", "budget", "cost", "time", "status")
        trials = [dict(zip(names, each, strict=True)) for each in trials]
    configs = {"1": {"alpha": 0.5, "kind": "x"}, "2": {"alpha": 2.0, "kind": "y"}}
    return json.dumps({"stats": {}, "data": trials, "configs": configs, "config_origins": {"1": "Default"}})


def table(*rows: Sequence[object], separator: str = ",") -> str:
    """Return a CSV table."""
    text = io.StringIO()
    csv.writer(text, delimiter=separator).writerows(rows)
    return text.getvalue()


JMH = ("Benchmark", "Mode", "Threads", "Samples", "Score", "Score Error (99,9%)", "Unit", "Param: n")
T4 = [
    {"configuration": {"x": 1}, "times": {"runtimes": [2.0, 2.5]}, "invalidity": "correct"},
    {
        "configuration": {"x": 2},
        "invalidity": "correct",
        "measurements": [{"name": "time", "value": 1.5, "unit": "ms"}, {"name": "power", "value": 90, "unit": "W"}],
    },
    {"configuration": {"x": 3}, "invalidity": "compile", "measurements": [{"name": "time", "value": "", "unit": "ms"}]},
]
PYPERF = {
    "benchmarks": [
        {"metadata": {"name": f"sort[n={n}]"}, "runs": [{"warmups": [[1, 9.0]]}, {"values": [n / 8, n / 4]}]}
        for n in (1, 2)
    ],
    "metadata": {"unit": "second"},
    "version": "1.0",
}
COMMANDS = {
    "benchmarks": [
        {"metadata": {"name": "c", "command": f"zip -{n} f"}, "runs": [{"values": [n / 2]}]} for n in (1, 9)
    ],
    "version": "1.0",
}
ASV = {
    "commit_hash": "0a",
    "params": {"machine": "m"},
    "result_columns": ["result", "params", "version", "samples"],
    "results": {
        "bench.S.time_x": [
            [0.5, None, 0.25, 0.125],
            [["1", "2"], ["'a'", "'b'"]],
            "v",
            [[0.5, 0.75], None, None, None],
        ],
        "bench.S.peakmem_x": [[1024], [["1"]], "v"],
    },
    "version": 2,
}
CACHE_ROWS = [("16", "1", time) for time in ("3.9", "3.8", "3.7")] + [("16", "2", "2.5")]
CACHE = History(cache(), ("x", "tile"), ("time", "GFLOP/s"), CACHE_ROWS, failed=2)
SMAC = History(
    smac(1),
    ("alpha", "kind"),
    ("cost", "time"),
    [("0.5", "x", "a", "0.5"), ("2", "y", "b", "0.25")],
    ("instance",),
    failed=1,
)
FILES = {
    "Kernel Tuner": CACHE,
    "Kernel Tuner, running": History(cache(closed=False), *list(vars(CACHE).values())[1:]),
    "T4": History(
        json.dumps({"results": T4, "schema_version": "1.0.0"}),
        ("x",),
        ("time", "power"),
        [("1", "2"), ("1", "2.5"), ("2", "1.5")],
        failed=1,
        units={"time": "ms", "power": "W"},
    ),
    **{f"SMAC {at}": History(smac(at), *list(vars(SMAC).values())[1:]) for at in (1, 2, 3)},
    "pyperf": History(
        json.dumps(PYPERF),
        ("n",),
        ("time",),
        [("1", "sort", "0.125"), ("1", "sort", "0.25"), ("2", "sort", "0.25"), ("2", "sort", "0.5")],
        ("benchmark",),
        units={"time": "s"},
    ),
    "pyperf command": History(
        json.dumps(COMMANDS), ("word2",), ("time",), [("1", "0.5"), ("9", "4.5")], units={"time": "s"}
    ),
    "asv": History(
        json.dumps(ASV),
        ("arg1", "arg2"),
        ("time", "bytes"),
        [
            *(("1", "a", "bench.S.time_x", time) for time in ("0.5", "0.75")),
            *(
                (*arguments, "bench.S.time_x", time)
                for arguments, time in ((("2", "a"), "0.25"), (("2", "b"), "0.125"))
            ),
            ("1", "", "bench.S.peakmem_x", ""),
        ],
        ("benchmark",),
        failed=1,
        units={"time": "s", "bytes": "B"},
    ),
    "DeepHyper": History(
        table(
            ("p:x", "p:kind", "objective", "job_id", "m:timestamp_submit", "m:size"),
            (1, "a", -2.5, 0, 1.0, 3),
            (2, "b", "F_timeout", 1, 2.0, 3),
            (3, "a", -0.5, 2, 3.0, 4),
        ),
        ("x", "kind"),
        ("cost", "size"),
        [("1", "a", "2.5"), ("3", "a", "0.5")],
        failed=1,
    ),
    "ytopt": History(
        table(("p0", "p1", "objective", "elapsed_sec"), (1, "a", 2.5, 9.5), (2, "b", 1.5, 19.5)),
        ("p0", "p1"),
        ("objective",),
        [("1", "a", "2.5"), ("2", "b", "1.5")],
    ),
    "JMH": History(
        table(
            JMH,
            ("a.B.put", "avgt", 1, 5, "0,5", "0,1", "ms/op", 10),
            ("a.B.put:·gc.count", "avgt", 1, 5, "7", "", "counts", 10),
            ("a.B.put", "thrpt", 1, 5, "2,5", "NaN", "ops/us", 10),
        ),
        ("n",),
        ("time", "gc.count", "throughput"),
        [("10", "a.B.put", "avgt", "0.0005"), ("10", "a.B.put", "thrpt", "")],
        ("benchmark", "mode"),
        units={"time": "s", "throughput": "1/s"},
    ),
    "JMH with ;": History(
        table(JMH, *(("a.B.put", "avgt", n, 5, "0,5", "0,1", "s/op", 10) for n in (1, 2)), separator=";"),
        ("n", "threads"),
        ("time",),
        [("10", "1", "a.B.put", "0.5"), ("10", "2", "a.B.put", "0.5")],
        ("benchmark",),
        units={"time": "s"},
    ),
    "Optuna": History(
        table(("number", "value", "params_x", "state"), (0, 1.5, 1, "COMPLETE"), (1, "", 2, "FAIL")),
        ("x",),
        ("value",),
        [("1", "1.5")],
        failed=1,
    ),
}
