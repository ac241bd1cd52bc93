"""Trace a training step without a GPU: meta tensors in, the caching allocator's events out."""
