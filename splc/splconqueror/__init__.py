"""SPL Conqueror's programs: its scripts, and trees of its logs. Nothing but the command line imports it."""
