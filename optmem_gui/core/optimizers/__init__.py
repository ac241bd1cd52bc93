"""The catalogue of optimizers: what each implementation keeps, as data."""
