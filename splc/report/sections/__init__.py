"""The sections of reports, one per file: what a report has on one question."""
