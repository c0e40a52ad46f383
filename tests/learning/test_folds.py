"""Folds keep rows of one group together, and settings that repeat over versions, machines or inputs are groups."""

from __future__ import annotations

import numpy as np
import pytest

from sampling import sample
from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.errors import LearningError, SpecError
from splc.learning import learn
from splc.learning.folds import Groups, drawn_folds
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.support.objects import present

LEVELS = (1.0, 2.0, 4.0, 8.0)


def system(binary: int, numeric: tuple[int, ...] = (), further: tuple[NumericOption, ...] = ()) -> VariabilityModel:
    """Options b0, b1, …, and n0, n1, … of so many values."""
    options = [BinaryOption(f"b{at}") for at in range(binary)]
    numbers = [NumericOption(f"n{at}", tuple(map(float, range(1, size + 1)))) for at, size in enumerate(numeric)]
    return VariabilityModel("made", (*options, *numbers, *further))


def crossed(settings: int, *further: tuple[str, int], share: float = 1.0, seed: int = 0) -> Configurations:
    """Return random settings of five binary and three numeric options, each with all values of further options."""
    options = tuple(NumericOption(name, tuple(map(float, range(1, size + 1)))) for name, size in further)
    made = system(5, (4, 3, 4), options)
    own = sample(system(5, (4, 3, 4)), f"random:{settings}", seed=seed)
    values = np.array(np.meshgrid(*(option.values for option in options))).reshape(len(options), -1)
    rows, cells = np.repeat(np.arange(settings), values.shape[1]), np.tile(np.arange(values.shape[1]), settings)
    kept = np.random.default_rng(seed).random(len(rows)) < share
    columns = {name: own.column(name)[rows[kept]] for name in own.system.names}
    columns |= {option.name: values[at, cells[kept]] for at, option in enumerate(options)}
    return Configurations.from_columns(made, columns)


def found(configurations: Configurations) -> set[str] | None:
    """Return the options without which settings repeat, None if they do not."""
    groups = Groups.repeated(configurations, np.arange(len(configurations)))
    return None if groups is None else set(configurations.system.names) - set(groups.same)


@pytest.mark.parametrize("number", [2, 5, 8])
def test_folds_keep_groups_together(number: int) -> None:
    """Each group is in one fold; folds have equally many groups (±1); without groups rows are taken in turn."""
    order = np.random.default_rng(number).permutation(60)
    groups = np.random.default_rng(0).integers(0, 17, 60)
    folds = drawn_folds(order, number, groups)
    of_groups = {group: set(folds[groups == group].tolist()) for group in np.unique(groups).tolist()}
    assert all(len(numbers) == 1 for numbers in of_groups.values())
    sizes = np.bincount([min(numbers) for numbers in of_groups.values()], minlength=number)
    assert sizes.max() - sizes.min() <= 1
    assert np.array_equal(drawn_folds(np.arange(60), number), np.arange(60) % number)
    assert np.array_equal(drawn_folds(order, number, np.arange(60)), drawn_folds(order, number))


@pytest.mark.parametrize(
    "spec", ["ff", "pb:9,3", "pb:25,5", "pb:49,7", "ofat:5", "factorial:3", "bbd", "cci", "hyper:40", "dopt:20,k=5"]
)
@pytest.mark.parametrize("sizes", [(10, 10), (8, 8, 8), (4, 5, 6, 7), (20, 3), (3, 3, 3, 3)])
def test_designs_do_not_repeat_settings(spec: str, sizes: tuple[int, ...]) -> None:
    """In a design every option is varied alike: no settings are those that repeat."""
    try:
        drawn = sample(system(0, sizes), spec)
    except SpecError:
        pytest.skip("no such design of these options")
    assert found(drawn) is None


@pytest.mark.parametrize(("binary", "sizes"), [(8, ()), (5, (4, 3)), (3, (10,)), (2, (20,)), (0, (5, 5, 5))])
@pytest.mark.parametrize("share", [0.1, 0.3, 0.6, 1.0])
def test_random_samples_do_not_repeat_settings(binary: int, sizes: tuple[int, ...], share: float) -> None:
    """A random sample of any size is not taken for settings that repeat, nor is the whole space."""
    count = round(share * 2**binary * float(np.prod(sizes)))
    assert found(sample(system(binary, sizes), f"random:{count}", seed=1)) is None


@pytest.mark.parametrize("settings", [10, 30, 60])
@pytest.mark.parametrize("values", [2, 3, 8])
@pytest.mark.parametrize("share", [1.0, 0.8])
def test_settings_that_repeat_are_found(settings: int, values: int, share: float) -> None:
    """Settings repeat over the values of one option, also where some of the rows are missing."""
    assert found(crossed(settings, ("version", values), share=share)) == {"version"}


