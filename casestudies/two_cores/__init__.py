"""SMG2000 and BoomerAMG with as many processes as cores: runs in random order, in blocks, on two days."""
