"""From a model's configuration to its tensors."""
