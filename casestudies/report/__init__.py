"""The answer of the case studies: their pages, whose tables and figures come from the studies.

studies (`studies`) → tables of the thesis (`tables`), its questions (`questions`), facts
(`facts`), figures (`figures`) → page (`page`).
"""
