from splc.report.page import Page as Page
from splc.report.report import Request as Request
from splc.report.report import Result as Result
from splc.report.report import require_format as require_format
from splc.report.report import run as run
