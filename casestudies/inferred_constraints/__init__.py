"""The evaluation of constraints that are inferred from tables: are they true, are they complete, do they help?"""
