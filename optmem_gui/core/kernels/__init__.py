"""Memory that CUDA kernels take besides their results, as functions of the call.

A recorded step holds allocations that no tensor of the model explains: multi-block reductions, sorted
indices, copies of operands that cuBLAS cannot read, workspaces. Their sizes follow from the shapes, the
release of torch and two facts about the GPU, so they are computed here, without torch and without a GPU.
"""
