"""*Why?*: a number taken apart into what went into it, where that is from, and how it was proven."""
