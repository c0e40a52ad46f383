"""The default learner: a Bayesian model of all products of options, projected onto a short sum of terms."""
