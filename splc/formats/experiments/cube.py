"""Profiles in the CUBE4 format (`.cubex`, of Score-P and Scalasca), read with the library pycubexr (extra `cube`)."""

from __future__ import annotations

import tarfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from splc.data.experiment import Key
from splc.errors import InputError, Problem, SpecError
from splc.types import Array

Scaling = Literal["weak", "weak_threaded", "strong"]
SCALINGS = ("weak", "weak_threaded", "strong")
SEPARATOR = "->"
# Differences of sums below this share of them are rounding errors.
_ROUNDING = 1e-12
_LARGEST = np.finfo(float).max
_ANCHOR = "anchor.xml is not the description of a profile"
# Kinds of values that are combined by their minimum or maximum.
_EXTREMES = {"MINDOUBLE": np.fmin, "MAXDOUBLE": np.fmax}


@dataclass(frozen=True)
class CubeProfile:
    """The values of one run."""

    values: Mapping[Key, float]  # (call path, metric) → the value, over all processes and threads
    callpaths: frozenset[str]  # all call paths
    # the metrics whose values are sums; a call path that has no value in the file has the value 0
    additive: frozenset[str]
    skipped: Mapping[str, str] = field(default_factory=dict)  # metric → the reason why it is not read

    def is_zero(self, callpath: str, metric: str) -> bool:
        """Return True if a call path that was called has no value of a metric in the file, which means 0."""
        return (callpath, metric) not in self.values and metric in self.additive and callpath in self.callpaths


def read_cube_profile(path: Path, scaling: Scaling = "weak", *, inclusive: bool = False) -> CubeProfile:
    """Read a profile."""
    parser_of, absent, unsupported = _library()
    with _errors_with_file(path), _opened(parser_of(str(path))) as parser:
        with _damage(_ANCHOR):
            nodes, metrics = _Nodes(parser), parser.all_metrics()
        values: dict[Key, float] = {}
        skipped: dict[str, str] = {}
        additive = set()
        for metric in metrics:
            with _damage(f"the values of the metric {metric.name} are missing or damaged"):
                try:
                    metric_values = parser.get_metric_values(metric, cache=False)
                    table = np.asarray(metric_values.values.astype(float))
                except absent:
                    skipped[metric.name] = "no values in the file"
                except (unsupported, NotImplementedError):
                    skipped[metric.name] = f"values of the type {metric.data_type}"
                else:
                    if table.ndim != 1:
                        skipped[metric.name] = f"values of the type {metric.data_type}"
                        continue
                    table = table.reshape(len(metric_values.cnode_indices), -1)
                    by_path = _values_by_path(nodes, metric, metric_values.cnode_indices, table, scaling, inclusive)
                    values |= {(callpath, metric.name): value for callpath, value in by_path.items()}
                    if metric.data_type not in _EXTREMES:
                        additive.add(metric.name)
        if not values:
            raise ValueError("no metric has values")
        return CubeProfile(values, frozenset(nodes.paths), frozenset(additive), skipped)


class _Nodes:
    """The call tree of a profile: callers come before callees."""

    def __init__(self, parser: Any) -> None:
        self.paths: list[str] = []
        self.parents: list[int] = []
        self.positions: dict[int, int] = {}
        for node in parser.all_cnodes():
            parent = -1 if node.parent is None else self.positions[node.parent.id]
            name = node.region.name + "".join(f"({key}={value})" for key, value in node.parameters.items())
            self.paths.append(name if parent < 0 else f"{self.paths[parent]}{SEPARATOR}{name}")
            self.parents.append(parent)
            self.positions[node.id] = len(self.parents) - 1


