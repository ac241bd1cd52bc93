"""English templates: what people often expect of an optimizer, and why it is not so."""

from __future__ import annotations

TEXTS: dict[str, str] = {
    "optimizer.bitsandbytes.AdamW8bit.belief": (
        "8-bit saves nothing on small tensors: below 4096 elements the state stays in fp32. Above, it is 2.03 bytes a parameter, the scales of its blocks included."
    ),
    "optimizer.bitsandbytes.PagedAdamW8bit.belief": (
        "Paging is not offloading: only tensors of 100,000 elements or more are in managed memory, and it stays on the GPU until the GPU is full."
    ),
    "optimizer.bitsandbytes.AdamW.belief": (
        "The name does not make it 8-bit: without optim_bits=8 it keeps 8 bytes a parameter in fp32, twice torch's with 16-bit parameters."
    ),
    "optimizer.torchao.AdamW8bit.belief": (
        "A tensor whose size blocks do not divide is silently kept in full: 4097 elements save nothing. Every quantized moment also has a table of its own, 1 KiB each."
    ),
    "optimizer.torchao.AdamW4bit.belief": (
        "Not half a byte a moment: with the scale of each block it is 0.53, and a tensor whose size blocks do not divide is kept in full."
    ),
    "optimizer.torchao.AdamWFp8.belief": (
        "No smaller than 8-bit: one byte an element and a scale a block. A tensor whose size blocks do not divide is kept in full."
    ),
    "optimizer.torchao.CPUOffloadOptimizer.belief": (
        "The state costs no GPU memory, and more of the host than the state: a pinned copy of every weight and gradient comes with it."
    ),
    "optimizer.transformers.Adafactor.belief": (
        "Not 4 bytes a parameter: close to none for matrices, always in fp32. Only the last two axes are factored, so a 3 x 3 convolution keeps two thirds of its size."
    ),
    "optimizer.optimi.AdamW.belief": (
        "6 bytes a 16-bit parameter, not 4: a Kahan compensation as large as the weights is kept unless kahan_sum is false."
    ),
    "optimizer.optimi.SGD.belief": (
        "Not stateless with 16-bit parameters: even without momentum the Kahan compensation is as large as the weights."
    ),
    "optimizer.timm.RAdamLegacy.belief": "8 bytes a parameter also for 16-bit ones: its state is always fp32. torch.RAdam's follows the parameter.",
    "optimizer.timm.AdaBelief.belief": "8 bytes a parameter also for 16-bit ones: its state is always fp32.",
    "optimizer.timm.Adahessian.belief": (
        "Its state is not all: the trace of the Hessian stays on every parameter as an fp32 attribute, and backward keeps the graph of the gradients."
    ),
    "optimizer.timm.Adafactor.belief": (
        "Not the axes that others factor: a convolution is factored over its channels, so a 3 x 3 kernel does not spoil the saving; sides of 16 or less are kept in full."
    ),
    "optimizer.timm.AdafactorBigVision.belief": (
        "Not nearly free: by default it keeps a bf16 momentum as large as the parameters."
    ),
    "optimizer.timm.Muon.belief": (
        "It trains a whole model by itself: what is not a matrix of sensible sides, it gives to an AdamW of its own with two moments."
    ),
    "optimizer.timm.SGDP.belief": "Not stateless without momentum: the buffer is made all the same.",
    "optimizer.timm.Kron.belief": (
        "Far more than its momentum: every axis up to 2048 long has a square factor, so a square matrix costs two more of its size."
    ),
    "optimizer.deepspeed.DeepSpeedCPUAdam.belief": (
        "8 bytes a parameter of host memory also for 16-bit parameters: its state is fp32 unless fp32_optimizer_states is off."
    ),
    "optimizer.apex.FusedAdam.belief": "8 bytes a parameter also for 16-bit ones: its moments are always fp32.",
    "optimizer.transformer_engine.FusedAdam.belief": (
        "8 bytes a parameter also for 16-bit ones: its moments are fp32 unless exp_avg_dtype says otherwise."
    ),
    "optimizer.flashoptim.FlashAdamW.belief": (
        "3.13 bytes a 16-bit parameter, not 2: 8 further bits of every weight are kept too, so that no master weights are needed. Every tensor is quantized, however small."
    ),
}
