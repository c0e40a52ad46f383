"""The evaluation of tuning runs on measured tables, beside random runs, a regression tree, TPE and published runs."""
