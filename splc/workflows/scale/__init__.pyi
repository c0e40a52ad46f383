from splc.workflows.scale.scale import DEFAULT_OUTPUT as DEFAULT_OUTPUT
from splc.workflows.scale.scale import Request as Request
from splc.workflows.scale.scale import Result as Result
from splc.workflows.scale.scale import run as run
from splc.workflows.scale.scale import run_by as run_by
