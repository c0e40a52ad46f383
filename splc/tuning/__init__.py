"""Tuning: measure, learn, search and verify, until the best configuration is known and explained.

`tuner` asks for runs and is told their values, `history` has all runs, `proposal` chooses the next one, `verification`
chooses the winner by fresh runs, `sparse` leaves only the changes that matter, and `result` has what was found.
`session` runs a command, `replay` lets the rows of a table answer.
"""

from splc.lazy import attach_stub

attach_stub(__name__)
