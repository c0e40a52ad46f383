"""The sections of reports, one per file: what a report has on one question.

A section is a function in a file of its own. It takes what it is about (`ModelSubject`, the result of a workflow, a
`StudyArchive`), and returns a `Section`, or None where there is nothing to say:

    def drift_section(subject: ModelSubject) -> Section | None:
        '''Return …; None without …'''
        return Section("drift", "The title", (Paragraph("…"), drift_chart(…), TextTable(…)))

- The name is that of its place in the page (`#drift`), and stays the same.
- Blocks are the values of `splc.report.page`. A chart is made by a function of `splc.plotting.charts`, of arrays and
  texts only, so that `--plot` and notebooks draw it, too: it has a title, a description in sentences, axes with
  units, a legend, and its values as a table. Texts from files are plain: what writes the page escapes them.
- It computes nothing that a workflow has computed, and has no randomness.
- The page (`model_page`, `study_page`, …) lists its sections in the order of reading, and begins with the answer: a
  few sentences, the most important one first.

A new kind of result has a page function `….py` beside them, and a case in `splc.report.report`.
"""
