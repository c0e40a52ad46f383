"""Grey box: how much a formula saves that is right in parts, and what a wrong one costs, on the four case studies."""
