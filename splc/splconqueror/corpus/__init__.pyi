from splc.splconqueror.corpus.corpus import Request as Request
from splc.splconqueror.corpus.corpus import Result as Result
from splc.splconqueror.corpus.corpus import run as run
