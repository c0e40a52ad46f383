"""Feature forward selection with stepwise regression (SPL Conqueror's algorithm)."""
