"""From verbs to typer's commands: fields of requests as options, the progress of a run, and its view in print."""

from __future__ import annotations

import inspect
import json
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import MISSING
from time import monotonic
from typing import Annotated, Any

import typer

from splc.cli.command import Interruption, interruption
from splc.cli.terminal import complain, detail, note, printable, printing, say, show_notes, table, tell, warn
from splc.errors import SpecError
from splc.io.files import STANDARD
from splc.io.json import plain_values
from splc.io.tables import Table
from splc.workflows import views
from splc.workflows.fields import INPUTS, POLICIES, BoundField, as_flag, fields_of
from splc.workflows.views import Detail, Item, Rows, Verb, View, Watch, duration

OF_ALL_COMMANDS = (
    BoundField("quiet", as_flag("--quiet -q", "Print the answer only: no terms, notes or next steps."), bool, False),
    BoundField("verbose", as_flag("--verbose -v", "Print all notes, and the steps."), bool, False),
)
JSON = BoundField("json", as_flag("--json", "Print one JSON object."), bool, False)


def fields_of_command(verb: Verb[Any, Any]) -> tuple[BoundField, ...]:
    """Return the fields of a command: its own, those of all commands, shared ones; inputs and policies are last."""
    fields = [one for one in fields_of(verb.request) if one.field.kind != "python" and one.name not in verb.without]
    own, shared = ([one for one in fields if one.own is own] for own in (True, False))
    in_order = (*own, *([] if verb.as_json is None else [JSON]), *OF_ALL_COMMANDS, *shared)
    return tuple(sorted(in_order, key=lambda field: field.field.panel in (INPUTS, POLICIES)))


def help_of(verb: Verb[Any, Any]) -> str:
    """Return the help of a command: the docstring of its request without the fields."""
    return (verb.request.__doc__ or "").partition("\n\nAttributes:")[0]


def command_of(verb: Verb[Any, Any]) -> Callable[..., None]:
    """Return a function that typer makes a command from."""
    fields = {field.name: field for field in fields_of_command(verb)}

    def command(**option_values: Any) -> None:
        values = {name: _value(field, option_values[name]) for name, field in fields.items()}
        given = {name: value for name, value in values.items() if value is not None}
        quiet, verbose, json = (given.pop(name, False) for name in ("quiet", "verbose", "json"))
        if json and values.get("output") == STANDARD != fields["output"].default:
            raise typer.BadParameter("the JSON object is written to standard output already", param_hint="--output")
        if json and given.get("form") is not None and fields["form"].spellings == ("--format",):
            raise typer.BadParameter("only one output format can be used", param_hint="--json, --format")
        if quiet and verbose:
            raise typer.BadParameter("only one of them can be used", param_hint="--quiet, --verbose")
        with printing(Detail(quiet, verbose, json)):
            _run(verb, verb.request(**given))

    command.__doc__ = help_of(verb)
    command.__annotations__ = {}
    parameters = [_parameter(field) for field in fields.values()]
    # Typer expects parameters without a default first.
    parameters.sort(key=lambda parameter: parameter.default is not inspect.Parameter.empty)
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return command


def _run(verb: Verb[Any, Any], request: Any) -> None:
    watch = TerminalWatch()
    with watch.progress(verb.doing) if verb.doing else nullcontext():
        result = verb.run(request, watch)
    content = plain_values(verb.as_json(result)) if watch.detail.json and verb.as_json is not None else None
    if code := print_view(verb.view(result, watch.detail), content):
        raise typer.Exit(code)


def _value(bound: BoundField, raw_value: Any) -> Any:
    """Return the value of a field from what the command line gave, None if it gave nothing."""
    if raw_value is None or raw_value == []:
        return None
    if bound.field.kind == "flag":
        return raw_value
    try:
        return bound.value(raw_value)
    except SpecError as error:
        hint = bound.field.metavar if bound.field.kind == "argument" else bound.spellings[0]
        raise typer.BadParameter(error.problems[0].message, param_hint=repr(hint)) from None


def _parameter(bound: BoundField) -> inspect.Parameter:
    field = bound.field
    text = field.help + (f" [default: {bound.shown_default}]" if bound.shown_default else "")
    settings: dict[str, Any] = {"metavar": field.metavar, "help": text, "show_default": False}
    if field.kind == "flag":
        settings = {"help": text}
    info = typer.Option(*bound.spellings, rich_help_panel=field.panel or None, **settings)
    if field.kind == "argument":
        info = typer.Argument(**settings)
    # Values are texts here: messages about them do not depend on the version of typer.
    kind: Any = bool if field.kind == "flag" else list[str] if bound.repeated else str
    default = bound.default
    if default is MISSING:
        default = inspect.Parameter.empty
    elif kind is not bool:
        kind, default = kind | None, None
    annotation: Any = Annotated
    keyword = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(bound.name, keyword, default=default, annotation=annotation[kind, info])


