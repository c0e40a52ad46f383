"""Model text to canonical sum of terms, and back."""
