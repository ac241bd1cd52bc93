"""What one rank of a run over several GPUs holds."""
