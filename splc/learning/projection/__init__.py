"""The default learner: a Bayesian model of all products of options, projected onto a short sum of terms.

Other packages import the names of `__init__.pyi` from here, and nothing from its modules.
"""

from splc.lazy import attach_stub

attach_stub(__name__)
