from splc.workflows.learn.learn import Result as Result
from splc.workflows.learn.learn import run as run
from splc.workflows.learn.request import Request as Request
