"""Trees of logs."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from casestudies.published_logs import logs as published_logs
from casestudies.published_logs.learnings import Recomputed
from casestudies.published_logs.log_errors import ALL_VALUES, WITHOUT_SMALL, LogErrors
from casestudies.published_logs.log_learnings import learnings_of
from casestudies.published_logs.logs import Request, run
from casestudies.published_logs.systems import SystemFolder, system_of
from splc import read_measurements, read_variability_model
from splc.formats.models.log_writer import learned_log_text
from splc.io.files import read_source
from splc.learning import learn
from splc.learning.learner import round_errors
from tests.learning.conftest import measured
from tests.support.log_trees import write_log_tree
from tests.support.real_data import DATA, real

NAMES = ("Dune_solvBased_t1", "LLVM_distBased_t3", "x264_rand_t2", "x264_twise", "x264_twise_t1")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return a tree of published logs, one folder per system, without their systems."""
    for name in NAMES:
        source = real("splc_logs", f"{name}.log")
        folder = tmp_path / "logs" / name.partition("_")[0] / f"{name.partition('_')[0]}_3"
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, folder / f"out_{name.partition('_')[2]}.log")
    return tmp_path / "logs"


def request(tree: Path, **further: object) -> Request:
    """Return a request with the real systems."""
    return Request(**{"root": str(tree), "systems": str(DATA), **further})  # type: ignore[arg-type]


def by_name(found: published_logs.Result) -> dict[str, Recomputed]:
    """Return file name → learning."""
    return {Path(each.file).stem: each for each in found.learnings}


@pytest.mark.real_data
def test_published_errors_are_recomputed(tree: Path) -> None:
    """Every error that the published logs state is that of its model, and the table has the last and the best one.

    The number of finished logs grows to that of all logs; the number of processes changes nothing.
    """
    calls: list[tuple[int, int, str]] = []
    found = run(request(tree), on_progress=lambda *call: calls.append(call))
    whole = [call for call in calls if call[2].endswith("logs")]
    assert whole == sorted(whole)
    assert whole[-1] == (5, 5, "5 of 5 logs")
    two = run(request(tree, jobs=2))
    assert (two.learnings, two.cells) == (found.learnings, found.cells)
    assert (found.logs, len(found.learnings), found.failures, found.differing) == (5, 4, (), 0)
    assert [Path(each).name for each in found.switches] == ["out_twise.log"]
    assert sum(each.checked for each in found.learnings) == 9
    dune = by_name(found)["out_solvBased_t1"]
    assert (dune.system, dune.strategy, dune.size, dune.rounds) == ("Dune", "satoutput", 25, 3)
    assert dune.stated == 24.831349741678
    assert dune.error == pytest.approx(dune.stated, rel=1e-12)
    assert dune.best == pytest.approx(dune.best_stated, rel=1e-12) == pytest.approx(22.2876325967834)
    assert dune.best_round == 1
    assert [(each.system, each.strategy, each.size) for each in found.cells] == [
        ("Dune", "satoutput", 25),
        ("LLVM", "distribution-aware", 165),
        ("x264", "random", 65),
        ("x264", "twise", 12),
    ]


@pytest.mark.real_data
def test_unreadable_logs_are_listed_beside_the_others(tree: Path) -> None:
    """Logs of unknown systems, damaged and empty ones, wrong models and unreadable bytes are failures, not crashes."""
    folder = tree / "x264" / "x264_3"
    text = (folder / "out_rand_t2.log").read_text()
    (folder / "empty.log").write_text("")
    (folder / "bytes.log").write_bytes(bytes(range(256)) * 9)
    (folder / "names.log").write_text(text.replace("ref_1", "ref_77"))
    (folder / "fields.log").write_text(text.replace(";1;", ";one;"))
    (folder / "property.log").write_text(text.replace("nfp Performance", "nfp Size"))
    (tree / "other.log").write_text(text)
    found = run(request(tree))
    reasons = {Path(each.file).name: each.reason for each in found.failures}
    assert set(reasons) == {"empty.log", "bytes.log", "names.log", "fields.log", "property.log", "other.log"}
    assert "unknown name 'ref_77'" in reasons["names.log"]
    assert reasons["names.log"].startswith("line ")
    assert "not a number" in reasons["fields.log"]
    assert "'Size' was not measured" in reasons["property.log"]
    assert "no system description for this log" in reasons["other.log"]
    assert len(found.learnings) == 4


