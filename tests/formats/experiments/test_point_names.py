"""Parameters in the names of files and folders."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splc.errors import InputError
from splc.formats.experiments.point_names import named_points
from tests.support.refusal import check_read_or_refused


@pytest.mark.parametrize(
    ("names", "parameters", "points"),
    [
        (["app.p8.n64.r1/profile", "app.p16.n64.r2/profile"], ("p",), [(8,), (16,)]),
        (["prefix.x1000y1z1.r1/p", "prefix.x2000y2z1.r1/p"], ("x", "y"), [(1000, 1), (2000, 2)]),
        (["lulesh2/p=4,n=0.5/rep1", "lulesh2/p=1e3,n=0.25/rep2"], ("p", "n"), [(4, 0.5), (1000, 0.25)]),
        (["x4", "x8"], ("x",), [(4,), (8,)]),
        (["a.x1=4", "a.x1=8"], ("x1",), [(4,), (8,)]),
        (["p8/n64/r1/profile"], ("p", "n"), [(8, 64)]),
        (["mpi_p8.r1", "mpi_p8.r2"], ("p",), [(8,), (8,)]),
        (["a.t2,5.r10", "a.t3.r2"], ("t",), [(2.5,), (3,)]),
    ],
)
def test_names(names: list[str], parameters: tuple[str, ...], points: list[tuple[float, ...]]) -> None:
    """Parameters are words with numbers; those that never differ are left out unless there is no other."""
    found = named_points(names, "f")
    assert (found.parameters, list(found.points)) == (parameters, points)


@pytest.mark.parametrize(
    ("names", "parameters", "points"),
    [
        (["p2/profile1", "p4/profile2", "p8/profile3"], ("p",), [(2,), (4,), (8,)]),
        (["p2.r1/job-17", "p2.r2/job-18"], ("p",), [(2,), (2,)]),
        (["p2/20240101_12.r1", "p4/20240102_13.r1"], ("p",), [(2,), (4,)]),
        (["p2/profile.r1", "p2/profile.r2", "p4/profile.r1"], ("p",), [(2,), (2,), (4,)]),
        (["lulesh2.p8.r1/profile2", "lulesh2.p16.r1/profile3"], ("p",), [(8,), (16,)]),
        # Without parameters in the names of folders, or with the same ones of several files.
        (["p2", "p4"], ("p",), [(2,), (4,)]),
        (["run1/p2", "run2/p4"], ("p",), [(2,), (4,)]),
        (["lulesh2/p2", "lulesh2/p4"], ("p",), [(2,), (4,)]),
        # The names of Extra-P's users.
        (["experiment.p8.n100.r1/profile", "experiment.p16.n50.r2/profile"], ("p", "n"), [(8, 100), (16, 50)]),
        (["x1.y2.r3/profile", "x2.y3.r1/profile"], ("x", "y"), [(1, 2), (2, 3)]),
        (["x20,5.y20,5/profile", "x40,5.y41/profile"], ("x", "y"), [(20.5, 20.5), (40.5, 41)]),
        (["app.x20,5y20,5.r1/profile", "app.x40,5y41.r1/profile"], ("x", "y"), [(20.5, 20.5), (40.5, 41)]),
        (["app_p8_n64_r1/profile", "app_p16_n32_r1/profile"], ("p", "n"), [(8, 64), (16, 32)]),
        (["p=8/profile", "p=16/profile"], ("p",), [(8,), (16,)]),
    ],
)  # fmt: skip
def test_digits_in_names_of_profiles(
    names: list[str], parameters: tuple[str, ...], points: list[tuple[float, ...]]
) -> None:
    """Numbers in the names of profiles are not parameters if folders state the parameters."""
    found = named_points(names, "f", by_folder=True)
    assert (found.parameters, list(found.points)) == (parameters, points)


@given(names=st.lists(st.text("p=8.r1,/_-xä٣", max_size=40), min_size=1, max_size=4), by_folder=st.booleans())
def test_any_names(names: list[str], by_folder: bool) -> None:
    """Any names give points or an error of this project."""
    check_read_or_refused(lambda: len(named_points(names, "f", by_folder=by_folder).points) == len(names), InputError)
