"""Scripts of SPL Conqueror: checked as a whole, then run command by command."""
