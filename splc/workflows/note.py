"""Notes: the messages of a workflow in addition to its result."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Self

from splc.data.property_unit import SECONDS, readable, unit_in_name
from splc.data.summary import run_pattern
from splc.errors import SplcError, listed, plural
from splc.formats.names import words_of
from splc.io.numbers import percentage
from splc.learning.projection import MethodNote
from splc.workflows.fields import inputs_of

if TYPE_CHECKING:
    from splc.data.measurements import Measurements, ReadingReport
    from splc.formats.inference import Inference
    from splc.io.files import Source


# The largest number of notes without -v.
MAX_NOTES = 5
SHOWN_ROWS = 5
SHOWN_PAIRS = 3  # selections of two options that no row has
SHOWN_COLUMNS, SHOWN_OPTIONS = 12, 40
# Words of properties of which more is better, of amounts per second, and those that make less of them better.
_GAINS = words_of("""
    throughput thrpt goodput bandwidth iops ops qps tps rps fps ips ipc flops mflops gflops tflops bps kbps mbps gbps
    speedup efficiency fmax accuracy acc auc f1 recall score reward psnr ssim vmaf
""")
_AMOUNTS = words_of("ops req reqs requests queries tx txn rows items images img imgs frames tok tokens samples mb gb")
_PERIODS = words_of("s sec second min minute h hour")
# Energies, temperatures, volumes and doses.
_COSTS = frozenset(("J", "kJ", "Wh", "kWh", "K", "°C", "l", "Sv", "mSv"))
_LOSSES = words_of("""
    error errors err loss losses regret overhead cost time times latency latencies duration delay wait alloc allocated
    allocation miss misses fault faults fail failed failures drop dropped drops retries evictions aborts timeouts stalls
    conflicts inverse reciprocal neg negative power energy consumption consumed fuel usage used
    switches interrupts cycles temperature temp dose
