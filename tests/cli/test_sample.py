"""`splc sample --extend`, and validation sets of `splc learn`."""

from __future__ import annotations

from pathlib import Path

import pytest

from splc.formats.measurements import configurations
from splc.workflows import learn
from tests.cli.conftest import Run
from tests.support.real_data import real


@pytest.mark.real_data
def test_a_file_of_measurements_is_extended(run: Run, folder: Path) -> None:
    """Measurements in XML are extended, too."""
    (folder / "system.xml").write_bytes(real("x264", "FeatureModel.xml").read_bytes())
    file = str(real("x264", "measurements.xml"))
    result = run("sample", "--sampling", "covering:2", "--extend", file)
    assert len(result.stdout.splitlines()) == 1
    assert "the existing sample lacks nothing" in result.stderr


def test_the_validation_set_is_disjoint_from_the_learning_set(folder: Path) -> None:
    """No configuration is in both, also where sampled configurations are replaced by the nearest measured ones."""
    lines = (folder / "measurements.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "measurements.csv").write_text("".join(lines[:1] + lines[3:]), encoding="utf-8")
    for missing in ("drop", "nearest"):
        request = learn.Request(
            nfp="energy", sampling="all+random:2", validation="all+ff", missing=missing, write=False, seed=3
        )
        found = learn.run(request)
        assert found.evaluated is not None
        assert found.evaluated.learned_from == 0
        assert found.evaluated.configurations + len(found.rows) <= 8


def test_large_tables_are_written_piece_by_piece(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pieces in which a large table is written make no difference."""
    whole = run("sample", "--sampling", "all+ff").stdout
    monkeypatch.setattr(configurations, "CELLS", 8)
    assert run("sample", "--sampling", "all+ff").stdout == whole
