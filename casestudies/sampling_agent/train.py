"""`python -m casestudies.sampling_agent.train`: train and validate the agent, and write it with its results."""

from __future__ import annotations

import argparse
import importlib.util
import json
import platform
import sys
import time
from dataclasses import asdict, fields
from pathlib import Path

import numpy as np

from casestudies.report.page import write_blocks
from casestudies.sampling_agent.grid import paper_grid
from casestudies.sampling_agent.network import write_network
from casestudies.sampling_agent.settings import TrainingSettings
from casestudies.sampling_agent.tables import curve_csv, tables, validation_csv
from casestudies.sampling_agent.tasks import Generator, scaling_modeler
from casestudies.sampling_agent.training import Epoch, train
from casestudies.sampling_agent.validation import validate, validation_rng
from splc._version import __version__
from splc.errors import SplcError
from splc.io.files import write_whole

HERE = Path(__file__).parent
# What can be set on the command line; the rest is for those who read the code.
_OPTIONS = ("seed", "epochs", "episodes", "side_by_side", "most_single", "gamma", "rate")


def main(given: list[str] | None = None) -> int:
    """Train and validate; exit code 2 if something is missing or wrong."""
    parser = argparse.ArgumentParser(prog="python -m casestudies.sampling_agent.train", description=__doc__)
    known = {each.name: each for each in fields(TrainingSettings)}
    for name in _OPTIONS:
        default = known[name].default
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(default), default=default, metavar="N")
    parser.add_argument("--from-best", action="store_true", help="every epoch continues from the best network so far")
    for each in fields(Generator):
        parser.add_argument(f"--{each.name}", type=type(each.default), default=each.default, metavar="N")
    parser.add_argument("--functions", type=int, default=1000, metavar="N", help="of the validation")
    text = "for what is written, instead of `trained` beside this file and the table of its README.md"
    parser.add_argument("--output", type=Path, metavar="FOLDER", help=text)
    chosen = parser.parse_args(given)
    for name, extra in (("torch", "agent"), ("matplotlib", "plot")):
        if importlib.util.find_spec(name) is None:
            print(f"error: {name} is not installed: pip install 'splc[{extra}]'", file=sys.stderr)
            return 2
    try:
        settings = TrainingSettings(**{name: getattr(chosen, name) for name in (*_OPTIONS, "from_best")})
        generator = Generator(**{each.name: getattr(chosen, each.name) for each in fields(Generator)})
        _run(settings, generator, chosen.functions, chosen.output)
    except (SplcError, ImportError) as error:
        what = "PyTorch cannot be imported: " if isinstance(error, ImportError) else ""
        print(f"error: {what}{error}", file=sys.stderr)
        return 2
    return 0


def _run(settings: TrainingSettings, generator: Generator, functions: int, output: Path | None) -> None:
    import torch

    from casestudies.sampling_agent.figures import against_heuristic, learning_curve

    start = time.perf_counter()
    grid = paper_grid()
    epochs: list[Epoch] = []
    for each in train(grid, generator, scaling_modeler, settings):
        epochs.append(each)
        _tell(
            f"epoch {each.number:3d}  ε {each.epsilon:.2f}  reward {each.trained.reward:.4f}  "
            f"cost {100 * each.trained.cost:5.2f} %  compared {each.compared.score:.4f}{' *' if each.better else ''}"
        )
    trained = time.perf_counter() - start
    tasks = generator(functions, validation_rng(settings.seed))
    best = epochs[-1].best
    validation = validate(grid, tasks, scaling_modeler, best, settings)
    folder = output or HERE / "trained"
    folder.mkdir(parents=True, exist_ok=True)
    config = {
        "schema": "splc.sampling_agent/1",
        "version": __version__,
        "settings": asdict(settings),
        "functions": asdict(generator),
        "validated": functions,
        "torch": str(torch.__version__),
        "numpy": np.__version__,
        "python": platform.python_version(),
        "training_seconds": round(trained),
        "seconds": round(time.perf_counter() - start),
    }
    write_whole(folder / "config.json", json.dumps(config, indent=1) + "\n")
    write_whole(folder / "curve.csv", curve_csv(epochs))
    write_whole(folder / "validation.csv", validation_csv(validation.outcomes))
    write_whole(folder / "learning_curve.png", learning_curve(epochs, validation))
    write_whole(folder / "against_heuristic.png", against_heuristic(validation))
    write_network(folder / "agent.npz", best)
    text = tables(validation)
    if output is None:
        write_blocks(HERE, {"outcome": text})
    print(text)
    _tell(f"{folder}: {time.perf_counter() - start:.0f} s")


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
