"""Readers of checkpoint files, headers only."""
