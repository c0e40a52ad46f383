"""Recovery: which terms of a known formula the designs of the thesis find, from times that the formula itself gives."""
