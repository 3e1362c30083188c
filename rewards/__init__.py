"""Pure scoring: standard library only, no I/O, no knowledge of episodes or tools."""
