"""The errors that SPL Conqueror's published logs state, recomputed, and their rounds learned again."""
