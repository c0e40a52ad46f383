"""The functions of options that learners make terms of, and the least-squares fits of columns."""
