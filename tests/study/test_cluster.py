"""Studies on a dask cluster: a LocalCluster stands for machines."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from splc.errors import InputError
from tests.study.conftest import Studied
from tests.support.results import contents
from tests.support.watches import Ending

distributed = pytest.importorskip("distributed", reason="needs the extra cluster")


@pytest.fixture(scope="module")
def inside() -> Iterator[str]:
    """Return the address of a cluster whose workers are threads of this process."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0"
    ) as cluster:
        yield cluster.scheduler_address


@pytest.mark.parametrize("place", ["inside", pytest.param("scheduler", marks=pytest.mark.slow)])
def test_cluster_does_not_matter(studied: Studied, place: str, request: pytest.FixtureRequest) -> None:
    """A cluster gives the same bytes as this process, also when it was stopped in between."""
    scheduler = request.getfixturevalue(place)
    expected = contents(studied("here").folder)
    assert contents(studied("there", scheduler=scheduler).folder) == expected
    stopped = studied("stopped", scheduler=scheduler, watch=Ending(1))
    assert stopped.done >= 1
    assert contents(studied("stopped", scheduler=scheduler).folder) == expected


def test_no_cluster(studied: Studied) -> None:
    """An address at which no scheduler answers is refused."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        with pytest.raises(InputError, match="no dask scheduler answers"):
            studied(scheduler="not an address")
