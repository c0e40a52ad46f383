"""The functions of options that learners make terms of."""
