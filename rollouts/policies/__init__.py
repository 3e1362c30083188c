"""One file per policy or model provider; provider clients are imported here and nowhere else."""
