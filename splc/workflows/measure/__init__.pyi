from splc.workflows.measure.measure import Result as Result
from splc.workflows.measure.measure import preview as preview
from splc.workflows.measure.measure import run as run
from splc.workflows.measure.request import Request as Request
