"""The command line: a file per subcommand, which makes a request, runs its workflow and shows the result."""

from __future__ import annotations

import gc
import importlib.util
import os
import signal
import sys
import warnings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

BUG = 70
INTERRUPTED = 130
# With the default, collections of all objects take a quarter of the time of large inputs. New objects are collected
# nearly as often as by default: otherwise cycles of large arrays took 0.5 GB more when learning from 10^6 rows.
COLLECTION = (2000, 10, 100)


def main() -> None:
    """Run `splc` with the arguments of the process."""
    # During imports and after the command there is no work that an interruption would lose.
    interrupting = [
        signum for signum in (signal.SIGINT, signal.SIGTERM) if signal.getsignal(signum) is not signal.SIG_IGN
    ]
    for signum in interrupting:
        signal.signal(signum, end_process)
    gc.set_threshold(*COLLECTION)
    if not sys.warnoptions:
        # Results say what is doubtful in them; what numpy says about numbers on the way is for developers (python -W).
        warnings.simplefilter("ignore", RuntimeWarning)
    if shadows := shadowing_files():
        hint = "    rename it, or run the command 'splc' instead of 'python -m splc'"
        print("\n".join([*shadows, hint]), file=sys.stderr)
        sys.exit(2)
    try:
        verb = next(iter(sys.argv[1:]), "")
        if verb.isidentifier() and importlib.util.find_spec(f"splc.workflows.{verb}"):
            # Commands need numpy, whose import takes 70 ms more after that of typing_extensions, which typer imports.
            importlib.import_module("numpy")
        from splc.cli.app import app
    except Exception as error:
        print(f"error: splc cannot start: {type(error).__name__}: {error}", file=sys.stderr)
        sys.exit(BUG)
    try:
        if signal.SIGINT in interrupting:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        app()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    finally:
        for signum in interrupting:
            signal.signal(signum, end_process)
        # Skip the collection of all objects at exit, which takes a tenth of the time of small commands.
        gc.freeze()


def end_process(signum: int, frame: FrameType | None) -> None:
    """End the process at once."""
    os._exit(INTERRUPTED)


def shadowing_files() -> list[str]:
    """Return a message for each file that Python imports instead of a package of this project."""
    from importlib.util import find_spec
    from pathlib import Path

    messages = []
    root = Path(__file__).parents[2]
    for name in ("sampling", "comparison"):
        spec = find_spec(name)
        if spec is not None and spec.origin is not None and Path(spec.origin).parents[1] != root:
            messages.append(f"{spec.origin}: this file shadows the package '{name}' that belongs to splc")
    return messages
