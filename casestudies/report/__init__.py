"""The answer of the case studies: `casestudies/README.md`, whose tables and figures come from the studies.

studies (`studies`) → tables of the thesis (`tables`), its questions (`questions`), figures (`figures`) → page (`page`).
"""
