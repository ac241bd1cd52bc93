"""Real engines on real processes, and what the program says that each of them holds."""
