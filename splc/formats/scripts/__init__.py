"""Scripts of SPL Conqueror (`.a`): commands, one per line."""
