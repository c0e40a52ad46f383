"""Large inputs: CPU time and memory, as ratios to plain references of the same run.

Run by `make bench`. References are pandas' CSV reader, a fixed loop, and sorting ten million random numbers.
"""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

from benchmarks.yardstick import PEAK, check, cpu, report
from sampling import Space, draw_sample
from sampling.space.analysis import describe
from splc.formats.column_choice import ColumnChoice
from splc.formats.inference import inference_of
from splc.formats.measurements.read import read_measurements
from splc.formats.measurements.tables import read_table
from splc.formats.system.splconqueror_xml import write_variability_model
from splc.system.constraints import parse_boolean
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel


def system_of(binary: int, numeric: int = 0) -> VariabilityModel:
    """Return a system of optional binary options and numeric ones of 16 values."""
    switches = (BinaryOption(f"b{number}", optional=True) for number in range(binary))
    values = tuple(float(value) for value in range(1, 17))
    return VariabilityModel("large", (*switches, *(NumericOption(f"n{number}", values) for number in range(numeric))))


def write_table(folder: Path, binary: int, numeric: int, rows: int, properties: int) -> VariabilityModel:
    """Write a system and random measurements of it, and return the system."""
    system = system_of(binary, numeric)
    rng = np.random.default_rng(0)
    indices = np.hstack([rng.integers(0, 2, (rows, binary)), rng.integers(1, 17, (rows, numeric))])
    values = 10 + indices @ rng.random(binary + numeric) + 2 * indices[:, 0] * indices[:, binary]
    columns = [column.astype(str).tolist() for column in indices.T]
    columns += [
        np.char.mod("%.6f", values * (1 + each) * np.exp(rng.normal(0, 0.02, rows))).tolist()
        for each in range(properties)
    ]
    header = [*system.names, *(f"p{each}" for each in range(properties))]
    lines = [",".join(header), *map(",".join, zip(*columns, strict=True))]
    (folder / "measurements.csv").write_text("\n".join(lines) + "\n")
    write_variability_model(system, folder / "system.xml")
    return system


def splc(folder: Path, *arguments: str) -> tuple[float, float]:
    """Run a command in a folder; return its CPU seconds and its peak memory in MB."""
    code = f"import sys; from splc.cli import main\ntry: main()\nfinally: print({PEAK}, file=sys.stderr)"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=folder, capture_output=True, text=True, check=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, float(done.stderr.split()[-1])


def reading_by_pandas(file: Path) -> float:
    """Return the CPU seconds in which pandas reads a table, the least of three."""
    return min(cpu(lambda: pandas.read_csv(file)) for _ in range(3))


def write_plain_table(file: Path, kind: str) -> None:
    """Write 10^6 rows of 20 columns without a description: options, then a time with 5 % noise.

    Of 2^20 configurations about 644,000 are measured. `kind`: of the binary columns, `bits`, `words` or `texts`; texts
    are alternative groups of four values instead of two binary options.
    """
    rng = np.random.default_rng(1)
    bits, rows = rng.integers(0, 2, (18, 1_000_000)), np.arange(1_000_000)
    sizes = rng.integers(0, 2, (2, len(rows)))
    total = 10 + np.arange(18) % 5 @ bits + 2.0 ** sizes.sum(axis=0)
    columns: dict[str, Any] = {}
    if kind == "texts":
        names = np.array(["fast", "slow", "auto", "none"], dtype=object)
        columns = {f"mode_{letter}": names[2 * bits[at] + bits[at + 1]] for at, letter in ((0, "a"), (2, "b"))}
        bits = bits[4:]
    words = np.array([0, 1] if kind != "words" else ["no", "yes"], dtype=object)
    columns |= {f"b{at:02}": words[bit] for at, bit in enumerate(bits)}
    columns |= {f"n{at}": 2**size for at, size in enumerate(sizes)}
    columns["time"] = (total * (1 + 0.05 * rng.standard_normal(len(rows)))).round(4)
    pandas.DataFrame(columns).to_csv(file, index=False)


