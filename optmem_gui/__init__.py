"""OptMem: how much GPU memory training takes, where it goes, and whether it fits."""

__version__ = "0.1.0"
