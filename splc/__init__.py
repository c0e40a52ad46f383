"""Performance-influence models of configurable systems: describe, sample, measure, learn, compare.

The vocabulary, and the verbs on values in memory. Names are imported on first use, so that `splc --help` imports not
even numpy.
"""

from splc._version import __version__ as __version__
from splc.lazy import attach_stub

attach_stub(__name__)
