"""Experiments in folders of CUBE profiles, one per run, with the parameters in the names of folders or files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from splc.data.experiment import Experiment
from splc.errors import InputError, Problem, Problems, listed, plural
from splc.formats.experiments.cube import Scaling, read_cube_profile
from splc.formats.experiments.point_names import named_points
from splc.formats.experiments.rows import ExperimentRows
from splc.io.files import Source, sha256_of

SUFFIX = ".cubex"
# Levels of folders that are searched: `p8/n64/r1/profile.cubex`.
_LEVELS = 4


def is_cube(path: Path) -> bool:
    """Return whether a path is a folder, or a single profile."""
    return path.is_dir() or path.suffix == SUFFIX


def parse_cube_folder(
    path: Path,
    scaling: Scaling = "weak",
    *,
    inclusive: bool = False,
    on_progress: Callable[[int, int], None] | None = None,
) -> Experiment:
    """Return the experiment in a folder of profiles; profiles of the same point are repetitions.

    Args:
        path: the folder, or a single profile, which is one point.
        scaling: see `read_cube_profile`.
        inclusive: see `read_cube_profile`.
        on_progress: called with the number of profiles read, and of all.

    Raises:
        InputError: if there are no profiles, their names do not state the parameters, or profiles are damaged.
        SpecError: if pycubexr is not installed.
    """
    files = _profiles(path) if path.is_dir() else [path]
    if not files:
        hint = "Score-P writes a folder with profile.cubex per run; collect these folders in one"
        raise InputError(Problem(f"there are no profiles (*{SUFFIX}) in the folder", str(path), hint=hint))
    # The name of the folder of a single profile may be that of its point.
    base = path if path.is_dir() else path.absolute().parent.parent
    names = [each.absolute().relative_to(base.absolute()).with_suffix("").as_posix() for each in files]
    points = named_points(names, str(path))
    hashes = []
    problems = Problems(str(path))
    skipped: Counter[str] = Counter()
    reasons: dict[str, str] = {}
    profiles = []
    for done, file in enumerate(files, 1):
        try:
            hashes.append(sha256_of(file.read_bytes()))
            profile = read_cube_profile(file, scaling, inclusive=inclusive)
        except OSError as error:
            problems.include(InputError(Problem(f"cannot be read: {error.strerror}", str(file))))
            continue
        except InputError as error:
            problems.include(error)
            continue
        profiles.append(profile)
        reasons |= profile.skipped
        skipped.update(profile.skipped.keys())
        if on_progress is not None:
            on_progress(done, len(files))
    problems.raise_if_any(InputError)
    listing = "".join(f"{own}  {name}\n" for own, name in zip(hashes, names, strict=True))
    rows = ExperimentRows(Source(str(path), listing.encode("utf-8", "surrogateescape")), points.parameters)
    for point, profile in zip(points.points, profiles, strict=True):
        place = rows.point(point)
        for (callpath, metric), value in profile.values.items():
            rows.add(place, callpath, metric, [value])
    return rows.experiment(_notes(len(files), scaling, skipped, reasons))


def _profiles(folder: Path) -> list[Path]:
    """Return the profiles in a folder and in those below it, without hidden ones, in the order of their names."""
    found: list[Path] = []
    level = [folder]
    for _ in range(_LEVELS):
        entries = sorted(each for own in level for each in own.iterdir() if not each.name.startswith("."))
        found += [each for each in entries if each.suffix == SUFFIX and each.is_file()]
        level = [each for each in entries if each.is_dir()]
    return sorted(found)


def _notes(number: int, scaling: Scaling, skipped: Counter[str], reasons: dict[str, str]) -> Sequence[str]:
    how = "the sums" if scaling == "strong" else "the means"
    found = [
        f"{plural(number, 'profile', 'profiles')}; values are {how} over processes and threads ({scaling} scaling)"
    ]
    if absent := [f"{name} ({reasons[name]})" for name, count in skipped.items() if count == number]:
        found.append(f"{plural(len(absent), 'metric is', 'metrics are')} not read: {listed(absent, 3)}")
    if partly := [f"{name} in {count} of {number}" for name, count in skipped.items() if count < number]:
        found.append(
            f"{plural(len(partly), 'metric has', 'metrics have')} no values in some profiles: {listed(partly, 3)}"
        )
    return found