@pytest.mark.parametrize("kind", ["bits", "words", "texts"])
def test_learning_from_a_plain_table(tmp_path: Path, kind: str) -> None:
    """10^6 rows without a description: ratios of reading, and of `splc learn`, to pandas' reading, and at most 1 GB."""
    file = tmp_path / "measurements.csv"
    write_plain_table(file, kind)
    options = ["--options", "mode_a,mode_b"] if kind == "texts" else []
    reference = reading_by_pandas(file)
    choice = ColumnChoice(options=tuple(options[-1].split(",")) if options else ())
    reading = min(cpu(lambda: inference_of(read_table(str(file)), nfp="time", choice=choice)) for _ in range(3))
    check(f"reading and roles of 10^6 rows, {kind}", reading, pandas=reference)
    seconds, memory = splc(tmp_path, "learn", file.name, *options)
    check(f"splc learn of 10^6 rows, {kind}", seconds, pandas=reference)
    assert reading < 10 * reference
    assert memory < 1000


def test_reading_of_a_large_table(tmp_path: Path) -> None:
    """216,000 rows of 47 columns are read in at most 2.5 times the time of pandas."""
    system = write_table(tmp_path, 30, 14, 216_000, 3)
    file = tmp_path / "measurements.csv"
    reference = reading_by_pandas(file)
    seconds = min(cpu(lambda: read_measurements(file, system)) for _ in range(3))
    check("reading 216,000 x 47", seconds, pandas=reference)
    assert seconds < 2.5 * reference


@pytest.fixture(scope="module")
def million(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with measurements of 10^6 rows and 20 options."""
    folder = tmp_path_factory.mktemp("million")
    write_table(folder, 14, 6, 1_000_000, 1)
    (folder / "expert.txt").write_text("11 + 1.6 * b0 + 2 * b1 + 2 * b0 * n0 + 0.14 * n2 + 3.9 * log10(n1)^2\n")
    return folder


def test_learning_from_a_million_rows(million: Path) -> None:
    """`splc learn` with a description keeps its ratio to pandas' reading, and takes at most 1 GB."""
    seconds, memory = splc(million, "learn")
    reference = reading_by_pandas(million / "measurements.csv")
    check("splc learn of 10^6 rows and a description", seconds, pandas=reference)
    assert memory < 1000


def test_comparing_on_a_million_rows(million: Path) -> None:
    """`splc compare` keeps its ratio to pandas' reading."""
    seconds, _ = splc(million, "compare", "expert.txt", "expert.txt")
    check("splc compare on 10^6 configurations", seconds, pandas=reading_by_pandas(million / "measurements.csv"))


def test_describing_many_options(tmp_path: Path) -> None:
    """A system of 10^5 options is described in at most 10 s of CPU."""
    write_variability_model(system_of(100_000), tmp_path / "system.xml")
    seconds, memory = splc(tmp_path, "describe")
    report(f"splc describe of 10^5 options ({memory:.0f} MB)", seconds)
    assert seconds < 10
    assert memory < 1000


def test_pairs_of_many_options(tmp_path: Path) -> None:
    """A pairwise sample of 1,000 options takes at most 60 s of CPU and 1 GB."""
    write_variability_model(system_of(1000), tmp_path / "system.xml")
    seconds, memory = splc(tmp_path, "sample", "--sampling", "pairwise", "-o", "sample.csv")
    report(f"pairwise sample of 1,000 options ({memory:.0f} MB)", seconds)
    assert seconds < 60
    assert memory < 1000


def test_draws_of_many_clauses() -> None:
    """1,000 options with 500 random clauses of three: approximately uniform draws in at most 10 s of CPU."""
    rng = np.random.default_rng(0)
    bare = system_of(1000)
    texts = (
        " | ".join(("!" if rng.random() < 0.5 else "") + f"b{at}" for at in rng.choice(1000, 3, replace=False))
        for _ in range(500)
    )
    system = VariabilityModel("clauses", bare.options, tuple(parse_boolean(text, bare.name_table) for text in texts))
    space = Space(system)
    assert describe(space).count is None
    seconds = cpu(lambda: draw_sample(system, "random:250", space=space))
    report("250 approximately uniform draws of 1,000 options and 500 clauses", seconds)
    drawn = draw_sample(system, "random:250", space=space)
    print(drawn.notes[0])
    assert space.check(drawn.configurations).all()
    assert seconds < 10
