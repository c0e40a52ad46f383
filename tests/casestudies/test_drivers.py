"""The drivers that measure hypre: counts against committed measurements, hypre's own drivers as oracles, bad input.

Skipped where mpicc, mpirun or hypre are missing; casestudies/drivers/README.md names the packages.
"""

from __future__ import annotations

import csv
import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from io import StringIO
from pathlib import Path

import pytest

from casestudies.counts.counting import count, plans, ranks_of
from splc.io.files import read_source
from tests.support.golden_messages import Lines, check_calls
from tests.support.objects import present
from tests.support.paths import CASES

# Ranks that wait for each other spin.
pytestmark = pytest.mark.slow
DRIVERS = CASES / "drivers"
# What the counts of BoomerAMG are exact for: another version may coarsen differently.
COUNTED_VERSION = "2.26.0"

Rows = list[dict[str, str]]


def environment() -> dict[str, str]:
    """Return the environment for MPI programs, which do not start as root unless they are told to."""
    own = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    # Most tests take as long as starting does: start no daemon beside a lone process, and do not look for networks.
    own |= {"OMPI_MCA_ess_singleton_isolated": "1", "OMPI_MCA_pml": "ob1"}
    if os.geteuid() == 0:
        own |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return own


def call(
    command: Sequence[str | Path], ranks: int, stdin: str = "", folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a program on so many ranks; on one without mpirun, which waits for two seconds where one fails."""
    mpirun = ["mpirun", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-n", str(ranks)]
    return subprocess.run(
        [*(mpirun if ranks > 1 else []), *map(str, command)],
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=environment(),
        cwd=folder,
    )


def rows_of(text: str) -> Rows:
    """Return the rows of a CSV table."""
    return list(csv.DictReader(StringIO(text)))


def measured(program: Path, ranks: int, table: str, *options: str) -> Rows:
    """Return what a driver prints that has nothing to complain about."""
    done = call([program, "--warmup", "0", *options], ranks, table)
    assert (done.returncode, done.stderr) == (0, "")
    return rows_of(done.stdout)


def counts(row: Mapping[str, str], names: Sequence[str]) -> list[float]:
    """Return some numbers of a row."""
    return [float(row[name]) for name in names]


@cache
def hypre_version() -> str:
    """Return the version of the hypre that is installed."""
    text = Path("/usr/include/hypre/HYPRE_config.h").read_text(encoding="utf-8")
    found = re.search(r'HYPRE_RELEASE_VERSION "([^"]*)"', text)
    return found[1] if found else ""


@pytest.fixture(scope="session")
def drivers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the drivers; skip where what they need is missing, fail where they do not compile cleanly."""
    for program in ("make", "mpirun"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")
    build = tmp_path_factory.mktemp("drivers")
    make = ["make", "-C", str(DRIVERS), f"BUILD={build}"]
    packages = subprocess.run([*make, "packages"], capture_output=True, text=True, check=False)
    if packages.returncode != 0:
        pytest.skip(packages.stderr.splitlines()[0])
    built = subprocess.run([*make, "-j2"], capture_output=True, text=True, check=False)
    assert (built.returncode, built.stderr) == (0, "")
    return build


def test_make_says_which_packages_are_missing(tmp_path: Path) -> None:
    """Without a compiler make names what is missing and how to install it, and builds nothing."""
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    command = ["make", "-C", str(DRIVERS), f"BUILD={tmp_path}", "MPICC=no-such-compiler"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "missing: no-such-compiler" in done.stderr
    assert "apt-get install" in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("program", "table", "ranks", "iterations", "residual"),
    [
        pytest.param("smg", "px,py,pz,nx\n1,1,1,40", 1, 6, 6.3e-7, marks=pytest.mark.slow),
        pytest.param("smg", "px,py,pz,nx\n2,1,1,40", 2, 6, None, marks=pytest.mark.slow),
        ("smg", "px,nx\n1,250000", 1, 1, 1.2e-16),
        ("amg", "px,py,pz,nx\n1,1,1,20", 1, 8, 4.7e-7),
    ],
)
def test_known_solves(
    drivers: Path, program: str, table: str, ranks: int, iterations: int, residual: float | None
) -> None:
    """SMG and BoomerAMG take as many iterations as is known of these problems, to the known residual."""
    (row,) = measured(drivers / program, ranks, table)
    assert int(row["iterations"]) == iterations
    if residual is not None:
        assert float(row["residual"]) == pytest.approx(residual, rel=0.05)


@pytest.mark.parametrize(
    ("dimension", "ranks", "configurations"),
    [
        ("1d", 2, ["2,250000"]),
        pytest.param("2d", 2, ["1,2,50", "2,1,75"], marks=pytest.mark.slow),
        pytest.param("3d", 2, ["2,1,1,4", "1,2,1,6", "1,1,2,8"], marks=pytest.mark.slow),
        pytest.param("3d", 4, ["1,2,2,4", "4,1,1,4"], marks=pytest.mark.slow),
    ],
)
def test_messages_are_those_of_the_measurements(
    drivers: Path, dimension: str, ranks: int, configurations: list[str]
) -> None:
    """SMG sends exactly the messages and bytes that were measured, in every repetition."""
    with (CASES / "smg2000" / dimension / "measurements.csv").open(encoding="utf-8") as file:
        known = list(csv.DictReader(file))
    options = [name for name in ("px", "py", "pz", "nx") if name in known[0]]
    table = "\n".join([",".join(options), *configurations])
    rows = measured(drivers / "smg", ranks, table, "--repeat", "2")
    assert [",".join(row[name] for name in options) for row in rows] == configurations * 2
    for row in rows:
        expected = [
            counts(one, ("messages", "bytes")) for one in known if all(one[name] == row[name] for name in options)
        ]
        assert expected
        assert [counts(row, ("messages", "bytes"))] * len(expected) == expected


def test_one_rank_sends_nothing(drivers: Path) -> None:
    """One rank has no other rank to send to."""
    for program in ("smg", "amg"):
        (row,) = measured(drivers / program, 1, "px,py,pz,nx\n1,1,1,6")
        assert counts(row, ("setup_messages", "setup_bytes", "messages", "bytes")) == [0, 0, 0, 0]


def test_the_grid_may_differ_by_dimension(drivers: Path) -> None:
    """Both ny and nz are nx unless the table has columns for them."""
    same = measured(drivers / "amg", 1, "px,py,pz,nx\n1,1,1,5")
    said = measured(drivers / "amg", 1, "px,py,pz,nx,ny,nz\n1,1,1,5,5,5\n1,1,1,5,6,7")
    assert same[0]["residual"] == said[0]["residual"] != said[1]["residual"]


def test_tables_of_other_programs(drivers: Path) -> None:
    """A byte order mark, quotes, blanks, empty lines, carriage returns and 4.0 for 4 do not matter."""
    plain = measured(drivers / "smg", 1, "px,py,nx\n1,1,4\n")
    other = measured(drivers / "smg", 1, '\ufeff"px", py ,nx\r\n\r\n"1",1.0, 4.0\r\n')
    assert counts(plain[0], ("px", "nx", "residual")) == counts(other[0], ("px", "nx", "residual"))
    assert measured(drivers / "smg", 1, "px,nx\n") == []


def test_rows_are_printed_at_once(drivers: Path) -> None:
    """A driver that is killed after its first row has not kept others back: rows do not wait for a full buffer."""
    with subprocess.Popen(
        [drivers / "smg", "--repeat", "1000"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment(),
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("px,py,nx\n1,1,600\n")
        process.stdin.close()
        assert process.stdout.readline().startswith("px,py,nx,setup_seconds")
        assert process.stdout.readline().startswith("1,1,600,")
        process.kill()
        # A block of output holds some 30 rows.
        assert len(process.stdout.readlines()) < 10


def levels_of(drivers: Path, ranks: int, table: str, folder: Path) -> tuple[Rows, Rows]:
    """Return BoomerAMG's table and that of its levels."""
    path = folder / "levels.csv"
    rows = measured(drivers / "amg", ranks, table, "--repeat", "2", "--levels", str(path))
    return rows, rows_of(path.read_text(encoding="utf-8"))


def test_levels_are_what_mpi_says(drivers: Path, tmp_path: Path) -> None:
    """Messages of hypre's communication packages are those that MPI sends; the finest level is the grid."""
    rows, levels = levels_of(drivers, 4, "px,py,pz,nx,ny,nz\n2,2,1,10,10,20\n1,4,1,6,5,4\n", tmp_path)
    assert len(levels) == sum(int(row["levels"]) for row in rows)
    for level in levels:
        p, n, p_hat, n_hat, unknowns = counts(level, ("p", "n", "phat", "nhat", "C"))
        assert float(level["s"]) == pytest.approx(float(level["nnz"]) / unknowns, abs=1e-6)
        assert float(level["shat"]) == pytest.approx(float(level["nnzP"]) / unknowns, abs=1e-6)
        coarsest = int(level["level"]) == int(level["levels"]) - 1
        expected = {
            "smoothing": (0, 0) if coarsest else (p, 8 * n),
            "residual": (0, 0) if coarsest else (p, 8 * n),
            "interpolation": (p_hat, 8 * n_hat),
        }
        for work, per_call in expected.items():
            calls, messages, size = counts(level, (f"{work}_calls", f"{work}_messages", f"{work}_bytes"))
            assert (messages, size) == (calls * per_call[0], calls * per_call[1])
        sweeps, restrictions = counts(level, ("smoothing_calls", "restriction_calls"))
        iterations = float(level["iterations"])
        assert (sweeps, restrictions) == ((iterations, 0) if coarsest else (2 * iterations, iterations))
        if level["level"] == "0":
            px, py, pz, nx, ny, nz = counts(level, ("px", "py", "pz", "nx", "ny", "nz"))
            x, y, z = px * nx, py * ny, pz * nz
            assert unknowns == x * y * z
            assert float(level["nnz"]) == 7 * x * y * z - 2 * (x * y + y * z + z * x)
    first = {row["px"]: counts(row, ("p", "n")) for row in levels if row["level"] == "0"}
    assert first == {"2": [2, 400], "1": [2, 2 * 6 * 4]}  # the faces towards the neighbours of the rank that has most


def test_levels_are_those_of_the_first_measurements(drivers: Path, tmp_path: Path) -> None:
    """Every count of a BoomerAMG hierarchy on four ranks is the one that was measured with another driver."""
    if hypre_version() != COUNTED_VERSION:
        pytest.skip(f"the counts are those of hypre {COUNTED_VERSION}, this is {hypre_version()}")
    rows, levels = levels_of(drivers, 4, "px,py,pz,nx,ny,nz\n2,2,1,10,10,20\n", tmp_path)
    names = ("setup_messages", "setup_bytes", "messages", "bytes", "iterations", "levels", "operator_complexity")
    for row in rows:
        assert counts(row, names) == [2028, 1141804, 2288, 1219680, 10, 5, 2.8052]
    observed = ("C", "nnz", "nnzP", "p", "n", "phat", "nhat", "restriction_bytes", "interpolation_bytes")
    expected = [
        [8000, 53600, 20071, 2, 400, 3, 27, 2080, 2160],
        [3975, 64543, 13795, 3, 419, 3, 71, 5120, 5680],
        [701, 28647, 2510, 3, 193, 3, 16, 1120, 1280],
        [90, 3496, 194, 3, 66, 3, 6, 320, 480],
        [9, 75, 0, 3, 9, 0, 0, 0, 0],
    ]
    assert [counts(level, observed) for level in levels] == expected * 2


@pytest.mark.slow
def test_counting_again_gives_the_same(drivers: Path) -> None:
    """Counts of messages, bytes and levels are those of casestudies/counts, byte for byte."""
    if hypre_version() != COUNTED_VERSION:
        pytest.skip(f"the counts are those of hypre {COUNTED_VERSION}, this is {hypre_version()}")
    for name, plan in plans().items():
        chosen = tuple(each for each in plan.configurations if ranks_of(each) == 2 and each["nx"] in (20, 23, 64, 300))
        found = count(replace(plan, configurations=chosen), drivers)
        for rows, file in zip(found, (f"{name}.csv", f"{name}-levels.csv.gz"), strict=True):
            keys = [[row[option] for option in chosen[0]] for row in rows]
            known = rows_of(read_source(CASES / "counts" / file).text()) if rows else []
            assert [row for row in known if [row[option] for option in chosen[0]] in keys] == rows


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "row", "oracle", "arguments"),
    [
        ("smg", "2,1,1,12,12,12", "struct", "-n 12 12 12 -P 2 1 1 -solver 0 -istart 0 0 0"),
        ("smg", "1,1,2,20,16,10", "struct", "-n 20 16 10 -P 1 1 2 -solver 0 -istart 0 0 0"),
        ("amg", "2,1,1,10,10,10", "ij", "-laplacian -n 20 10 10 -P 2 1 1 -solver 0 -rlx 3 -mxrs 0.9 -tol 1e-6"),
        ("amg", "1,2,1,8,10,12", "ij", "-laplacian -n 8 20 12 -P 1 2 1 -solver 0 -rlx 3 -mxrs 0.9 -tol 1e-6"),
    ],
)
def test_hypres_own_drivers_agree(
    drivers: Path, tmp_path: Path, program: str, row: str, oracle: str, arguments: str
) -> None:
    """The drivers struct and ij of hypre take as many iterations to the same residual, to the last digit they print."""
    source = os.environ.get("HYPRE_SOURCE")
    if source is None:
        pytest.skip("HYPRE_SOURCE does not name the folder src of hypre's source package (apt-get source hypre)")
    test = Path(source) / "test"
    build = ["mpicc", "-w", "-D_GNU_SOURCE", "-I/usr/include/hypre", f"-I{test}", str(test / f"{oracle}.c")]
    subprocess.run([*build, "-o", str(tmp_path / oracle), "-lHYPRE", "-lm"], check=True)
    text = call([tmp_path / oracle, *arguments.split()], 2, folder=tmp_path).stdout
    iterations = re.search(r"Iterations = (\d+)", text)
    residual = present(re.search(r"Final Relative Residual Norm = (\S+)", text))
    (own,) = measured(drivers / program, 2, f"px,py,pz,nx,ny,nz\n{row}\n")
    assert own["iterations"] == present(iterations)[1]
    assert own["residual"] == residual[1]


def test_wrong_tables_and_usage(drivers: Path, tmp_path: Path) -> None:
    """They are exit 2 and nothing on stdout; each mistake in a table is named with its line and column."""

    def refused(*command: str, table: str = "px,py,pz,nx\n1,1,1,4\n") -> Lines:
        done = call([drivers / command[0], *command[1:]], 1, table, folder=tmp_path)
        assert (done.returncode, done.stdout) == (2, "")
        return Lines(done.stderr)

    check_calls("drivers", refused)


def test_a_solve_that_does_not_converge_is_kept_and_told(drivers: Path) -> None:
    """Its row is printed, stderr names the configuration, and the exit code is 1."""
    done = call([drivers / "amg", "--tolerance", "1e-30"], 1, "px,py,pz,nx\n1,1,1,6\n")
    assert done.returncode == 1
    assert [row["iterations"] for row in rows_of(done.stdout)] == ["100"]
    assert done.stderr.startswith("amg: 1,1,1,6, relative residual ")


def test_help(drivers: Path) -> None:
    """--help is on stdout, once, whatever the number of ranks."""
    for program in ("smg", "amg", "benchmark"):
        done = call([drivers / program, "--help"], 2)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.count("Usage: mpirun") == 1
