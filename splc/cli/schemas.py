"""The JSON Schemas of all `--json` outputs, and of programs; `python -m splc.cli.schemas FOLDER` writes them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from splc.cli.show import (
    calibrate,
    changed,
    compare,
    corpus,
    describe,
    example,
    explain,
    explain_configuration,
    init,
    learn,
    learn_by,
    measure,
    optimize,
    predict,
    report,
    run,
    sample,
    scale,
    study,
    suggest,
    suggest_configurations,
    tune,
    tune_replays,
)
from splc.formats.models.programs.program import ProgramObject
from splc.io.files import write_whole
from splc.io.json_schema import schema_of

WIDTH = 100
OUTPUTS = (
    calibrate.CalibrationObject,
    calibrate.CalibrationsObject,
    changed.ChangedObject,
    compare.ComparisonObject,
    compare.ComparisonsObject,
    corpus.CorpusObject,
    describe.DescriptionObject,
    example.ExampleObject,
    example.ExamplesObject,
    explain.ExplanationObject,
    explain_configuration.ExplainedPredictionObject,
    init.InitObject,
    learn.LearnedObject,
    learn_by.LearnedByObject,
    measure.MeasurementObject,
    measure.PreviewObject,
    optimize.OptimumObject,
    optimize.ParetoObject,
    predict.PredictionsObject,
    predict.ContextPredictionsObject,
    report.ReportObject,
    run.ScriptRunObject,
    run.WrittenStudyObject,
    sample.SampleObject,
    scale.ScaleObject,
    scale.ScaleSeveralObject,
    scale.ContextScaleObject,
    study.StudyObject,
    study.ContextStudiesObject,
    suggest.PointSuggestionsObject,
    suggest_configurations.ConfigurationSuggestionsObject,
    tune.TuneObject,
    tune_replays.TuneReplaysObject,
    ProgramObject,
)


def file_name(schema_id: str) -> str:
    """Return the name of the file of a schema: `splc.learn-1.json` of `splc.learn/1`."""
    return schema_id.replace("/", "-") + ".json"


def schema_texts() -> dict[str, str]:
    """Return name of the file → the JSON Schema of each output."""
    return {file_name(kind.schema_id): _text(schema_of(kind)) + "\n" for kind in OUTPUTS}


def _text(value: Any, indent: str = "") -> str:
    """Return a JSON value as text; what fits is on one line."""
    line = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict) or len(indent) + len(line) <= WIDTH:
        return line
    inner = indent + "  "
    entries = (f"{inner}{json.dumps(name)}: {_text(each, inner)}" for name, each in value.items())
    return "{\n" + ",\n".join(entries) + f"\n{indent}}}"


def main(folder: str) -> None:
    """Write the schemas into a folder."""
    for name, text in schema_texts().items():
        write_whole(str(Path(folder) / name), text)


if __name__ == "__main__":
    main(*sys.argv[1:])