# Arguments of a progress update: the numbers of finished and of all steps (None if unknown), and the current step.
Advance = Callable[[float, float | None, str], None]
WAIT = 10.0  # without a bar, a line says what is done after so many seconds, and whenever twice as many have passed
EARLIEST = 2.0  # an estimate of the remaining time is not shown before this number of seconds


class TimeLeft:
    """An estimate of the time that is left, from the share of the steps that were finished in the time so far.

    The first call is the start: what was finished before it, such as by an earlier command, took no time.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self.clock = clock
        self.started = clock()
        self.before: float | None = None
        self.end: float | None = None

    def advance(self, done: float, total: float | None) -> None:
        """Take the number of finished steps into account."""
        now_seconds = self.clock()
        if self.before is None:
            self.before = done if done > 0 and now_seconds - self.started < EARLIEST else 0.0
        if total is None or not self.before < done <= total:
            self.end = None
        else:
            self.end = now_seconds + (now_seconds - self.started) * (total - done) / (done - self.before)

    @property
    def text(self) -> str:
        """The remaining time in words, empty if it is not known yet."""
        now_seconds = self.clock()
        if self.end is None or now_seconds - self.started < EARLIEST or self.end <= now_seconds:
            return ""
        return f"about {duration(self.end - now_seconds)} left"


@contextmanager
def _lines_from_time_to_time(what: str, wait: float, *, estimated: bool, steps: bool) -> Iterator[Advance]:
    """Print a line to stderr after some seconds, and whenever twice as many have passed, while the block runs."""
    time_left, started, ended = TimeLeft(), monotonic(), threading.Event()
    state: tuple[float, float | None, str] = (0.0, None, "")
    printed = ""

    def advance(steps_done: float, total: float | None, text: str) -> None:
        nonlocal state, printed
        if steps and text not in ("", printed):
            complain(text)
            printed = text
        time_left.advance(steps_done, total)
        state = steps_done, total, text

    def print_lines() -> None:
        after = wait
        while not ended.wait(max(started + after - monotonic(), 0.0)):
            done, total, text = state
            share = f"{100 * done / total:.0f} % done" if total and 0 < done <= total else ""
            facts = [text if text != what else "", share, time_left.text if estimated else ""]
            complain(", ".join([f"{what}: {duration(after)} so far", *filter(None, facts)]))
            after *= 2

    printer = threading.Thread(target=print_lines, daemon=True)
    printer.start()
    try:
        yield advance
    finally:
        ended.set()
        # A line that is being printed ends before the results begin.
        printer.join(1.0)


@contextmanager
def progress(what: str, *, estimated: bool = True, wait: float | None = None) -> Iterator[Advance]:
    """Show the progress on stderr unless -q: a bar on a terminal, else lines from time to time; with -v, each step."""
    if detail().quiet:
        yield lambda steps_done, total, text: None
        return
    # A progress bar would overwrite the lines of -v.
    if detail().verbose or detail().json or not sys.stderr.isatty():
        wait = WAIT if wait is None else wait
        with _lines_from_time_to_time(what, wait, estimated=estimated, steps=detail().verbose) as advance:
            yield advance
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeElapsedColumn
    from rich.text import Text

    time_left = TimeLeft()

    class Left(ProgressColumn):
        """The remaining time."""

        def render(self, task: Task) -> Text:
            return Text(time_left.text)

    columns = [TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn()]
    with Progress(*columns, *([Left()] if estimated else []), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)

        def advance(steps_done: float, total: float | None, text: str) -> None:
            time_left.advance(steps_done, total)
            bar.update(task, completed=steps_done, total=total, description=printable(text or what))

        yield advance


class TerminalWatch(Watch):
    """A watch that prints to stderr, and what it is shown as a view is printed."""

    def __init__(self) -> None:
        self.detail = detail()
        self._advance: Advance = super().advance
        self._interruption: Interruption | None = None

    def advance(self, done: float, total: float | None, text: str) -> None:
        """Move the progress bar."""
        self._advance(done, total, text)

    def show(self, *items: Item) -> None:
        """Print items."""
        for item in items:
            print_item(item)

    def stop(self) -> bool:
        """Return whether an end was requested."""
        return self._interruption is not None and self._interruption()

    def keep(self, kept: bool = True) -> None:
        """Let requests to end wait for the current step from now on, or not."""
        if self._interruption is not None and kept:
            self._interruption.kept = True
        elif self._interruption is not None:
            self._interruption.end_at_once()

    @contextmanager
    def patient(self, after: str, *, kept: bool = True, lost: str = "", by_key: bool = False) -> Iterator[None]:
        """Let a request to end wait for the current step while the block runs."""
        signals = (signal.SIGINT,) if by_key else (signal.SIGINT, signal.SIGTERM)
        with interruption(after, signals, kept=kept, lost=lost) as self._interruption:
            yield

    @contextmanager
    def progress(self, what: str, *, estimated: bool = True) -> Iterator[None]:
        """Show a progress bar while the block runs."""
        with progress(what, estimated=estimated) as self._advance:
            yield
        self._advance = super().advance


def print_view(view: View, json_object: Mapping[str, Any] | None = None) -> int:
    """Print a view, and return the exit code of the command."""
    items: Iterable[Item] = view
    if json_object is not None:
        items = list(view)
        written = [item for item in items if isinstance(item, views.Output) and item.file not in (None, STANDARD)]
        for item in written:
            print_item(item)
        print_json(json_object)
        items = [
            item for item in items if isinstance(item, tuple | views.End | views.Failed) or getattr(item, "json", False)
        ]
    return max((print_item(item) for item in items), default=0)


def print_item(item: Item) -> int:
    """Print an item, and return the exit code that it asks for."""
    match item:
        case str():
            say(item)
        case views.Prose():
            tell(item.text, "answer" if isinstance(item, views.Answer) else None)
        case Rows():
            _print_rows(item)
        case Table():
            _print_rows(views.rows_of(item))
        case views.Facts():
            pairs = [(name, value) for name, value in item.pairs if value is not None]
            width = max((len(name) for name, _ in pairs), default=0)
            for name, value in pairs:
                tell(f"{name:{width}}  {views.value_text(value)}")
        case views.Entries():
            lines = [f"  {entry}" for entry in item.entries]
            if lines:
                say("\n" + "\n".join([item.title, *lines[: item.most]]))
            if item.most is not None and len(lines) > item.most:
                say(f"  … {len(lines) - item.most:,} more ({item.more})")
        case views.Output():
            file = STANDARD if item.file is None else item.file
            item.write(file)
            if item.content and file != STANDARD:
                note(f"{item.content} written to {file}")
        case views.Message():
            {"note": note, "warning": warn, "line": complain}[item.kind](item.text)
        case tuple():
            show_notes(item)
            return int(any(entry.negative for entry in item))
        case views.NextSteps():
            steps = list(item.steps)
            if steps and detail().interactive:
                width = max(len(step.command) for step in steps)
                sys.stdout.flush()
                complain("\n".join(["next:", *(f"    {step.command:{width}}  # {step.purpose}" for step in steps)]))
        case views.End():
            return item.code
        case views.Failed():
            raise item.error
    return 0


def _print_rows(item: Rows) -> None:
    if item.caption:
        say(item.caption)
    results = list(item.rows)
    head = results if item.most is None else results[: item.most]
    shown = item.columns
    lines, right = views.rendered(head, shown)
    optional = sorted((at for at, column in enumerate(shown) if column.optional), key=lambda at: shown[at].optional)
    table([column.title for column in shown], lines, right, [column.signed for column in shown], optional)
    if len(head) < len(results):
        say(f"… {len(results) - len(head):,} more ({item.more})")


def print_json(content: Mapping[str, Any]) -> None:
    """Print an object of JSON's types to stdout; an iterator is a long list with one entry per line."""
    streamed_key = next((name for name, value in content.items() if isinstance(value, Iterator)), None)
    if streamed_key is None:
        print(_text(content))
        return
    finite_content = {name: value for name, value in content.items() if name != streamed_key}
    print(_text(finite_content)[: -len("\n}")] + f',\n  "{streamed_key}": [', end="")
    separator = "\n    "
    for entry in content[streamed_key]:
        print(separator + _text(entry, None), end="")
        separator = ",\n    "
    print("\n  ]\n}")


def _text(content: Mapping[str, Any], indent: int | None = 2) -> str:
    # The JSON module escapes control characters up to 0x1f only.
    text = json.dumps(content, indent=indent, ensure_ascii=False, allow_nan=False)
    # Bytes of file names that are not UTF-8 are lone surrogates, which JSON escapes.
    return printable(text.encode("utf-8", "backslashreplace").decode("utf-8"))
