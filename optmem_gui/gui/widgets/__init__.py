"""Widgets that know nothing of the program's state."""
