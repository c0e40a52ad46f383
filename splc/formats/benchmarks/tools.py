"""The benchmark tools whose output is read, and histories of tuners. A new declaration is added to `FORMATS`."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from splc.errors import InputError, Problem, Problems, plural
from splc.formats.benchmarks import declaration, reports
from splc.formats.benchmarks.declaration import ROWS, Benchmark, MeasuredRun, cell, check, content_of, number, table_of
from splc.formats.column_choice import StatedRoles
from splc.formats.table import TableSource
from splc.formats.titles import beside_notes, statistic_rows, title_rows
from splc.io.csv_rows import first_header
from splc.io.files import MAX_UNPACKED, STANDARD, Source, read_source
from splc.io.json import declared, parse_json


@Benchmark("Optuna", rb"(?:,|\"\",)?number,values?(?:_\w+)?,", (b",state", b"params_"), content=ROWS)
def optuna(source: Source, rows: Sequence[Mapping[str, str]]) -> TableSource:
    """Read `study.trials_dataframe().to_csv("study.csv")` of Optuna (https://optuna.org): `params_*` are options."""

    def columns(prefix: str) -> dict[str, str]:
        return {name: name.removeprefix(prefix) for name in rows[0] if name.startswith(prefix)}

    # What the user noted of a trial: numbers were measured, texts say where.
    noted, options = columns("user_attrs_"), columns("params_")
    measured = {name: name for name in rows[0] if name == "value" or name.startswith("values_")} | {
        name: title for name, title in noted.items() if all(number(row[name]) is not None for row in rows if row[name])
    }
    runs = []
    for row in rows:
        is_complete = row.get("state", "COMPLETE").rpartition(".")[2] == "COMPLETE"
        values = {title: number(row[name]) if is_complete else None for name, title in measured.items()}
        contexts = {title: row[name] for name, title in noted.items() if name not in measured}
        runs.append(MeasuredRun({title: row[name] for name, title in options.items()}, values, contexts))
    return table_of(source, runs, hint="the study has no parameters: trial.suggest_int and the like", own=measured)


@Benchmark("Optuna", rb"SQLite format 3\0", (b"trial_params", b"trial_values"))
def optuna_storage(source: Source) -> TableSource:
    """Read the storage of Optuna, a file of SQLite (`sqlite:///study.db`); the study is a context."""
    import sqlite3

    tables = {
        "trials JOIN studies USING (study_id)": "trial_id, study_name, state",
        "trial_params": "trial_id, param_name, param_value, distribution_json",
        "trial_values": "trial_id, objective, value",
    }
    with closing(sqlite3.connect(":memory:")) as storage:
        try:
            storage.deserialize(source.data)
            found = [storage.execute(f"SELECT {columns} FROM {table}").fetchall() for table, columns in tables.items()]
        except sqlite3.Error as error:
            raise InputError(Problem(f"this storage of Optuna cannot be read: {error}", source.name)) from None
    trials, parameters, measured = found
    options: dict[int, dict[str, Any]] = {trial: {} for trial, *_ in trials}
    for trial, name, value, distribution in parameters:
        choices = parse_json(distribution)["attributes"].get("choices")
        options[trial][name] = value if choices is None else choices[int(value)]
    title = "values_{}" if any(objective for _, objective, _ in measured) else "value"
    values = {trial: dict[str, float | None]() for trial, _, state in trials if state == "COMPLETE"}
    for trial, objective, value in measured:
        values.get(trial, {})[title.format(objective)] = value
    runs = [MeasuredRun(options[trial], values.get(trial, {}), {"study": study}) for trial, study, _ in trials]
    return table_of(source, runs, hint="the study has no parameters: trial.suggest_int and the like")


_CACHE = {"tune_params_keys": list[str], "cache": dict[str, dict[str, Any]]}


@Benchmark("Kernel Tuner", rb"\{", (b'"tune_params_keys"', b'"cache"'))
def kernel_tuner_cache(source: Source) -> TableSource:
    """Read a cache file of Kernel Tuner (https://github.com/KernelTuner/kernel_tuner), also while it runs."""
    try:
        content = content_of(source, dict)
    except InputError:
        # The last brackets are missing until the run ends.
        data = source.data
        content = content_of(Source(source.name, data[: data.rfind(b"}") + 1] + b"}}"), dict)
    check(source, content, _CACHE)
    names, main = content["tune_params_keys"], str(content.get("objective") or "time")
    trials = content["cache"].values()
    runs = (run for trial in trials for run in _kernel_runs({name: trial.get(name) for name in names}, trial, main))
    return table_of(source, runs, main=main, hint="the cache has no tunable parameters")


_RESULT = {"measurements": list[dict[str, Any]] | None, "configuration": dict}


@Benchmark("Kernel Tuner", rb"\{", (b'"configuration"', b'"invalidity"'), content={"results": [_RESULT]})
def kernel_tuner_results(source: Source, content: Any) -> TableSource:
    """Read results in the schema T4 of the autotuning community, as Kernel Tuner and others write them."""
    runs, units = list[MeasuredRun](), dict[str, str]()
    for result in content["results"]:
        measured = result.get("measurements") or []
        units |= {str(each.get("name")): str(each["unit"]) for each in measured if each.get("unit")}
        values = {str(each.get("name")): each.get("value") for each in measured}
        times = result.get("times")
        values["times"] = times.get("runtimes") if isinstance(times, dict) else None
        is_correct = result.get("invalidity", "correct") == "correct"
        runs += _kernel_runs(result["configuration"], values if is_correct else {}, "time")
    return table_of(source, runs, main="time", units=units)


_TUNED = {"results": [{"parameters": dict, "time": float | None}]}


@Benchmark("CLBlast", rb"\{", (b'"kernel_family"', b'"best_parameters"'), content=_TUNED)
def clblast(source: Source, content: Any) -> TableSource:
    """Read the file of a tuner of CLBlast (https://github.com/CNugteren/CLBlast), whose times are in ms."""
    runs = (run for result in content["results"] for run in _kernel_runs(result["parameters"], result, "time"))
    return table_of(source, runs, main="time", units={"time": "ms"})


# What Kernel Tuner's own work took; older versions write this time for a configuration that failed.
_OVERHEADS = frozenset(f"{name}_time" for name in ("compile", "verification", "benchmark", "strategy", "framework"))
_FAILED = 1e20


def _kernel_runs(options: Mapping[str, Any], trial: Mapping[str, Any], main: str) -> Iterator[MeasuredRun]:
    """Yield a run for each time of a trial, with its metrics; a failed one if it has none."""
    stated = {name: number(value) for name, value in trial.items() if name not in (*options, *_OVERHEADS)}
    metrics = {name: value for name, value in stated.items() if value is not None}
    if not 0 <= metrics.get(main, metrics.get("time", 0.0)) < _FAILED or isinstance(trial.get(main), str):
        metrics = {}
    times = trial.get("times") if metrics or main not in trial else None
    for time in (times if isinstance(times, list) else None) or [metrics.get("time")]:
        yield MeasuredRun(options, {**metrics, "time": number(time)}, failed=not metrics)


# The entries of a trial in SMAC's lists, and the states that mean success.
_SMAC = ("config_id", "instance", "seed", "budget", "cost", "time", "status", "starttime", "endtime", "additional_info")
_SUCCESS = ("1", "1.0", "StatusType.SUCCESS")


@Benchmark("SMAC", rb"\{", (b'"configs"', b'"config_origins"'), content={"configs": dict[str, Any], "data": list[Any]})
def smac(source: Source, content: Any) -> TableSource:
    """Read `runhistory.json` of SMAC (https://github.com/automl/SMAC3): instance and budget are contexts, not seeds."""
    trials = [_smac_trial(trial, source) for trial in content["data"]]
    contexts = [name for name in ("instance", "budget") if len({str(trial.get(name)) for trial in trials}) > 1]
    takes_time = any(number(trial.get("time")) for trial in trials)
    runs = []
    for trial in trials:
        name = f"{number(trial['config_id']) or 0:.0f}"
        check(source, content["configs"], {name: dict})
        costs = trial["cost"] if isinstance(trial["cost"], list) else [trial["cost"]]
        values = {f"cost_{at}" if len(costs) > 1 else "cost": number(cost) for at, cost in enumerate(costs)}
        values |= {"time": number(trial.get("time"))} if takes_time else {}
        status = trial["status"]
        if str(status.get("__enum__") if isinstance(status, dict) else status) not in _SUCCESS:
            values = dict.fromkeys(values)
        runs.append(MeasuredRun(content["configs"][name], values, {each: trial.get(each) for each in contexts}))
    return table_of(source, runs, hint="the configurations have no parameters")


def _smac_trial(trial: Any, source: Source) -> dict[str, Any]:
    """Return a trial by the names of its entries: an object, a list, or a list of two lists (version 1)."""
    if isinstance(trial, list):
        has_parts = bool(trial) and all(isinstance(part, list) for part in trial[:2])
        values = [value for part in trial for value in part] if has_parts else trial
        # Newer versions state the time of the processor, too.
        names = (*_SMAC[:6], "cpu_time", *_SMAC[6:]) if len(values) > len(_SMAC) else _SMAC
        trial = dict(zip(names, values, strict=False))
    if not isinstance(trial, dict) or not {"config_id", "cost", "status"} <= trial.keys():
        raise InputError(Problem("a trial in 'data' has no config_id, cost and status", source.name))
    return trial


@Benchmark("DeepHyper", rb"(?=[^\n]*\bp:)(?:[^\n]*,)?objective,", content=ROWS)
def deephyper(source: Source, rows: Sequence[Mapping[str, str]]) -> TableSource:
    """Read `results.csv` of DeepHyper, whose columns `p:NAME` are options, and of ytopt: those before `objective`."""
    names = [*rows[0]]
    check(source, rows[0], {"objective": str})
    marked = [name for name in names if name.startswith("p:")]
    metrics = {name: name[2:] for name in names if name.startswith("m:") and "timestamp" not in name}
    values = [number(row["objective"]) for row in rows]
    main, notes = "objective", ["DeepHyper maximises objective: splc optimize --maximize"] if marked else []
    if marked and all(value is None or value < 0 for value in values):
        values, main = [None if value is None else -value for value in values], "cost"
        notes = ["objective is negative in all rows, and DeepHyper maximises it: read as cost, with the other sign"]
    runs = []
    for row, value in zip(rows, values, strict=True):
        options = {name.removeprefix("p:"): row[name] for name in marked}
        # A choice of ytopt that is blank leaves something out, such as a pragma.
        options |= {name: row[name].strip() or "none" for name in names[: 0 if marked else names.index("objective")]}
        measured = {} if value is None else {title: number(row[name]) for name, title in metrics.items()}
        runs.append(MeasuredRun(options, {main: value, **measured}))
    return table_of(source, runs, main=main, notes=notes, own={"objective": main, **metrics})


ytopt = replace(deephyper, tool="ytopt", begins=rb"[^\n]+,objective,elapsed_sec\b")


@Benchmark("", rb"\[\s*\{", content=[dict])
def records(source: Source, rows: Iterable[Mapping[str, Any]], **facts: Any) -> TableSource:
    """Read a JSON list of objects, as `DataFrame.to_json(orient="records")` writes it; `a.b` is in an object `a`."""
    flat = [dict(_entries(row)) for row in rows]
    names = list(dict.fromkeys(name for row in flat for name in row))
    return TableSource.of_rows(source, names, [[cell(row.get(name)) for name in names] for row in flat], **facts)


def _entries(row: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in row.items():
        if isinstance(value, dict):
            yield from _entries(value, f"{above}{name}.")
        elif value not in (None, []):
            yield f"{above}{name}", value


# Extra-P's JSON lines state parameters.
@Benchmark("", rb'\{(?![^\n]*"param(?:s|eters)"\s*:)[^\n]*\}\s*\n\s*\{')
def json_lines(source: Source) -> TableSource:
    """Read JSON lines: an object in each line; otherwise as `records`."""
    rows = dict(declaration.objects_of(source, problems := Problems(source.name)))
    problems.raise_if_any()
    assert records.table is not None
    return records.table(source, rows.values(), lines=[0, *rows])


@Benchmark("", rb"PK\x03\x04", (b"xl/workbook.xml",))
def excel(source: Source) -> TableSource:
    """Read the first sheet of a workbook."""
    if find_spec("openpyxl") is None:
        raise _missing(source, "an Excel workbook", "openpyxl", "excel")
    # Imported here, since every command imports the declarations.
    zipfile, openpyxl = import_module("zipfile"), import_module("openpyxl")
    try:
        with zipfile.ZipFile(io.BytesIO(source.data)) as archive:
            if sum(member.file_size for member in archive.infolist()) > MAX_UNPACKED:
                raise ValueError(f"it decompresses to more than {MAX_UNPACKED:,} bytes")
            book = openpyxl.load_workbook(io.BytesIO(source.data), read_only=True, data_only=True)
            sheet, names = book.worksheets[0], list(book.sheetnames)
            # A whole workbook, which states merged cells, takes much more memory.
            ranges = re.findall(rb'mergeCell [^>]*?ref="([A-Z0-9]+:[A-Z0-9]+)"', archive.read(sheet._worksheet_path))
        rows = dict(enumerate(map(list, sheet.iter_rows(values_only=True)), 1))
        merged = [openpyxl.utils.range_boundaries(text.decode()) for text in ranges]
    except Exception as error:
        # openpyxl reports damaged files by errors of many kinds.
        raise InputError(Problem(f"the workbook cannot be read: {error}", source.name)) from None
    rows = {line: row for line, row in rows.items() if any(value is not None for value in row)}
    if not rows:
        raise InputError(Problem(f"the sheet {names[0]!r} is empty", source.name))
    before, after = title_rows([*rows.values()]), statistic_rows([*rows.values()])
    lines = [*rows][before : len(rows) - after]
    header = lines[0]
    for left, top, right, bottom in merged:
        # Merged titles are one text, and a name is no unit below it; one above the header is its name.
        below = range(max(top, header), bottom + 1) if top > header or top < header == bottom else ()
        for row in (rows[line] for line in below if line in rows and len(rows.get(top, ())) >= left):
            row[left - 1 : right] = [rows[top][left - 1]] * len(row[left - 1 : right])
    width = max(at for at, value in enumerate(rows[header]) if value is not None) + 1 if any(rows[header]) else 0
    notes = [f"only the first sheet, {names[0]!r}, is read"] if len(names) > 1 else []
    notes += beside_notes(header - 1, after)
    cells = _texts(rows[header][:width], (rows[line][:width] for line in lines[1:]))
    return TableSource.of_rows(source, *cells, notes=notes, lines=lines)


@Benchmark("", rb"PAR1")
def parquet(source: Source) -> TableSource:
    """Read a Parquet file with pyarrow, polars or pandas, whichever is installed."""
    readers: dict[str, Callable[[io.BytesIO], Mapping[str, Sequence[Any]]]] = {
        "pyarrow": lambda data: import_module("pyarrow.parquet").read_table(data).to_pydict(),
        "polars": lambda data: import_module("polars").read_parquet(data).to_dict(as_series=False),
        "fastparquet": lambda data: import_module("pandas").read_parquet(data).to_dict(orient="list"),
    }
    if (read := next((read for name, read in readers.items() if find_spec(name) is not None), None)) is None:
        raise _missing(source, "a Parquet file", "pyarrow, polars or pandas", "parquet")
    try:
        columns = read(io.BytesIO(source.data))
    except Exception as error:
        # Each library has errors of its own.
        raise InputError(Problem(f"the Parquet file cannot be read: {error}", source.name)) from None
    columns = {name: values for name, values in columns.items() if name != "__index_level_0__"}
    return TableSource.of_rows(source, *_texts([*columns], zip(*columns.values(), strict=True)))


def _texts(header: Sequence[Any], rows: Any) -> tuple[list[str], Iterator[list[str]]]:
    def text(value: Any) -> str:
        return cell(value) if value is None or isinstance(value, bool | int | float | str) else str(value)

    return [*map(text, header)], ([*map(text, row)] for row in rows)


def _missing(source: Source, content_kind: str, package: str, extra: str) -> InputError:
    return InputError(Problem(f"{content_kind} needs {package}", source.name, hint=f"pip install 'splc[{extra}]'"))


# The journal of `splc measure` (`splc.measuring.journal`): one JSON object per line.
_JOURNAL, _PLAN = ".journal", b'{"kind":"plan"'


@Benchmark("", rb'\{"kind":"plan",', (b'"properties"',))
def journal(source: Source) -> TableSource:
    """Read the successful runs of a journal, in the order of the configurations; the last result of a run counts."""
    plan, runs = dict[str, Any](), dict[tuple[int, int], dict[str, Any]]()
    # A record that a crash left incomplete is the last piece, without a line end.
    for at, line in enumerate(source.text().split("\n")[:-1], 1):
        record: dict[str, Any] | None = {} if not line.strip() else None
        with suppress(InputError):
            record = declared(dict, parse_json(line)) if record is None else record
        if record is None:
            hint = "it was changed or damaged after it was written; restore it"
            raise InputError(Problem("this record of the journal is damaged", source.name, at, hint=hint))
        if record.get("kind") == "plan":
            plan = record
        elif record.get("kind") == "run":
            check(source, record, {"row": float, "repetition": float})
            runs[int(record["row"]), int(record["repetition"])] = record
    repetitions = [record for (_, repetition), record in sorted(runs.items()) if repetition >= 0]
    table, measured = _configurations(plan), list[MeasuredRun]()
    for record in (record for record in repetitions if record.get("status") == "ok"):
        row = int(record["row"])
        # The measurement writes them like this in a table.
        is_listed = len(table) > row + 1
        check(source, record, {"values": dict} | ({} if is_listed else {"configuration": dict}))
        options = dict(zip(table[0], table[row + 1], strict=True) if is_listed else record["configuration"])
        # Contexts whose values were measured in turn are columns of the configurations.
        stated = ((name, value, isinstance(value, dict)) for name, value in (plan.get("contexts") or {}).items())
        contexts = {name: options.pop(name, None) if in_turn else value for name, value, in_turn in stated}
        measured.append(MeasuredRun(options, record["values"], contexts))
    failed = len(repetitions) - len(measured)
    notes = (f"{plural(failed, 'failed run is', 'failed runs are')} left out",) if failed else ()
    if not measured:
        raise InputError(Problem("no run in this journal succeeded", source.name))
    return table_of(source, measured, notes=notes)


def with_roles(source: Source) -> Source:
    """Return a table with the roles of its columns, if a readable journal of the same columns is beside it."""
    path = Path(source.name.removesuffix(".gz"))
    path = path.parent / f"{path.stem}{_JOURNAL}"
    if isinstance(source, TableSource) or not path.is_file() or not source.content.strip():
        return source
    plan, columns = dict[str, Any](), list[str]()
    with suppress(InputError, OSError), path.open("rb") as file:
        # The latest description; all other lines, which may be many, are skipped without being decoded.
        *_, latest = b"{}", *(line for line in file if line.startswith(_PLAN))
        plan = declared(dict, parse_json(Source(str(path), latest).text()), {})
        columns = first_header(source.text())
    roles = _roles(plan)
    if roles is None or not {*roles.options, *roles.contexts, *roles.properties} <= {*columns}:
        return source
    notes = [f"the roles of its columns are those of {path}"]
    if "budget" in plan:
        notes.append("a search for the optimum chose its rows: errors are about rows like these, not about random ones")
    return TableSource(source.name, source.data, stated=roles, main=roles.properties[0], notes=tuple(notes))


def _roles(plan: dict[str, Any]) -> StatedRoles | None:
    """Return the roles of the columns of the table of a measurement, None if its description does not state them."""
    contexts = tuple(map(str, plan.get("contexts") or {}))
    columns, stated = plan.get("columns") or next(iter(_configurations(plan)), []), plan.get("properties")
    options = [str(name) for name in columns if name not in contexts] if isinstance(columns, list) else []
    if not (options and isinstance(stated, list) and stated):
        return None
    return StatedRoles(tuple(options), contexts, tuple(str(text).partition("=")[0] for text in stated))


def _configurations(plan: dict[str, Any]) -> list[list[str]]:
    return list(csv.reader(io.StringIO(str(plan.get("table") or ""), newline="")))


_SPACES = b"\xef\xbb\xbf \t\r\n"
_FOLDERS = "folders of asv, Criterion, Hydra's multiruns, and files of a tool called 'level=9,input=text.json' are"
_INSIDE = ("results", "runhistory.json", "results.csv")  # what folders of asv, SMAC and DeepHyper have
_TABLE = "write a CSV table with a row for each"
_CALIPER = "write a list of records: cali-query -j FILE.cali > FILE.json"
_KTT = f"{_TABLE} result: the values of its Configuration, and TotalDuration"
NOT_READ = (
    Benchmark("Caliper", rb"\{", (b'"column_metadata"', b'"nodes"'), export=_CALIPER),
    Benchmark("Caliper", rb"__rec=", export=_CALIPER),
    Benchmark("TAU", rb"[0-9]+ templated_functions", export=f"{_TABLE} run, with its options and what pprof prints"),
    Benchmark("KTT", rb"\{", (b'"TotalDuration"', b'"Configuration"'), export=_KTT),
    Benchmark("AutoTVM", rb"\{", (b'"tvm_version"', b'"entity"'), export=f"{_TABLE} record: entity and costs"),
    Benchmark("Optuna's journal", rb'\{"op_code"\s*:', export='study.trials_dataframe().to_csv("study.csv")'),
    Benchmark("Triton", rb"\{", (b'"configs_timings"',), export=f"{_TABLE} timing: kwargs, num_warps and median"),
)
TUNERS = (kernel_tuner_cache, kernel_tuner_results, clblast, smac, deephyper, ytopt, optuna, optuna_storage)
FORMATS = (*reports.READ, *declaration.READ, *TUNERS, *NOT_READ, excel, parquet, journal, records, json_lines)
TOOLS = tuple(dict.fromkeys(each.tool for each in FORMATS if each.tool and not each.export))


def benchmark_of(source: Source) -> Benchmark | None:
    """Return the format of the output of a benchmark tool, None for other files."""
    data = source.data.lstrip(_SPACES)
    return next((candidate for candidate in FORMATS if candidate.matches(data)), None)


def read_benchmark(path: str | Path | Source) -> Source:
    """Return the output of a benchmark tool (file or folder) as a table with stated roles; others as they are."""
    if isinstance(path, TableSource):
        return path
    if not isinstance(path, Source) and str(path) not in ("", STANDARD) and Path(path).is_dir():
        if (reader := declaration.folder_reader(path)) is None:
            if inside := [file for name in _INSIDE if (file := Path(path) / name).exists()]:
                return read_benchmark(inside[0])
            raise InputError(Problem("this folder is not a table of measurements", str(path), hint=_FOLDERS))
        return reader(Path(path), read_benchmark) if reader is declaration.read_named else reader(Path(path))
    source = path if isinstance(path, Source) else read_source(path)
    if (tool_format := benchmark_of(source)) is not None:
        return tool_format.read(source)
    if re.match(rb'\{\s*("|\}|$)', source.content[:1000].lstrip()):
        message = "this is JSON, but not the output of a benchmark tool that splc reads"
        raise InputError(Problem(message, source.name, hint=f"it reads that of {', '.join(TOOLS)}, and CSV tables"))
    return source