@pytest.mark.real_data
def test_own_logs_and_statistics(tmp_path: Path) -> None:
    """Logs of ours are recomputed, and strategies with several learnings are compared."""
    x264 = measured("x264")
    rng = np.random.default_rng(0)
    for number in range(8):
        everything = number % 2
        rows = rng.permutation(1152 if everything else 200)[:40]
        result = learn(x264, "Performance", "splconqueror-2019", learning_set=rows)
        text = learned_log_text(result, test_errors=round_errors(result))
        draw = f"command: binary {'random' if everything else 'satoutput'} numConfigs:40 seed:{number}\n"
        text = re.sub("^command: learn", draw + "command: learn", text, count=1, flags=re.MULTILINE)
        (tmp_path / f"x264_{number}.log").write_text(text)
    product = learn(x264, "Performance", settings={"form": "product", "order": 1}, learning_set=np.arange(0, 1152, 12))
    (tmp_path / "x264_product.log").write_text(learned_log_text(product))
    found = run(request(tmp_path))
    assert (found.failures, found.differing) == ((), 0)
    assert by_name(found)["x264_product"].error == pytest.approx(product.of_printed.error_all)
    [test] = found.tests
    assert (test.system, test.size) == ("x264", 40)
    errors: dict[str, list[float]] = {"random": [], "satoutput": []}
    for each in found.learnings:
        if each.strategy in errors and each.error is not None:
            errors[each.strategy].append(each.error)
    assert dict(test.test.medians) == pytest.approx({name: float(np.median(own)) for name, own in errors.items()})
    wins = [(a > b) + (a == b) / 2 for a in errors["random"] for b in errors["satoutput"]]
    assert test.test.pairs[0].a12 == pytest.approx(np.mean(wins))


@pytest.mark.real_data
def test_a_second_request_to_stop_keeps_what_is_finished(tree: Path) -> None:
    """An interruption after a request to stop ends at once with what is finished; one without a request is raised."""
    seen: list[int] = []

    def progress(done: int, total: int, text: str) -> None:
        seen.append(done)
        if done > 1:
            raise KeyboardInterrupt

    found = run(request(tree), progress, lambda: bool(seen and seen[-1] > 1))
    assert found.stopped
    assert 0 < len(found.learnings) < 4
    with pytest.raises(KeyboardInterrupt):
        run(request(tree), progress)


def test_invalid_rows(tmp_path: Path) -> None:
    """Rows that are not valid are left out, and a note says that the program keeps them."""
    write_log_tree(tmp_path, 1, 5, (3, 2), 3)
    assert not run(Request(root=str(tmp_path))).notes
    model = tmp_path / "FeatureModel.xml"
    constraint = "<booleanConstraints><constraint>!enable_option_0</constraint></booleanConstraints></vm>"
    model.write_text(model.read_text().replace("</vm>", constraint))
    found = run(Request(root=str(tmp_path)))
    assert any("program keeps such rows" in str(note) for note in found.notes)
    assert found.differing == 5


