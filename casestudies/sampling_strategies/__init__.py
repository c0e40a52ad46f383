"""The evaluation of sampling strategies: the error of the default learner by strategy and size."""