""")
# Other causes of runs that move together, by the kind of their pattern.
CAUSES: Mapping[str, str] = {
    "first": "a warm-up (splc measure --warmup 1) or ",
    "trend": "a random order (splc measure --order random) or ",
}


class Rank(IntEnum):
    """The importance of notes, the most important first."""

    OTHER_ANSWER = 0
    DOUBTFUL = 1
    ROLES = 2
    LIMIT = 3
    INPUT = 4
    METHOD = 5


@dataclass(frozen=True)
class Note:
    """A sentence for the user."""

    text: str  # one line
    warning: bool = False  # whether the result may be wrong because of it
    details: tuple[str, ...] = ()  # further lines, for instance the rows of a file that were dropped
    negative: bool = False  # whether the result is an answer to another question, so that commands end with exit code 1
    settings: tuple[tuple[str, Any], ...] = ()  # the settings that it advises, as pairs of name and value
    about: Rank = Rank.INPUT  # what it is about; some commands print warnings about another answer first

    @property
    def rank(self) -> Rank:
        """Its importance."""
        if self.negative:
            return Rank.OTHER_ANSWER
        return Rank.DOUBTFUL if self.warning else self.about

    def __str__(self) -> str:
        kind = "warning" if self.warning else "note"
        # Texts of a table may have line ends; further lines of messages are indented.
        return re.sub(r"\n(?! {4})", " ", "\n    ".join((f"{kind}: {self.text}", *self.details)))


@dataclass(frozen=True, kw_only=True, eq=False)
class Noted:
    """A result with notes."""

    notes: tuple[Note, ...] = ()  # what the user should know

    @property
    def first(self) -> tuple[Note, ...]:
        """The notes about another answer, which some commands print before the result."""
        return tuple(note for note in self.notes if note.about is Rank.OTHER_ANSWER)

    @property
    def last(self) -> tuple[Note, ...]:
        """The other notes."""
        return tuple(note for note in self.notes if note.about is not Rank.OTHER_ANSWER)


class Notes(list[Note]):
    """The notes that a workflow collects; in a `with` statement an error that ends the block gets them, too."""

    def add(self, notes: Iterable[Note]) -> None:
        """Add the notes that are not among these yet."""
        self += [note for note in dict.fromkeys(notes) if note not in self]

    @property
    def texts(self) -> tuple[str, ...]:
        """The notes of a result in memory: each in one line."""
        return tuple("; ".join((note.text, *note.details)) for note in self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, SplcError):
            for note in self:
                error.add_note(str(note))


def ranked(notes: Iterable[Note]) -> list[Note]:
    """Return notes with the most important first, those of one rank in their order."""
    return sorted(notes, key=lambda note: note.rank)


def notes_of(texts: Iterable[str], about: Rank = Rank.INPUT) -> tuple[Note, ...]:
    """Return plain notes with these texts, and with the settings that some advise."""
    notes = []
    for text in texts:
        rank = Rank.METHOD if isinstance(text, MethodNote) else Rank.LIMIT if hasattr(text, "settings") else about
        notes.append(Note(text, settings=tuple(getattr(text, "settings", {}).items()), about=rank))
    return tuple(notes)


def inference_notes(
    inference: Inference | None, *, lists: bool = False, answers: Mapping[str, str] = {}
) -> tuple[Note, ...]:
    """Return the assumptions about an inferred system; `lists`: whether there may be no measured values."""
    if inference is None:
        return ()
    source = inference.source.name
    text = f"{source}: without a system description, its options are inferred (splc init writes one)"
    details = inference.assumptions
    if inference.chosen:
        roles = {"options": inference.columns, "properties": inference.properties, "contexts": inference.contexts}
        listing = "; ".join(f"{role}: {listed(names)}" for role, names in roles.items() if names)
        text = f"{source}: {listing}"
        stated = ("(as requested)", "(as in the model)")
        details = tuple(line for line in details if line.startswith("ignored") and not line.endswith(stated))
    if not inference.properties:
        listing = listed(inference.columns, SHOWN_COLUMNS)
        text = f"{source}: no column seems to be measured, so that all are options: {listing}"
        details = ("--property NAME names a measured column, --ignore and --context leave columns out",)
    if inference.decided:
        text = f"{source}: the columns are used as follows; --options, --context, --ignore and --property change it"
        details = role_table(inference, answers)
    mined: tuple[Note, ...] = ()
    if inference.mined:
        many, rows = len(inference.mined.constraints), inference.mined.rows
        how = f"--no-constraints ignores them; splc describe {_tables(inference.source)} lists them"
        mined = (Note(f"{source}: constraints: {many:,} inferred from {rows:,} rows ({how})"),)
    if inference.unseen:
        pairs = [pair for pair, _ in inference.unseen]
        more = f" and {len(pairs) - SHOWN_PAIRS:,} more" if pairs[SHOWN_PAIRS:] else ""
        listing = ", ".join(pairs[:SHOWN_PAIRS]) + more
        texts = "; ".join(constraint for _, constraint in inference.unseen[:SHOWN_PAIRS])
        cure = f"if it cannot occur, state it in a description (splc init {shlex.quote(source)} writes one): {texts}"
        why = "that is too little evidence to infer a constraint"
        mined = (*mined, Note(f"{source}: no row has {listing}; {why}", details=(cure,), about=Rank.LIMIT))
    if inference.spreads:
        means = f"each value of {inference.first} is of several runs, with {listed(inference.spreads)} beside it"
        advice = "errors and intervals are of such values, and those of a single run are wider"
        mined = (*mined, Note(f"{source}: {means}: {advice}", about=Rank.LIMIT))
    warnings = (Note(f"{source}: {line}", warning=True) for line in inference.warnings)
    about = Rank.DOUBTFUL if inference.doubts else Rank.ROLES if inference.decided else Rank.INPUT
    shown = Note(text, details=details, about=about)
    roles_note = () if lists and not (inference.properties or inference.decided) else (shown,)
    return (*roles_note, *mined, *warnings, *notes_of(f"{source}: {line}" for line in inference.notes))


def _tables(source: Source) -> str:
    """Return the words by which a command reads the same table, or the same tables."""
    from splc.formats.table import TableSource

    if isinstance(source, TableSource) and source.files:
        return shlex.join(word for file, _ in source.files for word in ("--measurements", file))
    return shlex.quote(source.name)


def reading_notes(*reports: ReadingReport, about: Collection[str | None] | None = None) -> tuple[Note, ...]:
    """Return what a reader of measurements left out, and why; `about`: the properties that count, None for all."""
    source = reports[0].source or "measurements"
    # Rows without a known context are in all parts.
    invalid = sorted({entry for report in reports for entry in report.invalid})
    rows = sum(report.rows - len(report.invalid) for report in reports) + len(invalid)
    notes = []
    if invalid:
        text = f"{source}: {len(invalid):,} of {rows:,} rows dropped, their configuration is not valid"
        lines = [f"{source}:{line}: {reason}" for line, reason in invalid[:SHOWN_ROWS]]
        if len(invalid) > SHOWN_ROWS:
            lines.append(f"… and {len(invalid) - SHOWN_ROWS:,} more")
        notes.append(Note(text, warning=True, details=tuple(lines)))
    if duplicates := sorted({line for report in reports for line in report.duplicates}):
        again = plural(len(duplicates), "row measures", "rows measure")
        notes.append(Note(f"{source}: {again} a configuration again (lines {_lines(duplicates)})", warning=True))
    lacking: dict[tuple[int, ...], list[str]] = {}  # runs that failed lack all properties: one note for equal lines
    gaps_of = {nfp: list[int]() for report in reports for nfp in report.missing if about is None or nfp in about}
    for nfp, gaps in (gaps_of | dict(_by_property(reports, "gaps", about))).items():
        lacking.setdefault((sum(report.missing.get(nfp, 0) for report in reports), *gaps), []).append(nfp)
    for (count, *_), names in lacking.items():
        if count:
            of = names[0] if len(names) == 1 else f"each of {listed(names)}"
            values = plural(count, f"value of {of} is", f"values of {of} are")
            notes.append(Note(f"{source}: {values} missing or cannot be read", warning=True))
    for nfp, failed in _by_property(reports, "failed", about):
        count = sum(report.used - len(report.gaps.get(nfp, ())) for report in reports)
        text = f"{len(failed):,} of {count:,} values of {nfp} are unlike the others"
        text += f" ({_lines(failed, 'line')}): failed runs?"
        notes.append(Note(f"{source}: {text} leave these cells empty", warning=True))
    if any(report.mixed for report in reports):
        notes.append(_averaged(source, reports))
    every = dict.fromkeys(text for report in reports for text in report.unsuccessful)
    notes += [Note(f"{source}: {text}", about=Rank.LIMIT) for text in every]
    remarks = dict.fromkeys(text for report in reports for text in report.notes)
    notes += notes_of(f"{source}: {text}" for text in remarks)
    for (_, *gaps), names in lacking.items():
        if gaps and len(gaps) < rows - len(invalid):
            text = f"{listed(names)} {'lacks' if len(names) == 1 else 'lack'} a value in {_lines(gaps, 'line')}"
            notes.append(Note(f"{source}: {text}"))
    return tuple(notes)


def _by_property(
    reports: Sequence[ReadingReport], name: str, about: Collection[str | None] | None
) -> Iterator[tuple[str, list[int]]]:
    for nfp in dict.fromkeys(nfp for report in reports for nfp in getattr(report, name)):
        if about is None or nfp in about:
            yield nfp, sorted(line for report in reports for line in getattr(report, name).get(nfp, ()))


def run_notes(parts: Sequence[Measurements], nfp: str | None) -> tuple[Note, ...]:
    """Return a warning if the runs of all configurations move together, see `run_pattern`; `nfp` None: the only one."""
    name = nfp if nfp is not None or len(parts[0].properties) != 1 else parts[0].properties[0]
    pattern = None if name is None else run_pattern(parts, name)
    if name is None or pattern is None:
        return ()
    source = parts[0].report.source
    scatter = percentage(100 * pattern.scatter, 3)
    cause = f"{CAUSES.get(pattern.kind, '')}a column such as the workload or machine is missing"
    text = f"runs of one configuration differ by {scatter}, {pattern.text}: {cause}"
    words = ("splc", "learn", *(() if source is None else (source,)), "--property", name)
    cure = f"add it to the table and learn its values together: {shlex.join(words)} --by COLUMN --share"
    about = "" if source is None else f"{source}: "
    return (Note(f"{about}{text}", warning=True, details=(cure,)),)


def is_gain(name: str, unit: str | None) -> bool:
    """Return whether more of a property is better, as its name or unit says: `throughput`, `queries_per_s`, `1/s`."""
    unit = unit or unit_in_name(name) or ""
    words, (amount, _, period) = words_of(name), unit.partition("/")
    if readable(amount, [1.0])[1] in SECONDS or amount in _COSTS or not {*_LOSSES}.isdisjoint(words):
        return False
    is_rate = bool(words[1:]) and words[-1] in _PERIODS and not {"per", *_AMOUNTS}.isdisjoint(words[-3:-1])
    return is_rate or period in _PERIODS or not {*_GAINS}.isdisjoint((*words, *words_of(unit)))


def direction_notes(
    goals: Sequence[tuple[str, str | None, bool]], verb: str = "", request: Any = None
) -> tuple[Note, ...]:
    """Return a warning about properties of which more is better, and whose least values are wanted.

    `goals`: name, unit, and whether the greatest value is wanted. The request of a verb, None in Python, is for the
    command that finds the greatest values.
    """
    names = tuple(name for name, unit, maximize in goals if not maximize and is_gain(name, unit))
    if not names:
        return ()
    cure = "maximize=True"
    if request is not None:
        some = {"maximize_only": (*request.maximize_only, *names)} if len(names) < len(goals) else {"maximize": True}
        words = inputs_of(replace(request, **some), type(request))
        cure = "--maximize" if words is None else shlex.join(("splc", verb, *words))
    values = "value is" if len(names) == 1 else "values are"
    text = f"more of {listed(names)} seems to be better, but the least {values} searched; for the greatest: {cure}"
    return (Note(text, warning=True, about=Rank.OTHER_ANSWER),)


def _averaged(source: str, reports: Sequence[ReadingReport]) -> Note:
    """Return the warning about columns in which rows of one configuration differ, so that runs are averaged."""
    # The result is about something else if fewer than half of the rows are distinct configurations.
    names = tuple(dict.fromkeys(name for report in reports for name in report.mixed))
    configurations = sum(report.configurations for report in reports)
    rows = sum(report.used for report in reports)
    negative = 2 * configurations < rows
    few = f"only {configurations:,} of {rows:,} rows are distinct configurations: " if negative else ""
    text = f"{few}rows of one configuration differ in {listed([repr(name) for name in names])} and are averaged"
    options, listing = reports[0].options, shlex.quote(",".join(names))
    cure = "add options to the description, name"
    if options is not None:
        cure = f"name options with --options {shlex.quote(','.join((*options, *names)))},"
    advice = f"contexts (such as versions) with --context {listing}, others with --ignore {listing}"
    return Note(f"{source}: {text}; {cure} {advice}", warning=True, negative=negative)


def _lines(lines: Sequence[int], noun: str = "") -> str:
    """Return the first of some lines as a text, such as `lines 3, 5` with the noun `line`."""
    shown = ", ".join(map(str, lines[:SHOWN_ROWS])) + (", …" if len(lines) > SHOWN_ROWS else "")
    return f"{noun}{'s' * (len(lines) != 1)} {shown}" if noun else shown


def role_table(inference: Inference, answers: Mapping[str, str] = {}) -> tuple[str, ...]:
    """Return the lines of the table: a line for each role, and for each reason to leave columns out, and answers."""
    nfp, *further_nfps = inference.properties
    main = inference.main
    if main in further_nfps:
        nfp, further_nfps = main, [name for name in inference.properties if name != main]
    constant = [option.name for option in inference.system.numeric_options if option.size == 1]
    alone = {rule.names[0] for rule in inference.system.constraints if len(rule.names) == 1}
    constant += [name for name in inference.binary if name in alone | inference.system.mandatory]
    varying = [name for name in inference.columns if name not in constant]
    rows = [("options", listed(varying, SHOWN_OPTIONS)), ("constant", listed(constant, SHOWN_OPTIONS))]
    if main is None and further_nfps:
        rows.append(("properties", listed([nfp, *further_nfps])))
    else:
        rows += [("property", nfp), ("also measured", listed(further_nfps))]
    rows.append(("contexts", listed([name for name in inference.contexts if name not in inference.statuses])))
    rows.append(("what failed", listed(inference.statuses)))
    reasons: dict[str, list[str]] = {}
    for name, reason in inference.ignored.items():
        reasons.setdefault(reason, []).append(name)
    rows += [("left out", f"{listed(names)} ({reason})") for reason, names in reasons.items()]
    if inference.doubts:
        rows += [("in doubt", inference.question), *(answers or {"otherwise": inference.answer}).items()]
    width = max(len(role) for role, columns in rows if columns)
    return tuple(f"{role:<{width}}  {columns}" for role, columns in rows if columns)
