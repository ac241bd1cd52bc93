"""A model of PyTorch's caching allocator."""
