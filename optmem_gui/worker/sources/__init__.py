"""Where a step comes from besides the program's own transformer: a ``config.json``, or a user's function."""
