from splc.workflows.measure.measure import Request as Request
from splc.workflows.measure.measure import run as run
from splc.workflows.measure.outcome import Preview as Preview
from splc.workflows.measure.outcome import Result as Result
