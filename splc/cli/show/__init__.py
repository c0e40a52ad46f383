"""The output of the subcommands as text and as JSON."""
