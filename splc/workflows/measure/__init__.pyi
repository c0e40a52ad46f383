from splc.workflows.measure.measure import Request as Request
from splc.workflows.measure.measure import Result as Result
from splc.workflows.measure.measure import preview as preview
from splc.workflows.measure.measure import run as run