def test_settings_repeat_over_several_options() -> None:
    """Versions and machines, and columns that a machine determines, vary together within settings."""
    assert found(crossed(30, ("version", 3), ("machine", 2))) == {"version", "machine"}
    rows = crossed(30, ("machine", 4))
    machine = rows.column("machine").astype(int) - 1
    cores, memory = np.array([4.0, 8.0, 8.0, 16.0])[machine], np.array([16.0, 16.0, 32.0, 32.0])[machine]
    described = (NumericOption("cores", (4.0, 8.0, 16.0)), NumericOption("memory", (16.0, 32.0)))
    columns = {name: rows.column(name) for name in rows.system.names if name != "machine"}
    made = system(5, (4, 3, 4), described)
    both = Configurations.from_columns(made, {**columns, "cores": cores, "memory": memory})
    assert found(both) == {"cores", "memory"}


def test_a_full_factorial_with_a_column_that_others_determine_repeats_no_settings() -> None:
    """The number of threads, nodes times threads per node, has no neighbours, but its settings are all measured."""
    options = [NumericOption(name, LEVELS) for name in ("nodes", "per_node")]
    products = tuple(float(2**power) for power in range(7))
    made = VariabilityModel("made", (*options, NumericOption("threads", products), NumericOption("size", LEVELS)))
    nodes, per_node, size = np.array(np.meshgrid(LEVELS, LEVELS, LEVELS)).reshape(3, -1)
    columns = {"nodes": nodes, "per_node": per_node, "threads": nodes * per_node, "size": size}
    assert found(Configurations.from_columns(made, columns)) is None


def seconds(configurations: Configurations) -> Array:
    """Return run times that all options of settings change much, and versions little."""
    column = configurations.column
    work = column("n0") * (1 + 3 * column("b0") * column("n1")) * np.exp(0.6 * column("b1") * column("n2"))
    return np.asarray((work + 5 * column("b2") * column("b3")) * (1 + 0.05 * column("version")))


@pytest.fixture(scope="module")
def repeated() -> Measurements:
    """Return 24 settings, measured with 3 versions each."""
    configurations = crossed(24, ("version", 3))
    return Measurements(configurations, {"seconds": seconds(configurations)})


@pytest.mark.slow
def test_the_error_of_new_settings_is_stated(repeated: Measurements) -> None:
    """The cross-validated error is that of other settings, and intervals hold there; that of known ones is smaller."""
    result = learn(repeated, "seconds")
    others = crossed(60, ("version", 3), seed=5)
    values, predicted = seconds(others), result.predict(others)
    true = 100 * float(np.mean(np.abs(predicted - values) / values))
    assert result.expected is not None
    assert 0.5 * true < present(result.expected.percent) < 3 * true
    assert present(result.expected.known) < 0.3 * present(result.expected.percent)
    low, high = present(result.intervals).interval(others)
    assert np.mean((values >= low) & (values <= high)) > 0.8


def test_known_settings_are_predicted_as_stated(repeated: Measurements) -> None:
    """Known settings are predicted precisely: the printed model is no part where it raises their error."""
    order = np.random.default_rng(1).permutation(len(repeated))
    result = learn(repeated, "seconds", learning_set=order[:50])
    others = repeated[order[50:]]
    values, predicted = others["seconds"], result.predict(others.configurations)
    true = 100 * float(np.mean(np.abs(predicted - values) / values))
    assert result.expected is not None
    assert true < 2
    assert present(result.expected.known) < 0.1 * present(result.expected.percent)


def test_groups_are_stated(repeated: Measurements) -> None:
    """Groups are an option, or labels of the measured configurations; there must be two, and one for each of them."""
    versions = repeated.configurations.column("version")
    by_option = Groups.stated(repeated.configurations, "version")
    by_label = Groups.stated(repeated.configurations, versions)
    assert np.array_equal(by_option.labels == by_option.labels[0], versions == versions[0])
    assert np.array_equal(by_label.labels == by_label.labels[0], versions == versions[0])
    with pytest.raises(SpecError, match="version"):
        learn(repeated, "seconds", groups="versoin")
    with pytest.raises(SpecError, match="72"):
        learn(repeated, "seconds", groups=[1, 2])
    with pytest.raises(LearningError, match="one group"):
        learn(repeated, "seconds", groups=np.zeros(len(versions)))


def test_parts_that_share_configurations_are_one_group() -> None:
    """A configuration that two values of a column have joins their groups."""
    rows = crossed(9, ("version", 2))
    parts = [rows[:6], rows[6:10], rows[9:14], rows[14:]]
    labels = Groups.of_parts(rows, parts, "day").labels
    assert [len(set(labels[start:end].tolist())) for start, end in ((0, 6), (6, 14), (14, 18))] == [1, 1, 1]
    assert len(set(labels.tolist())) == 3