def _values_by_path(
    nodes: _Nodes, metric: Any, rows: Mapping[int, int], table: Array, scaling: Scaling, inclusive: bool
) -> dict[str, float]:
    """Return call path → value of a metric.

    `rows`: id of a node → its row in the table; `table`: shape (nodes, processes and threads).
    """
    at = np.array([nodes.positions[node] for node in rows], dtype=np.int64)
    parents = np.array(nodes.parents)
    extreme = _EXTREMES.get(metric.data_type)
    by_path: dict[str, float] = {}
    if extreme is not None:
        for node, value in zip(at.tolist(), extreme.reduce(table, axis=1).tolist(), strict=True):
            path = nodes.paths[node]
            # CUBE stores the largest number where there are no values.
            if abs(value) < _LARGEST:
                by_path[path] = float(extreme(by_path.get(path, value), value))
        return by_path
    # Sums and means of differences are differences of sums and means; only idle threads need all columns.
    if scaling != "weak_threaded":
        table = table.sum(axis=1, keepdims=True) if scaling == "strong" else table.mean(axis=1, keepdims=True)
    exclusive = np.zeros((len(parents), table.shape[1]))
    exclusive[at] = table
    if metric.metric_type == "INCLUSIVE" and not inclusive:
        child_nodes = at[parents[at] >= 0]
        totals = exclusive.copy()
        np.subtract.at(exclusive, parents[child_nodes], totals[child_nodes])
        exclusive[np.abs(exclusive) <= _ROUNDING * np.abs(totals)] = 0.0
    elif metric.metric_type == "EXCLUSIVE" and inclusive:
        present = np.isin(np.arange(len(parents)), at)
        for node in range(len(parents) - 1, -1, -1):
            if parents[node] >= 0:
                exclusive[parents[node]] += exclusive[node]
                present[parents[node]] |= present[node]
        at = np.flatnonzero(present)
    # Calls of one function from several places of another one have the same path.
    sums: dict[str, Array] = {}
    for node in at.tolist():
        path = nodes.paths[node]
        sums[path] = sums[path] + exclusive[node] if path in sums else exclusive[node]
    return {path: float(path_sums.sum() / max(np.count_nonzero(path_sums), 1)) for path, path_sums in sums.items()}


def _library() -> tuple[Any, type[Exception], type[Exception]]:
    """Return the parser of pycubexr, and its errors of metrics without values and of unknown types."""
    try:
        from pycubexr import CubexParser
        from pycubexr.utils.exceptions import MissingMetricError, UnsupportedMetricFormatError
    except ImportError:
        hint = "install it with: pip install 'splc[cube]'"
        raise SpecError("CUBE profiles (.cubex) need the library pycubexr", hint=hint) from None
    return CubexParser, MissingMetricError, UnsupportedMetricFormatError


@contextmanager
def _opened(parser: Any) -> Iterator[Any]:
    """Open a profile; close it also if its description is damaged, which pycubexr does not do."""
    try:
        try:
            parser.__enter__()
        except Exception as error:
            # The members of the archive are known only after it was read.
            if isinstance(error, (tarfile.TarError, EOFError)) or not hasattr(parser, "_tar_file_member_list"):
                reason = "the file is not a complete tar archive"
            elif "anchor.xml" in parser._tar_file_member_list:
                reason = _ANCHOR
            else:
                reason = "it has no anchor.xml"
            with _damage(reason):
                raise
        yield parser
    finally:
        archive = getattr(parser, "_cubex_file", None)
        if archive is not None:
            archive.close()


@contextmanager
def _damage(reason: str) -> Iterator[None]:
    """Raise any error as one that states what is damaged: pycubexr does not check what it reads."""
    try:
        yield
    except (RecursionError, MemoryError):
        raise
    except Exception:
        raise ValueError(reason) from None


@contextmanager
def _errors_with_file(path: Path) -> Iterator[None]:
    """Raise an error in a file as one that names the file."""
    try:
        with warnings.catch_warnings():
            # The library warns about checksums that one version of the writer computes wrongly.
            warnings.simplefilter("ignore")
            yield
    except RecursionError:
        raise InputError(Problem("the call tree is too deep", str(path))) from None
    except MemoryError:
        raise InputError(Problem("the file states sizes that do not fit into memory", str(path))) from None
    except ValueError as error:
        hint = "a CUBE4 profile is a tar archive with anchor.xml and the values of each metric; is the file complete?"
        raise InputError(Problem(f"not a complete CUBE profile: {error}", str(path), hint=hint)) from None
