from splc.workflows.tune.live import Result as Result
from splc.workflows.tune.live import TuningPreview as TuningPreview
from splc.workflows.tune.live import preview as preview
from splc.workflows.tune.live import run as run
from splc.workflows.tune.request import Request as Request
from splc.workflows.tune.view import ReplayResult as ReplayResult
from splc.workflows.tune.view import replays_of as replays_of
