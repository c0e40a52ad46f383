"""BoomerAMG's own options: what their measurements answer, with many seeds."""
