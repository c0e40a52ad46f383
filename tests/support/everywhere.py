"""Compute models, samples, comparisons and predictions of real systems, and print all of their numbers as JSON.

Run as `python -m tests.support.everywhere NAME…`; `tests/test_release.py` runs it on other kernels of linear
algebra, and compares.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
from io import StringIO
from pathlib import Path
from typing import Any

from casestudies.real_data import DATA
from splc.cli import main
from tests.support.paths import ROOT
from tests.support.tracked import copy_tracked

CASES = ROOT / "casestudies"
# What depends on time and place, or repeats other numbers, rounded.
LEFT_OUT = {"seconds", "version", "file", "output", "path", "sha256", "text", "log2"}

Calls = tuple[tuple[str, ...], ...]


def learning(*specs: str, more: tuple[str, ...] = ()) -> Calls:
    """Return calls of `splc learn` with each preset and sampling."""
    return tuple(
        ("learn", "--preset", preset, "--sampling", spec, "--json", "-o", "learned.json", *more)
        for preset in ("default", "splconqueror")
        for spec in specs
    )


def of(folder: str) -> tuple[str, ...]:
    """Return the options that name a system and its measurements."""
    files = {"--system": "FeatureModel.xml", "--measurements": "measurements.xml"}
    options = ("--property", "Performance") if folder == "LLVM" else ()
    return (*options, *(text for option, name in files.items() for text in (option, str(DATA / folder / name))))


SMG: Calls = (
    *learning("pb:9,3", "random:30", more=("--property", "solve_compute_seconds")),
    ("learn", "--sampling", "pb:25,5", "--learner", "pmnf", "--json", "-o", "p.json", *("--property", "solve_seconds")),
    ("compare", "analytical.txt", "learned.json", "--json"),
    *(("sample", "--sampling", spec) for spec in ("lhs:20", "sobol:16", "dopt:12,k=40", "random:25", "hyper:20")),
)


def systems() -> dict[str, tuple[Path | None, Calls]]:
    """Return name → the folder to work in and the calls there."""
    found: dict[str, tuple[Path | None, Calls]] = {
        "1d": (CASES / "smg2000" / "1d", SMG),
        "2d": (CASES / "smg2000" / "2d", SMG),
        "3d": (CASES / "smg2000" / "3d", SMG),
        "boomeramg": (CASES / "boomeramg", learning("random:40")),
    }
    if DATA.is_dir():
        for name, specs in {"x264": ("twise:2", "random:60"), "LLVM": ("twise:2", "random:60")}.items():
            draws: Calls = tuple(
                ("sample", "--sampling", spec, "--system", str(DATA / name / "FeatureModel.xml"))
                for spec in ("distance:30", "distaware:30", "twise:2", "random:40")
            )
            found[name] = (None, (*learning(*specs, more=of(name)), *draws))
        profiles = sorted(DATA.glob("extrap_formats/text/*_1.txt"))
        found["scale"] = (None, tuple(("scale", str(path), "--json") for path in profiles))
    return found


def numbers(value: Any) -> Any:
    """Return a JSON value without the keys of `LEFT_OUT`."""
    if isinstance(value, dict):
        return {key: numbers(each) for key, each in value.items() if key not in LEFT_OUT}
    return [numbers(each) for each in value] if isinstance(value, list) else value


def printed(call: tuple[str, ...]) -> Any:
    """Return what a command prints, without times."""
    out = StringIO()
    sys.argv = ["splc", *call]
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(StringIO()) as err:
        try:
            main()
        except SystemExit as end:
            if end.code not in {0, None, 1}:
                raise RuntimeError(f"{call}: {err.getvalue()}") from None
    text = out.getvalue()
    return numbers(json.loads(text)) if "--json" in call else text.splitlines()


def computed(name: str) -> dict[str, Any]:
    """Return call → what it prints, for one system."""
    folder, calls = systems()[name]
    with tempfile.TemporaryDirectory() as place:
        if folder is not None:
            copy_tracked(folder, Path(place))
        os.chdir(place)
        return {" ".join(call).replace(str(DATA), ""): printed(call) for call in calls}


if __name__ == "__main__":
    names = sys.argv[1:] or list(systems())
    print(json.dumps({name: computed(name) for name in names}))