def test_the_property_is_inferred_from_the_errors(tmp_path: Path) -> None:
    """A log without a property has the one by which all its errors are right; otherwise `--property` is suggested."""
    write_log_tree(tmp_path, 2, 5, (3, 2), 3, ("Energy", "Performance"))
    for log in (tmp_path / "logs").iterdir():
        log.write_text(log.read_text().replace("command: nfp Performance\n", ""))
    found = run(Request(root=str(tmp_path)))
    assert ([(each.nfp, each.inferred) for each in found.learnings], found.differing) == ([("Energy", True)] * 2, 0)
    assert any("inferred" in str(note) and "Energy" in str(note) for note in found.notes)
    for log in (tmp_path / "logs").iterdir():
        log.write_text(re.sub(r";[0-9.]+$", ";3.5", log.read_text(), flags=re.MULTILINE))
    failures = run(Request(root=str(tmp_path))).failures
    assert len(failures) == 2
    assert all("--property" in each.reason for each in failures)
    assert run(Request(root=str(tmp_path), nfp="Energy")).differing == 10


def test_rules_of_errors(tmp_path: Path) -> None:
    """Errors without values below 1 and on an evaluation set are right by these rules, others by none."""
    write_log_tree(tmp_path, 3, 5, (3, 2), 3)
    table = tmp_path / "measurements.xml"
    lines = table.read_text().splitlines(keepends=True)
    value = next(at for at, line in enumerate(lines) if '"Performance"' in line)
    (tmp_path / "part.xml").write_text("".join([lines[0], *lines[5:41], lines[-1]]))
    lines[value] = re.sub(r">[0-9.]+<", ">0.5<", lines[value])
    table.write_text("".join(lines))
    first, second, third = sorted((tmp_path / "logs").iterdir())
    errors = errors_of(first, tmp_path)
    restate(first, errors[WITHOUT_SMALL])
    restate(second, errors_of(second, tmp_path)[ALL_VALUES])
    third.write_text(
        third.read_text().replace("command: binary", "command: evaluationset ../part.xml\ncommand: binary")
    )
    restate(third, errors_of(third, tmp_path, "part.xml")[ALL_VALUES])
    found = run(Request(root=str(tmp_path)))
    assert [dict(each.rules) for each in found.learnings] == [
        {WITHOUT_SMALL: 5},
        {ALL_VALUES: 5},
        {"evaluation set": 5},
    ]
    assert found.rules == {WITHOUT_SMALL: 5, ALL_VALUES: 5, "evaluation set": 5}
    (tmp_path / "part.xml").unlink()
    assert run(Request(root=str(tmp_path))).differing == 5


def errors_of(log: Path, folder: Path, table: str = "measurements.xml") -> Mapping[str, Mapping[int, float | None]]:
    """Return rule → round → error of a log on a table."""
    measured = read_measurements(folder / table, read_variability_model(folder / "FeatureModel.xml"))
    return LogErrors(measured, "Performance").of(learnings_of(read_source(log))[0], str(log))


def restate(log: Path, errors: Mapping[int, float | None]) -> None:
    """Change the errors that a log states."""
    text = log.read_text()
    log.write_text(
        re.sub(r"^(\d+)(;.*;)[0-9.]+$", lambda line: f"{line[1]}{line[2]}{errors[int(line[1])]}", text, flags=re.M)
    )


def test_the_nearest_folder_names_the_system(tmp_path: Path) -> None:
    """A log is of the system in the nearest folder above it, up to the root, or of that which its path names."""
    root = tmp_path / "logs"
    inner, outer = SystemFolder("later", root / "x264" / "new"), SystemFolder("encoder", root / "x264")
    other = SystemFolder("other", tmp_path)
    dune = SystemFolder("dune", root / "somewhere")
    systems = [inner, outer, other, dune]
    assert system_of(root / "x264" / "new" / "deep" / "one.log", root, systems) is inner
    assert system_of(root / "x264" / "old" / "one.log", root, systems) is outer
    # Folders above the root do not count.
    assert system_of(root / "free" / "one.log", root, systems) is None
    assert system_of(root / "free" / "dune_3.log", root, systems) is dune
    assert system_of(root / "free" / "one.log", root, [other]) is other
