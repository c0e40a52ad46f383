"""An agent that learns which points to measure: the experiment of Learning Cost-Effective Sampling Strategies, III."""
