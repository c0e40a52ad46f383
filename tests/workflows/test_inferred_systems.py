"""Systems inferred from tables, compared with their descriptions: options, groups, and the errors of models."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from splc import read_measurements, read_variability_model
from splc.formats.column_choice import ColumnChoice
from splc.formats.inference import inference_of
from splc.formats.measurements.csv import write_measurements_csv
from splc.io.files import read_source
from splc.system.options import NumericOption
from tests.support.real_data import real

SYSTEMS = ["x264", "LLVM", "Dune", "splc_examples"]


def files_of(system: str) -> tuple[Path, Path]:
    """Return the description and the measurements of a system of others."""
    name = "VariabilityModel.xml" if system == "splc_examples" else "FeatureModel.xml"
    return real(system, name), real(system, "measurements.xml")


def table_of(system: str, folder: Path) -> Path:
    """Write the measurements of a system as a plain table."""
    description, measurements = files_of(system)
    table = folder / "table.csv"
    write_measurements_csv(read_measurements(measurements, read_variability_model(description)), table)
    return table


@pytest.mark.real_data
@pytest.mark.parametrize("system", SYSTEMS)
def test_options_and_groups(system: str, tmp_path: Path) -> None:
    """Tables and XML of measured systems give the options and groups of their descriptions, and values that occur.

    Constraints and parents are not inferred.
    """
    description, measurements = files_of(system)
    described = read_variability_model(description)
    configurations = read_measurements(measurements, described).configurations
    for file in (table_of(system, tmp_path), measurements):
        found = inference_of(read_source(file), nfp="Performance").system
        assert set(found.names) == set(described.names)
        for option in found.options:
            assert type(option) is type(described.option(option.name)), option.name
            if isinstance(option, NumericOption):
                assert set(option.values) == set(configurations.value(option.name).tolist())
        groups, known = ({frozenset(group) for group in each.alternative_groups} for each in (found, described))
        assert groups == known
        assert found.mandatory == described.mandatory
        assert len(read_measurements(file, found, duplicates="mean")) > 0


@pytest.mark.real_data
@pytest.mark.parametrize("rows", [40, 100, 400])
@pytest.mark.parametrize("system", SYSTEMS[:3])
def test_samples(system: str, rows: int, tmp_path: Path) -> None:
    """Also some of the rows give the options of the description, and no group that it does not have."""
    lines = table_of(system, tmp_path).read_text(encoding="utf-8").splitlines()
    chosen = np.random.default_rng(rows).permutation(len(lines) - 1)[:rows] + 1
    sample = tmp_path / "sample.csv"
    sample.write_text("\n".join([lines[0], *(lines[at] for at in chosen)]), encoding="utf-8")
    described = read_variability_model(files_of(system)[0])
    found = inference_of(read_source(sample), nfp="Performance").system
    assert set(found.names) == set(described.names)
    for group in found.alternative_groups:
        assert any(set(group) <= set(other) for other in described.alternative_groups), group
    assert len(found.alternative_groups) == len(described.alternative_groups)


@pytest.mark.real_data
def test_named_options_of_a_real_table() -> None:
    """The named columns of a raw table are options; columns that do not vary, and no others, are options as well."""
    source = read_source(real("hypre", "smg2d.csv"))
    choice = ColumnChoice(options=("px", "py", "nx"), ignore=("rep",))
    found = inference_of(source, nfp="solve_s", choice=choice)
    varying = [option.name for option in found.system.numeric_options if option.size > 1]
    assert varying == ["px", "py", "nx"]
    assert found.contexts == ("bench",)


@pytest.mark.slow
@pytest.mark.real_data
def test_large_table() -> None:
    """The options of a table of 86,058 rows have the names of its description, whichever property is named."""
    described = read_variability_model(real("exastencils", "FeatureModel.xml"))
    source = read_source(real("exastencils", "SS-X.csv.gz"))
    for nfp in (None, "Compile-performance-"):
        found = inference_of(source, nfp=nfp).system
        assert set(found.names) == set(described.names)
        # An option with the values 0 and 1 may be binary or numeric.
        kinds = {option.name for option in found.numeric_options} ^ {o.name for o in described.numeric_options}
        assert kinds == {"no_explorationId"}
