"""`splc example`: copy a case study out of the installed package."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import splc
from splc.errors import OutputError, Problem, SpecError, listed, unknown_name_hint
from splc.io.files import missing_folder, read_source, write_whole
from splc.io.json import picked
from splc.workflows.fields import argument, request
from splc.workflows.views import UNWATCHED, Column, Detail, Rows, Verb, View, Watch, counted

STUDY = ("system.xml", "measurements.csv", "splc.toml")
SOLVER = (*STUDY, "analytical.txt", "parameters.toml", "../README.md")


@dataclass(frozen=True)
class Example:
    """A case study that is part of the package."""

    name: str  # its name
    about: str  # what it is, in one sentence
    source: str  # its folder, from `casestudies`
    files: tuple[str, ...]  # its files, from this folder
    commands: tuple[str, ...]  # what to run in a copy, in this order

    @property
    def paths(self) -> dict[str, Path]:
        """The name of each file in a copy → the file in the package."""
        folder = Path(splc.__file__).parent
        # A wheel has them inside of the package; an editable installation is the checkout.
        inside = folder / "examples"
        root = inside if inside.is_dir() else folder.parent / "casestudies"
        return {Path(name).name: root / self.source / name for name in self.files}

    @property
    def size(self) -> int:
        """The bytes of all files."""
        return sum(path.stat().st_size for path in self.paths.values())


SMG_COMMANDS = (
    "splc learn --sampling random:50",
    "splc explain learned.log",
    "splc compare analytical.txt learned.log --scale 500",
)
EXAMPLES: Mapping[str, Example] = {
    example.name: example
    for example in (
        Example(
            "zstd",
            "A compressor: 10 options with constraints, and the time and size of 240 of their 4,320 configurations.",
            "zstd",
            (*STUDY, "README.md", "generate.py", "measure.sh"),
            ("splc learn", "splc explain learned.log", "splc optimize learned.log", "splc suggest --budget 10"),
        ),
        Example(
            "smg2000",
            "A multigrid solver on 2-D grids: process topology and grid size, and an expert's formula to compare with.",
            "smg2000/2d",
            SOLVER,
            SMG_COMMANDS,
        ),
        Example("smg2000-3d", "The same solver on 3-D grids.", "smg2000/3d", SOLVER, SMG_COMMANDS),
        Example(
            "kernels",
            "A profile of five functions whose growth is known, from log2(n) to n^3.",
            "kernels",
            ("profile.txt", "README.md", "measure.py"),
            ("splc scale profile.txt", "splc scale profile.txt --predict-at n=1024 --plot kernels.svg"),
        ),
    )
}


@request
class Request:
    """Copy a case study with measurements into a folder, to try the commands on it.

    Without a name the case studies are listed. Nothing is overwritten.
    """

    name: str | None = argument(None, "NAME", default="list them")("The case study.")
    folder: str | None = argument(None, "FOLDER", default="NAME")(
        "The folder to copy it to; it must be empty or not exist."
    )


@dataclass(frozen=True)
class Result:
    """A copied case study, or all that can be copied."""

    examples: tuple[Example, ...]  # the copied one, or all
    folder: str | None = None  # the folder of the copy; None if none was made


def run(request: Request, watch: Watch = UNWATCHED) -> Result:
    """Copy a case study into a folder, or list all if the request names none."""
    if request.name is None:
        return Result(tuple(EXAMPLES.values()))
    if request.name not in EXAMPLES:
        hint = unknown_name_hint(request.name, list(EXAMPLES))
        raise SpecError(f"there is no example {request.name!r}", hint=hint)
    example = EXAMPLES[request.name]
    target = request.name if request.folder is None else request.folder
    contents = {name: read_source(path).data for name, path in example.paths.items()}
    folder = Path(target)
    try:
        with ExitStack() as undo:
            if not folder.is_dir():
                folder.mkdir()
                undo.callback(folder.rmdir)
            elif names := sorted(entry.name for entry in folder.iterdir()):
                hint = f"name another folder: splc example {example.name} FOLDER"
                raise OutputError(Problem(f"the folder is not empty: {listed(names, 3)}", target, hint=hint))
            for name, content in contents.items():
                write_whole(folder / name, content)
                undo.callback((folder / name).unlink, missing_ok=True)
            undo.pop_all()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        hint = (missing_folder(target) if isinstance(error, FileNotFoundError) else None) or "name another folder"
        raise OutputError(Problem(f"cannot be written: {reason}", target, hint=hint)) from None
    return Result((example,), target)


def as_json(result: Result) -> dict[str, Any]:
    """Return the JSON object of a copy, or of all case studies."""
    if result.folder is None:
        examples = [picked(example, "name, about, bytes = size") for example in result.examples]
        return {"schema": "splc.example.list/1", "examples": examples}
    (example,) = result.examples
    files = {"folder": result.folder, "files": list(example.paths), "commands": example.commands}
    return {"schema": "splc.example/1", "name": example.name, **files}


def view(result: Result, detail: Detail) -> View:
    """Yield what was copied and what to run next, or the case studies."""
    if result.folder is None:
        yield Rows(result.examples, (Column("example", "name"), Column("about"), Column("size", "size", _size)))
        yield ""
        yield "splc example NAME copies one into a folder of this name."
        return
    (example,) = result.examples
    yield example.about
    yield f"{result.folder}: {counted(len(example.files), 'file')}, {_size(example.size)}; README.md describes them"
    yield ""
    yield "next:"
    yield from (f"  {command}" for command in (f"cd {shlex.quote(result.folder)}", *example.commands))


def _size(count: int) -> str:
    return f"{max(round(count / 1000), 1)} kB"


VERB = Verb(Request, run, view, as_json, ("splc example", "splc example zstd", "splc example smg2000 multigrid"))
