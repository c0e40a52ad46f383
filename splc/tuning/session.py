"""Sessions of a tuning run: run a command for each trial, and record both before the next one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sampling.command_strings import output_strings
from splc.data.configurations import Configurations
from splc.errors import InputError, Problem
from splc.formats.measurements.group_columns import with_groups
from splc.measuring.command import bind, program
from splc.measuring.execution import Job, execute
from splc.measuring.journal import Journal, Record
from splc.measuring.plan import Plan
from splc.measuring.properties import Property
from splc.measuring.run_results import RunResults, common_failure, record_of, result_of
from splc.measuring.session import end_leftover, note_start, session_record
from splc.measuring.setup import FORMAT, Setup, require_same, require_unsuccessful, system_description
from splc.measuring.template import OPTIONS, Template
from splc.tuning.trial import TrialOutcome, TuningTrial
from splc.tuning.tuner import Tuner


@dataclass(frozen=True)
class TunedCommand:
    """The command of a tuning run.

    Attributes:
        template: its template.
        properties: what is read from each run.
        folder: where it runs, None: where this process does.
        environment: variables added to the environment.
        timeout: seconds of a run, None: no limit.
    """

    template: Template
    properties: tuple[Property, ...]
    folder: str | None = None
    environment: Mapping[str, str] | None = None
    timeout: float | None = None

    def setup(self, configurations: Configurations) -> Setup:
        """Return the setup of runs of configurations.

        Raises:
            SpecError: if the command needs a value that a configuration does not have.
            InputError: if there is no such program.
        """
        texts = output_strings(configurations) if OPTIONS in self.template.extras else None
        bound = bind(self.template, configurations, texts)
        environment = dict(self.environment or {})
        names = dict.fromkeys(bound.arguments(row)[0] for row in range(len(configurations)))
        known = {name: program(name, self.folder or ".", environment.get("PATH")) for name in names}
        return Setup(bound, configurations, self.properties, Plan(), known, self.folder, environment, self.timeout)

    def job(self, configuration: Configurations, repetition: int) -> Job:
        """Return a run of one configuration."""
        return self.setup(configuration).job((0, repetition))


@dataclass
class TuningSession:
    """A tuning run that is started or continued.

    Attributes:
        tuner: asks for the runs.
        command: does them.
        journal: the record of all trials and runs.
        recorded: the results of runs.
        resumed: the number of runs that were recorded when it began.
        ended_leftover: whether a run of a killed session was still running and was ended.
    """

    tuner: Tuner
    command: TunedCommand
    journal: Journal
    recorded: RunResults
    resumed: int = 0
    ended_leftover: bool = False

    @classmethod
    def begin(
        cls, tuner: Tuner, command: TunedCommand, journal: Journal, about: Mapping[str, Any], *, restart: bool
    ) -> TuningSession:
        """Start a tuning run, or continue the one of the journal.

        Args:
            tuner: a new tuner, which is told what the journal has.
            command: the command.
            journal: the journal.
            about: what the sessions of the run have in common besides the command.
            restart: whether the journal is emptied first, which must not have a successful run.

        Raises:
            InputError: if the journal is of another measurement.
            OutputError: if it is to be emptied and has a successful run.
        """
        found = cls(tuner, command, journal, RunResults([each.name for each in command.properties]))
        description = found._description(about)
        if restart and journal.records:
            require_unsuccessful(journal.records, journal.path)
            found.ended_leftover = end_leftover(journal.records[-1])
            journal.clear()
        elif journal.records:
            require_same(journal.records, description, journal.path)
            found.ended_leftover = end_leftover(journal.records[-1])
            for record in journal.records:
                found._replay(record)
            found.resumed = len(tuner.history.outcomes)
        if not journal.records:
            journal.append(description)
        return found

    def _description(self, about: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "kind": "plan",
            "format": FORMAT,
            "system": system_description(self.tuner.system),
            "command": self.command.template.text,
            "properties": [str(each) for each in self.command.properties],
            "folder": self.command.folder,
            "environment": dict(self.command.environment or {}),
            "timeout": self.command.timeout,
            **about,
            # Not compared: the columns of the table that are options.
            "columns": with_groups(self.tuner.system, [[]] * len(self.tuner.system.names))[0],
        }

    def _replay(self, record: Record) -> None:
        """Repeat what a record of the journal says."""
        if record.get("kind") == "tune":
            trial = self.tuner.ask()
            if trial is None or trial.configuration != record["configuration"] or trial.why != record["why"]:
                hint = "continue with the version of splc that wrote it"
                message = f"run {record['trial']} of the journal is not the one that the search asks for"
                raise InputError(Problem(message, self.journal.path, hint=hint))
        elif record.get("kind") == "run":
            pending = {trial.number: trial for trial in self.tuner.history.pending}
            self._tell(pending[record["trial"]], record)

    def _tell(self, trial: TuningTrial, record: Record) -> None:
        """Tell the tuner the result of a run."""
        result = result_of(record)
        self.recorded.add((trial.row, trial.repetition), result)
        if result.reason is None:
            self.tuner.tell(trial, result.values)
        else:
            self.tuner.tell(trial, failed=result.reason)

    def run(
        self,
        should_stop: Callable[[], bool] = lambda: False,
        on_run: Callable[[TrialOutcome], None] = lambda outcome: None,
        *,
        keep_going: bool = False,
    ) -> None:
        """Do the runs that are left.

        Args:
            should_stop: whether to stop before the next run.
            on_run: called after each run with what was told of it.
            keep_going: whether to continue if the first runs failed for the same reason.
        """
        tuner, begun = self.tuner, False
        while not should_stop() and (keep_going or common_failure(self.recorded) is None):
            waiting = tuner.history.pending
            trial = waiting[0] if waiting else tuner.ask()
            if trial is None:
                return
            if not begun:
                self.journal.append(session_record(self.journal))
                begun = True
            if not waiting:
                self.journal.append(
                    {
                        "kind": "tune",
                        "trial": trial.number,
                        "why": trial.why,
                        "configuration": dict(trial.configuration),
                    }
                )
            job = self.command.job(tuner.history.configurations[[trial.row]], trial.repetition)
            result = execute(job, lambda process: note_start(self.journal, process))
            run = (trial.row, trial.repetition)
            record = record_of(run, trial.configuration, result, trial=trial.number)
            self.journal.append(record)
            self._tell(trial, record)
            on_run(tuner.history.outcomes[-1])
