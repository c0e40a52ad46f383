"""The accuracy of learners: on real systems, on generated systems whose true models are known, and on pure noise."""
