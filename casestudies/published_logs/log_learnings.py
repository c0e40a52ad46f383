"""The learnings of logs with what these state beside models: samplings, settings, seeds, evaluation sets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from splc.formats.models import log_reader
from splc.formats.models.log_reader import STARTS
from splc.formats.models.log_writer import COMMAND, HEADER, SETTINGS
from splc.io.files import Source
from splc.learning.stepwise.settings import FIRST, is_setting

_SIZE = re.compile(r"Learning: NumberOfConfigurationsLearning:(\d+)")
# Also the spellings of older versions, without `binary`; `splc sampling` is ours.
_SAMPLING = re.compile(
    r"command: ((?:binary|numeric|hybrid|twise|pairwise|featurewise|optionwise|negfw|allbinary|satoutput|random|"
    r"distance-based|splc sampling:)\s.*)",
    re.IGNORECASE,
)
_DEVIATION = re.compile(r"configurations loaded\. (abortError) set to highest deviation value: (\S+?)\.?$")
_SEED = re.compile(rf"{COMMAND}seed: (\d{{1,20}})")
_CLEAN_GLOBAL = "command: clean-global"
_CLEAN = ("command: clean-sampling", _CLEAN_GLOBAL)
_EVALUATION = "command: evaluationset "


@dataclass(frozen=True)
class Stated:
    """The statements of a log about a learning."""

    sampling: tuple[str, ...] = ()  # the commands that drew the learning set
    configurations: int | None = None  # the size of the learning set, None if the log does not state it
    settings: Mapping[str, str] = field(default_factory=dict)  # the settings of learning, by name
    seed: int = 0  # the seed of whatever splc drew
    evaluation: str | None = None  # the file of the measurements that errors were computed on, None for all of them


@dataclass
class Learning(log_reader.Learning):
    """One learning of a log with what the log states about it."""

    stated: Stated = field(default_factory=Stated)


def learnings_of(source: Source) -> list[Learning]:
    """Return the learnings of a log that hold a model, in order."""
    lines, in_force, done, found = source.text().splitlines(), Stated(), 0, list[Learning]()
    for learning in log_reader.learnings_of(source)[0]:
        last = max([each.line for each in learning.rounds.values()] + [line for _, line in learning.average])
        in_force, stated = _read(map(str.strip, lines[done:last]), in_force)
        found.append(Learning(**vars(learning), stated=stated))
        done = last
    return found


def _read(lines: Iterable[str], in_force: Stated) -> tuple[Stated, Stated]:
    """Return what is in force after some lines, and what they state about the learning that they end with."""
    stated = Stated()
    for line in lines:
        if line.startswith(STARTS):
            stated = replace(in_force, configurations=stated.configurations)
            if size := _SIZE.match(line):
                stated = replace(stated, configurations=int(size[1]))
        elif line.startswith(HEADER.partition(" LearningError")[0]):
            stated = replace(stated, evaluation=in_force.evaluation)
        elif command := _SAMPLING.match(line):
            in_force = replace(in_force, sampling=(*in_force.sampling, command[1].strip()))
        elif line.startswith(SETTINGS):
            in_force = replace(in_force, settings=_settings(line.removeprefix(SETTINGS)))
        elif deviation := _DEVIATION.search(line):
            in_force = replace(in_force, settings={**in_force.settings, deviation[1]: deviation[2]})
        elif seed := _SEED.fullmatch(line):
            in_force = replace(in_force, seed=int(seed[1]))
        elif line.startswith(_EVALUATION):
            in_force = replace(in_force, evaluation=line.removeprefix(_EVALUATION).strip() or None)
        elif line.startswith(_CLEAN):
            kept = None if line.startswith(_CLEAN_GLOBAL) else in_force.evaluation
            in_force = replace(in_force, sampling=(), evaluation=kept)
    return in_force, stated


def _settings(text: str) -> dict[str, str]:
    """Return the settings of a line; the value of `first` may have spaces."""
    settings: dict[str, str] = {}
    name = ""
    for word in text.split():
        setting, colon, value = word.partition(":")
        if colon and is_setting(setting):
            name, settings[setting] = setting, value
        elif name == FIRST:
            settings[name] = f"{settings[name]} {word}"
    return settings
