"""Scripts of SPL Conqueror: what they share, what they write, and what is refused before anything runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sampling import sample
from splc import read_model, read_variability_model
from splc.errors import InputError, SplcError
from splc.formats.measurements.read import read_measurements
from splc.formats.models.read import read_stored_models
from splc.formats.scripts.commands import COMMANDS
from splc.splconqueror.interpreter import METHODS
from splc.splconqueror.run import Request, Result, run
from splc.splconqueror.study import WrittenStudy
from tests.cli.conftest import MEASUREMENTS, SYSTEM
from tests.support.scripts import INPUTS, Runs, rows
from tests.support.watches import Told


def test_every_command_has_a_method() -> None:
    """Each command of the table can be run."""
    assert set(METHODS) == {each.name for each in COMMANDS}


class TestLogs:
    def test_lines_without_a_file(self, runs: Runs) -> None:
        """Without `log` the lines are handed out; every command is echoed before what it prints."""
        result, lines = runs(INPUTS + "select-all-measurements true\nstart # now\nanalyze-learning")
        echoed = [line for line in lines if line.startswith("command: ")]
        assert echoed == [
            "command: vm system.xml",
            "command: all measurements.csv",
            "command: nfp time",
            "command: select-all-measurements true",
            "command: start",
            "command: analyze-learning",
        ]
        assert lines[lines.index("command: all measurements.csv") + 2] == "9 configurations loaded."
        assert "Learning: NumberOfConfigurationsLearning:9 NumberOfConfigurationsValidation:9" in lines
        assert lines[-1] == "Analyze finished"
        assert result.logs == ()

    def test_log_files(self, runs: Runs, folder: Path) -> None:
        """`log` names the file of the following lines, also in scripts that are called, until the next `log`."""
        main = f"{INPUTS}log one.log\nscript sub.a\nselect-all-measurements true\nlearn-splconqueror\nclean-sampling"
        sub = "binary allbinary\nlearn-splconqueror\nlog two.log\n"
        (folder / "one.log").write_text("an older run")
        result, lines = runs(main, sub=sub)
        one = (folder / "one.log").read_text(encoding="utf-8").splitlines()
        two = (folder / "two.log").read_text(encoding="utf-8").splitlines()
        assert one[0].startswith("Current machine learning settings: ")
        assert one[-1] == "command: log two.log"
        assert two[1:3] == ["command: select-all-measurements true", "command: learn-splconqueror"]
        assert two[-2:] == ["Finished", "command: clean-sampling"]
        assert lines[-1] == "command: log one.log"
        assert [Path(file).name for file in result.logs] == ["one.log", "one.log_error", "two.log", "two.log_error"]
        assert [Path(each.log or "").name for each in result.models] == ["one.log", "two.log"]

    def test_a_log_is_a_model(self, runs: Runs, folder: Path) -> None:
        """The models of a log are those that the script learned."""
        binary = "binary optionwise\nlearn-splconqueror\nclean-sampling\n"
        result, _ = runs(f"log a.log\n{INPUTS}mlsettings abortError:0\n{binary}select-all-measurements true\nstart")
        system = read_variability_model(folder / "system.xml")
        stored = read_stored_models([str(folder / "a.log")], system, learning=0)
        assert len(result.models) == 2
        everything = sample(system, "all+ff")
        for each, found in zip(result.models, stored, strict=True):
            assert np.allclose(found.model.predict(everything), each.result.model.predict(everything), rtol=1e-12)


class TestScope:
    def test_sub_scripts(self, runs: Runs) -> None:
        """A script shares inputs and the model with those that it calls, but neither settings nor samplings."""
        main = f"mlsettings abortError:50\nselect-all-measurements true\nscript sub.a\n{INPUTS}learn-splconqueror"
        sub = f"{INPUTS}binary featurewise\nlearn-splconqueror\nclean-global"
        result, _ = runs(main, sub=sub)
        first, second = result.models
        assert first.result.settings["abortError"] == 1
        assert second.result.settings["abortError"] == 50
        assert first.sampling == ("binary featurewise",)
        assert second.result.learning_configurations == 9

    def test_a_model_of_a_sub_script(self, runs: Runs) -> None:
        """The script that called can analyze what the other one learned."""
        _, lines = runs(INPUTS + "script sub.a\nanalyze-learning", sub="select-all-measurements true\nstart")
        assert lines[-1] == "Analyze finished"

    def test_settings_are_replaced(self, runs: Runs) -> None:
        """`mlsettings` resets what it does not mention."""
        learn = "select-all-measurements true\nlearn-splconqueror\n"
        text = f"{INPUTS}mlsettings abortError:7\nmlsettings numberOfRounds:1\n{learn}"
        (model,) = runs(text)[0].models
        assert (model.result.settings["abortError"], len(model.result.rounds)) == (1, 1)

    def test_clean_and_rollback(self, runs: Runs) -> None:
        """`clean-sampling` forgets the samplings, `rollback` takes the last such command back."""
        text = f"{INPUTS}binary optionwise\nclean-sampling\nrollback\nlearn-splconqueror"
        (model,) = runs(text)[0].models
        assert model.sampling == ("binary optionwise",)

    def test_several_scripts(self, runs: Runs, folder: Path) -> None:
        """Scripts of one call run one after the other, each on its own."""
        runs(one=INPUTS + "log one.log\nselect-all-measurements true\nstart")
        (folder / "two.a").write_text("vm system.xml\nlog two.log", encoding="utf-8")
        result = run(Request(scripts=(str(folder / "one.a"), str(folder / "two.a"))))
        assert len(result.models) == 1
        assert (folder / "two.log").read_text(encoding="utf-8").count("\n") == 1


class TestLearningSets:
    def test_union_and_product(self, runs: Runs, folder: Path) -> None:
        """Binary samplings are joined, so are numeric ones; the sample is their product."""
        numeric = "numeric fullfactorial\nnumeric centralcomposite\n"
        _, _ = runs(f"{INPUTS}binary featurewise\nbinary pairwise\n{numeric}printconfigs a.csv")
        system = read_variability_model(folder / "system.xml")
        wanted = {
            tuple(row)
            for one in ("optionwise", "pairwise")
            for other in ("ff", "cci:compat")
            for row in sample(system, f"{one}+{other}").indices.tolist()
        }
        found = [[int(row[name]) for name in ("cache", "left", "right", "x")] for row in rows(folder / "a.csv", ";")]
        assert len(found) == len(wanted)
        assert {(*row[:3], (1, 2, 4).index(row[3])) for row in found} == wanted

    def test_validation(self, runs: Runs) -> None:
        """Candidates are judged by the validation set, whose error the log states."""
        result, lines = runs(f"{INPUTS}binary featurewise\nbinary allbinary validation\nlearn-splconqueror")
        (model,) = result.models
        assert (model.result.learning_configurations, model.validation) == (9, 9)
        text = f"{INPUTS}numeric random numConfigs:2 seed:1\nbinary allbinary validation:true\nstart"
        result, lines = runs(text)
        (model,) = result.models
        assert model.result.learning_configurations == 6
        assert model.validation == 9
        last = [line for line in lines if line[:1].isdigit() and ";" in line][-1].split(";")
        assert float(last[4]) == pytest.approx(model.error)
        assert float(last[2]) == pytest.approx(model.result.learning_error)
        assert model.error != model.result.learning_error

    def test_only_a_validation_set(self, runs: Runs) -> None:
        """Without a learning set the validation set is learned from."""
        (model,) = runs(f"{INPUTS}binary allbinary validation\nlearn-splconqueror")[0].models
        assert model.result.learning_configurations == 9

    def test_configurations_of_a_file(self, runs: Runs, folder: Path) -> None:
        """`random … fromFile` draws from the configurations of a file that `printconfigs` wrote."""
        text = f"{INPUTS}binary featurewise\nprintconfigs drawn.csv\nclean-sampling\n"
        runs(text + "binary random numConfigs:2 seed:2 fromFile:drawn.csv\nprintconfigs some.csv")
        known = {tuple(row.values()) for row in rows(folder / "drawn.csv", ";")}
        found = {tuple(row.values()) for row in rows(folder / "some.csv", ";")}
        assert len({row[:4] for row in found}) == 2
        assert found < known

    def test_draws_of_the_program_of_2018(self, folder: Path) -> None:
        """With the preset splconqueror-2019 a script draws as the program before June 2023, in runs and in studies."""
        text = f"{INPUTS}binary random numConfigs:3 seed:10\nprintconfigs some.csv\nlearn-splconqueror\n"
        (folder / "main.a").write_text(text, encoding="utf-8")
        found = {}
        for preset in ("splconqueror", "splconqueror-2019"):
            run(Request(scripts=(str(folder / "main.a"),), preset=preset))
            drawn = [tuple(row.values())[:4] for row in rows(folder / "some.csv", ";")]
            found[preset] = list(dict.fromkeys(drawn))
            scripts, output = (str(folder / "main.a"),), str(folder / "s.toml")
            study = run(Request(scripts=scripts, preset=preset, output=output, to_study=True))
            assert isinstance(study, WrittenStudy)
            rule = "compat=2018" if preset.endswith("2019") else "compat"
            assert study.samplings == (f"random:3,{rule},seed=10+ff",)
        assert set(found["splconqueror"]) == set(found["splconqueror-2019"])
        assert found["splconqueror"] != found["splconqueror-2019"]

    def test_what_the_program_does_otherwise(self, runs: Runs, folder: Path) -> None:
        """Notes say that the program keeps invalid rows and has another k-exchange."""
        text = SYSTEM.replace("!cache | left", "!cache")
        (folder / "system.xml").write_text(text, encoding="utf-8")
        script = f"{INPUTS}numeric kexchange sampleSize:2 k:1\nlearn-splconqueror\n"
        notes = [str(note) for note in runs(script)[0].notes]
        assert any("the program keeps them" in note for note in notes), notes
        assert sum("kexchange" in note and "other rows" in note for note in notes) == 1
        assert not any("keeps" in str(note) for note in runs(script.replace("all ", "all check:false "))[0].notes)

    def test_the_nearest_measured(self, runs: Runs, folder: Path) -> None:
        """A sampled configuration that was not measured is replaced by the nearest one; the other file says so."""
        lines = MEASUREMENTS.splitlines(keepends=True)
        (folder / "measurements.csv").write_text("".join(lines[:-1]), encoding="utf-8")
        result, _ = runs(f"log a.log\n{INPUTS}binary allbinary\nlearn-splconqueror")
        assert result.models[0].result.learning_configurations == 8
        assert "replaced by the nearest" in (folder / "a.log_error").read_text(encoding="utf-8")
        assert any("replaced by the nearest" in str(note) for note in result.notes)

    def test_an_evaluation_set(self, runs: Runs, folder: Path) -> None:
        """Errors are those on the evaluation set."""
        (folder / "other.csv").write_text(MEASUREMENTS.replace("14,40", "28,40"), encoding="utf-8")
        text = f"{INPUTS}evaluationset other.csv\nselect-all-measurements true\nlearn-splconqueror\nanalyze-learning"
        result, lines = runs(text)
        (model,) = result.models
        assert model.error == pytest.approx(model.result.error)
        assert model.error != pytest.approx(model.result.error_all)
        assert float(lines[-2].rpartition(";")[2]) == pytest.approx(model.error)

    def test_a_stated_deviation(self, runs: Runs, folder: Path) -> None:
        """The deviation that measurements state becomes abortError, unless the script sets another one."""
        data = "<data column='Configuration'>left,</data><data column='Variable Features'>x;{}</data>"
        cells = "".join(f"<row>{data.format(x)}<data column='time'>{x * 2}</data></row>" for x in (1, 2, 4))
        (folder / "m.xml").write_text(f"<results deviation='2;9.5'>{cells}</results>", encoding="utf-8")
        text = "vm system.xml\n{}all m.xml\nselect-all-measurements true\nstart\n"
        result, lines = runs(text.format(""))
        assert result.models[0].result.settings["abortError"] == 9.5
        assert "3 configurations loaded. abortError set to highest deviation value: 9.5." in lines
        assert runs(text.format("mlsettings abortError:4\n"))[0].models[0].result.settings["abortError"] == 4


class TestFiles:
    def test_command_lines(self, runs: Runs, folder: Path) -> None:
        """`printconfigs` writes a line per configuration, options in the order of `optionorder`."""
        runs(f"{INPUTS}binary featurewise\nnumeric centralcomposite\noptionorder x left\nprintconfigs a.txt ./run")
        lines = (folder / "a.txt").read_text(encoding="utf-8").splitlines()
        assert lines[0].startswith('./run "root%;%x;')
        assert all(line.endswith(" postfix") for line in lines)

    @pytest.mark.parametrize("order", ["root x", "x root", "Enabledx x", "root"])
    def test_order_with_the_root(self, runs: Runs, folder: Path, order: str) -> None:
        """The root, which is first in every line, and switches of numeric options may be in `optionorder`."""
        optional = "<values>1;2;4</values><optional>True</optional><deselectedFlag>-1</deselectedFlag>"
        (folder / "system.xml").write_text(SYSTEM.replace("<values>1;2;4</values>", optional), encoding="utf-8")
        plain = f"{INPUTS}binary featurewise\nnumeric fullfactorial\n"
        runs(f"{plain}optionorder {order}\nprintconfigs a.txt\noptionorder x\nprintconfigs b.txt", check=False)
        lines = [(folder / name).read_text(encoding="utf-8").splitlines() for name in ("a.txt", "b.txt")]
        assert [line.startswith('prefix "root%;%') for line in lines[0]] == [True] * len(lines[1])
        assert (lines[0] == lines[1]) == ("x" in order.split())

    def test_measurements(self, runs: Runs, folder: Path) -> None:
        """`measurementstocsv` writes what was sampled, without a sampling everything; it can be read back."""
        sampling = "binary allbinary\nnumeric random numConfigs:1\n"
        runs(f"{INPUTS}measurementstocsv all.csv\n{sampling}measurementstocsv one.csv")
        system = read_variability_model(folder / "system.xml")
        assert len(read_measurements(folder / "all.csv", system)) == 9
        assert len(read_measurements(folder / "one.csv", system)) == 3

    def test_what_written_measurements_lack(self, runs: Runs, folder: Path) -> None:
        """Scripts note what the tables that they write do not state: contexts and repetitions."""
        lines = (folder / "measurements.csv").read_text(encoding="utf-8").splitlines()
        text = "\n".join([f"host,{lines[0]}", *(f"a,{line}" for line in lines[1:])])
        (folder / "measurements.csv").write_text(text, encoding="utf-8")
        result, _ = runs(f"{INPUTS}measurementstocsv all.csv\nconvert-measurements . . *.csv ./binary")
        for file in ("all.csv", "measurements.csv"):
            said = [str(note) for note in result.notes if f"{file}: " in str(note)]
            assert [any(word in note for note in said) for word in ("contexts", "repetitions")] == [True, True]

    def test_samplings_that_select_nothing(self, runs: Runs, folder: Path) -> None:
        """Files of such samplings are empty, with a note on the reason; nothing can be learned from them."""
        options = "".join(
            f"<configurationOption><name>{name}</name><parent>{parent}</parent><optional>True</optional>"
            "</configurationOption>"
            for name, parent in (("a", ""), ("b", "a"))
        )
        (folder / "chain.xml").write_text(f"<vm name='chain'><binaryOptions>{options}</binaryOptions></vm>")
        (folder / "chain.csv").write_text("a,b,time\n0,0,1\n1,0,2\n1,1,3\n")
        text = "vm chain.xml\nall chain.csv\nbinary random numConfigs:asTW2 seed:15\n"
        result, _ = runs(f"{text}printconfigs a.csv\nprintconfigs a.txt\nmeasurementstocsv m.csv")
        assert (folder / "a.txt").read_text() == ""
        assert [len((folder / name).read_text().splitlines()) for name in ("a.csv", "m.csv")] == [1, 1]
        assert any("asTW2 is 0 for chain" in str(note) for note in result.notes)
        with pytest.raises(SplcError, match=r"nothing to learn from: asTW2 is 0 for chain"):
            runs(f"{text}learn-splconqueror")

    def test_predictions(self, runs: Runs, folder: Path) -> None:
        """Predictions of all measured configurations are those of the model of the log."""
        learn = "select-all-measurements true\nlearn-splconqueror\n"
        result, _ = runs(
            f"log a.log\n{INPUTS}{learn}predict-all-configs-splconqueror p.csv\npredict-configs-splconqueror"
        )
        system = read_variability_model(folder / "system.xml")
        measured = read_measurements(folder / "measurements.csv", system)
        predicted = [float(row["predicted"]) for row in rows(folder / "p.csv")]
        model = read_model(folder / "a.log", system)
        assert np.allclose(predicted, model.predict(measured.configurations), rtol=1e-12)
        assert [Path(file).name for file in result.files] == [
            "p.csv",
            "a_predictions_select-all-measurements-true.csv",
        ]
        assert rows(Path(result.files[1])) == rows(folder / "p.csv")

    def test_settings_in_a_file(self, runs: Runs, folder: Path) -> None:
        """`load-mlsettings` reads settings, `printsettings` prints them."""
        (folder / "s.txt").write_text("abortError 12\n", encoding="utf-8")
        _, lines = runs("load-mlsettings s.txt\nprintsettings")
        assert lines[1] == lines[3]
        assert " abortError:12 " in lines[3]

    def test_windows_paths(self, runs: Runs, folder: Path) -> None:
        """Backslashes separate folders, where no file has such a name."""
        (folder / "deep").mkdir()
        (folder / "system.xml").rename(folder / "deep" / "system.xml")
        runs("vm .\\deep\\system.xml\nlog deep\\a.log")
        assert (folder / "deep" / "a.log").exists()


class TestNotes:
    def test_a_note_of_many_commands(self, runs: Runs, folder: Path) -> None:
        """A note about several commands is given once, with their number."""
        lines = MEASUREMENTS.splitlines(keepends=True)
        (folder / "measurements.csv").write_text("".join(lines[:-1]), encoding="utf-8")
        result, _ = runs(INPUTS + "binary allbinary\n" + "learn-splconqueror\n" * 3)
        (note,) = (str(each) for each in result.notes if "replaced by the nearest" in str(each))
        assert "main.a:5: 1 sampled" in note
        assert note.endswith("(and 2 commands more)")

    def test_another_system(self, runs: Runs, folder: Path) -> None:
        """The measurements of a system are forgotten with it; the same system again changes nothing."""
        text = f"{INPUTS}vm system.xml\nselect-all-measurements true\nstart\n"
        assert len(runs(text)[0].models) == 1
        (folder / "other.xml").write_text(SYSTEM.replace("cache", "cash"), encoding="utf-8")
        with pytest.raises(InputError, match=r"main\.a:6: there are no measurements yet"):
            runs(text.replace("vm system.xml\nselect", "vm other.xml\nselect"), check=True)


class TestRefused:
    def test_nothing_runs(self, runs: Runs, folder: Path) -> None:
        """An error in the last line is found before the first one is run."""
        with pytest.raises(InputError):
            runs(f"log a.log\n{INPUTS}learn-splconqeror")
        assert not (folder / "a.log").exists()

    def test_all_scripts_at_once(self, runs: Runs) -> None:
        """Errors of scripts that are called are reported, too, and lines after a faulty one are not doubted."""
        with pytest.raises(InputError) as caught:
            runs(f"{INPUTS}binary parwise\nstart\nscript sub.a", sub="analyze\nnumeric fullfactorial\nstart")
        assert [each.line for each in caught.value.problems] == [4, 1]

    def test_a_file_that_is_written_first(self, runs: Runs) -> None:
        """A file that an earlier command writes need not be there."""
        text = f"{INPUTS}binary featurewise\nprintconfigs a.csv\nbinary random fromFile:a.csv"
        assert runs(text, check=True)[0].commands

    def test_parts_of_a_sampling_remain(self, runs: Runs) -> None:
        """Without all measurements, the parts of a sampling that were chosen are left; without parts, none is."""
        sampling = "binary featurewise\n", "numeric fullfactorial\n"
        for parts in (sampling[0], sampling[1], "".join(sampling)):
            text = f"{INPUTS}{parts}select-all-measurements false\nstart"
            assert runs(text, check=True)[0].commands
        with pytest.raises(InputError, match=r"main\.a:6: no sampling is chosen"):
            runs(f"{INPUTS}select-all-measurements true\nselect-all-measurements false\nstart", check=True)

    def test_errors_of_a_run(self, runs: Runs, folder: Path) -> None:
        """An error while a script runs states the script and the line; the log has all lines until then."""
        with pytest.raises(SplcError, match=r"main\.a:4: .*tim") as caught:
            runs("vm system.xml\nall measurements.csv\nlog a.log\nnfp tim")
        assert "time" in str(caught.value)
        assert (folder / "a.log").read_text(encoding="utf-8").splitlines()[-1] == "command: nfp tim"
        assert "main.a:4" in (folder / "a.log_error").read_text(encoding="utf-8")


def test_interruption(folder: Path) -> None:
    """A run that is stopped keeps what it wrote."""
    (folder / "a.a").write_text(f"log a.log\n{INPUTS}select-all-measurements true\nstart\nanalyze-learning")
    asked = iter([False] * 3 + [True] * 99)
    result = run(Request(scripts=(str(folder / "a.a"),)), Told(lambda: next(asked)))
    assert isinstance(result, Result)
    assert result.stopped
    lines = (folder / "a.log").read_text(encoding="utf-8").splitlines()
    assert lines[-2:] == ["Configs with too large deviation: 0", "9 configurations loaded."]
