"""Everything that plays episodes: policies, the one episode loop, trajectory files, evaluation, reports."""
