"""Experiments of Extra-P 4 (`.extra-p`): ZIP archives with measurements and models in a member `experiment.json`."""

from __future__ import annotations

import io
import zipfile
import zlib
from dataclasses import replace

from splc.data.experiment import Experiment
from splc.errors import InputError, Problem
from splc.formats.experiments.extrap_json import parse_experiment_json
from splc.io.files import MAX_UNPACKED, Source

MEMBER = "experiment.json"


def parse_experiment_archive(source: Source) -> Experiment:
    """Return the experiment of an archive of Extra-P; its models are ignored."""
    try:
        with zipfile.ZipFile(io.BytesIO(source.data)) as archive, archive.open(MEMBER) as member:
            content = member.read(MAX_UNPACKED + 1)
    except KeyError:
        hint = f"an experiment of Extra-P 4 has a member {MEMBER}"
        raise InputError(Problem("this is an archive without an experiment", source.name, hint=hint)) from None
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError) as error:
        reason = str(error) or type(error).__name__
        raise InputError(Problem(f"the archive cannot be read: {reason}", source.name)) from None
    if len(content) > MAX_UNPACKED:
        raise InputError(Problem(f"{MEMBER} decompresses to more than {MAX_UNPACKED:,} bytes", source.name))
    if not content.strip():
        raise InputError(Problem(f"{MEMBER} is empty", source.name))
    experiment = parse_experiment_json(Source(f"{source.name}:{MEMBER}", content))
    report = replace(experiment.report, source=source.name, sha256=source.sha256)
    return replace(experiment, report=report)
