"""The pages of the case studies, with tables and figures from their studies.

studies (`studies`) → tables of the thesis (`tables`), its questions (`questions`), facts
(`facts`), figures (`figures`) → page (`page`).
"""
