"""File formats: readers and writers, one folder per kind of file."""
