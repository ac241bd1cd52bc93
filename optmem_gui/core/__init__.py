"""What is true about training memory: pure functions over frozen values, standard library only."""
