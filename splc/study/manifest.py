"""`manifest.json`: the inputs, settings and versions that results were computed with."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from splc._version import __version__
from splc.study.inputs import Loaded
from splc.study.results import Results
from splc.study.specification import Study

PACKAGES = ("numpy", "scipy", "scikit-learn", "lxml", "joblib", "matplotlib")


def manifest_of(study: Study, loaded: Loaded, results: Results) -> dict[str, Any]:
    """Return the content of a finished study's manifest, without its files and times."""
    best = results.best
    return {
        "study": settings_of(study, loaded),
        "inputs": {key: dict(file) for key, file in loaded.inputs.files.items()},
        "nfp": loaded.inputs.nfp,
        "contexts": dict(loaded.inputs.measurements.contexts),
        "configurations": len(loaded.inputs.measurements),
        "versions": versions(),
        "tasks": [
            {
                "learner": run.task.learner.name,
                "sampling": run.task.sampling,
                "seed": run.task.seed if run.task.seeded else None,
                "key": run.task.key,
                "log": run.task.log if run.record.log is not None else None,
                "reason": run.reason,
                "notes": list(run.record.notes),
            }
            for run in results.runs
        ],
        "best": None
        if best is None
        else {
            "learner": best.task.learner.name,
            "sampling": best.task.sampling,
            "seed": best.task.seed if best.task.seeded else None,
            "error_rate": best.error,
        },
    }


def settings_of(study: Study, loaded: Loaded) -> dict[str, Any]:
    """Return the settings of a study, with defaults."""
    return {
        "samplings": list(study.samplings),
        "seeds": list(study.seeds),
        "learners": {
            learner.name: {
                "learner": learner.kind,
                "preset": learner.preset,
                "observed": list(learner.observed),
                "sum": list(learner.parts),
                **learner.resolved().settings,
            }
            for learner in loaded.learners
        },
        "at": dict(study.at),
        "measures": list(study.measures),
        **{key: getattr(study, key) for key in ("scale", "constant", "missing", "invalid", "duplicates", "aggregate")},
    }


def versions() -> dict[str, str | None]:
    """Return the versions of Python and of the packages that results may depend on."""
    package_versions: dict[str, str | None] = {"splc": __version__, "python": platform.python_version()}
    for name in PACKAGES:
        try:
            package_versions[name] = version(name)
        except PackageNotFoundError:
            package_versions[name] = None
    return package_versions
