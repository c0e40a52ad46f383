"""The worth of each special case of the learners: errors and CPU time with one of them switched off."""
