from splc.workflows.describe.describe import Request as Request
from splc.workflows.describe.describe import Result as Result
from splc.workflows.describe.describe import run as run
