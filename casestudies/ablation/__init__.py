"""What each special case of the learners is worth: errors and CPU time with one of them switched off."""
