"""The check of scripts before anything runs: commands, arguments, files, options, and what each command needs."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from sampling.designs.product import restrictable
from splc.errors import InputError, OutputError, Problem, RequestError, SplcError, unknown_name_hint
from splc.formats.detect import read_variability_model
from splc.formats.scripts import CONVERSIONS, Need, Script, ScriptCommand, parse_lines, settings_of, truth
from splc.io.files import read_source, require_writable
from splc.splconqueror.state import identity, located
from splc.system.variability import VariabilityModel

_MISSING: Mapping[Need, tuple[str, str]] = {
    "vm": ("there is no system yet", "the command vm must come before"),
    "measurements": ("there are no measurements yet", "the command all must come before it, after vm"),
    "sampling": (
        "no sampling is chosen",
        "binary, numeric, hybrid or select-all-measurements must come before",
    ),
    "model": ("no model is learned yet", "learn-splconqueror must come before"),
}


@dataclass(frozen=True)
class _Reached:
    """The state of a run, as far as it is known without running it."""

    done: frozenset[Need] = frozenset()  # what there is
    system: VariabilityModel | None = None  # the system that was read, None if it cannot be read
    hybrid: bool = False  # whether a hybrid sampling is chosen
    parts: bool = False  # whether a binary or a numeric sampling is chosen

    def without(self, *needs: Need) -> _Reached:
        return replace(self, done=self.done - set(needs))

    def having(self, *needs: Need) -> _Reached:
        return replace(self, done=self.done | set(needs))

    def unsampled(self) -> _Reached:
        return replace(self.without("sampling"), hybrid=False, parts=False)


def checked(paths: tuple[str, ...]) -> Mapping[str, Script]:
    """Return the scripts, and all that they call, by the identity of their files."""
    if not paths:
        raise RequestError("no script is named", "scripts")
    check = _Check()
    for path in paths:
        check.script(path, _Reached(), ())
    if check.problems:
        raise InputError(dict.fromkeys(check.problems))
    return check.scripts


@dataclass
class _Check:
    scripts: dict[str, Script] = field(default_factory=dict)
    faults: dict[str, tuple[Problem, ...]] = field(default_factory=dict)
    systems: dict[str, VariabilityModel | None] = field(default_factory=dict)
    written: set[str] = field(default_factory=set)
    problems: list[Problem] = field(default_factory=list)

    def script(self, path: str, reached: _Reached, callers: tuple[str, ...]) -> _Reached:
        """Check a script; return the state after it."""
        key = identity(path)
        if key not in self.scripts:
            try:
                self.scripts[key], self.faults[key] = parse_lines(read_source(path))
            except SplcError as error:
                self.scripts[key], self.faults[key] = Script(path, ()), error.problems
        script_problems: list[Problem] = [*self.faults[key]]
        faulty = [problem.line or 0 for problem in script_problems]
        previous = reached
        for command in self.scripts[key].commands:
            while faulty and faulty[0] < command.line:
                del faulty[0]
                # The effect of a faulty line is unknown, so its consequences are not reported.
                reached = reached.having(*_MISSING)
            outer, self.problems = self.problems, []
            following = self.command(command, path, reached, previous, (*callers, key))
            script_problems += (problem.at(path, command.line) for problem in self.problems)
            self.problems = outer
            previous = reached if command.name.startswith("clean") else previous
            reached = following
        # Problems of called scripts follow those of this one.
        self.problems += sorted(
            script_problems,
            key=lambda problem: (problem.file != path, problem.line or 0 if problem.file == path else 0),
        )
        return reached.having(*_MISSING) if faulty else reached

    def command(
        self, command: ScriptCommand, path: str, reached: _Reached, previous: _Reached, callers: tuple[str, ...]
    ) -> _Reached:
        """Check a command; return the state after it."""
        self.needs(command, reached)
        readable = self.files(command, path)
        self.options(command, reached.system)
        match command.name:
            case "vm":
                system = self.system(located(path, command.words[0])) if readable else None
                # Measurements and models belong to the system before.
                same_system = system is None or reached.system is None or system is reached.system
                state = reached if same_system else reached.without("measurements", "model")
                return replace(state.having("vm"), system=system)
            case "all":
                return reached.having("measurements")
            case "load-mlsettings" if readable:
                self.attempt(lambda: settings_of(read_source(located(path, command.words[0]))))
            case "binary" | "numeric":
                return replace(reached.having("sampling"), parts=True)
            case "hybrid":
                return replace(reached.having("sampling"), hybrid=True)
            case "select-all-measurements":
                if truth(command.words[0]):
                    return reached.having("sampling")
                return reached if reached.parts or reached.hybrid else reached.without("sampling")
            case "learn-splconqueror" | "learn-splconqueror-opt" | "truemodel":
                return reached.having("model")
            case "clean-sampling":
                return reached.unsampled()
            case "clean-learning":
                return reached.unsampled().without("model")
            case "clean-global":
                return replace(reached.without("vm", "measurements", "model"), system=None)
            case "rollback":
                return previous
            case "script" if readable:
                return self.called(command, path, reached, callers)
        return reached

    def called(self, command: ScriptCommand, path: str, reached: _Reached, callers: tuple[str, ...]) -> _Reached:
        """Check a script that a script calls."""
        target = located(path, command.words[0])
        if identity(target) in callers:
            self.add("the script calls itself", command, "leave the command out")
            return reached
        after_script = self.script(target, reached.unsampled(), callers)
        after_call = replace(after_script.unsampled(), hybrid=reached.hybrid, parts=reached.parts)
        return after_call.having("sampling") if "sampling" in reached.done else after_call

    def needs(self, command: ScriptCommand, reached: _Reached) -> None:
        """Check that what a command needs was done before."""
        for need in command.usage.needs:
            if need not in reached.done:
                message, hint = _MISSING[need]
                self.add(f"{message} for {command.name}", command, hint)
        if "sampling" in command.usage.needs and reached.hybrid and reached.parts:
            message = "a hybrid sampling cannot be joined with binary and numeric ones"
            self.add(message, command, "clean-sampling forgets the samplings before")

    def files(self, command: ScriptCommand, path: str) -> bool:
        """Check the files that a command names; return whether those to read can be read."""
        readable = True
        inputs = [located(path, text) for text in command.inputs]
        for file in inputs:
            if any(identity(str(candidate)) in self.written for candidate in (file, *Path(file).parents)):
                # The file is written by an earlier command, or lies in a folder that one fills.
                readable = readable and os.access(file, os.R_OK)
            elif not os.access(file, os.R_OK):
                readable = self.attempt(partial(read_source, file)) and readable
        for text in command.outputs:
            output = located(path, text)
            try:
                require_writable(output, (path, *inputs))
            except OutputError as error:
                self.problems += (Problem(f"{output}: {each.message}", hint=each.hint) for each in error.problems)
            self.written.add(identity(output))
        if command.name in CONVERSIONS:
            self.written.add(identity(located(path, command.words[-1])))
        return readable

    def options(self, command: ScriptCommand, system: VariabilityModel | None) -> None:
        """Check names of options, and that a sampling is restricted to options of its kind."""
        sampling = command.sampling
        names = command.words if command.name == "optionorder" else ()
        names += () if sampling is None else sampling.options
        for name in names if system is not None else ():
            assert system is not None
            if name not in system.spellings:
                self.add(f"unknown option {name!r}", command, unknown_name_hint(name, system.names))
            elif sampling is not None:
                allowed = restrictable(system, sampling.kind)
                if system.spellings[name] not in allowed:
                    message = f"{name!r} is not a {sampling.kind} option of {system.name}"
                    self.add(message, command, unknown_name_hint(name, list(allowed)))

    def system(self, path: str) -> VariabilityModel | None:
        """Return a system, None where it cannot be read."""
        key = identity(path)
        if key not in self.systems:
            self.systems[key] = None
            try:
                self.systems[key] = read_variability_model(path)
            except SplcError as error:
                self.problems += error.problems
        return self.systems[key]

    def attempt(self, read: Callable[[], object]) -> bool:
        """Return whether a file can be read; add the reasons if not."""
        try:
            read()
        except SplcError as error:
            for problem in error.problems:
                problem_with_file = Problem(f"{problem.file}: {problem.message}", hint=problem.hint)
                self.problems.append(problem if problem.line is not None else problem_with_file)
            return False
        return True

    def add(self, message: str, command: ScriptCommand, hint: str | None) -> None:
        """Add a problem of a command."""
        self.problems.append(Problem(message, text=command.text, hint=hint))
