"""English templates: what is particular about optimizers of single-algorithm packages."""

from __future__ import annotations

TEXTS: dict[str, str] = {
    "optimizer.adabelief_pytorch.AdaBelief": "Adam with the variance of the gradient around its average: two moments.",
    "optimizer.adam_atan2_pytorch.ForeachAdamAtan2": "Two moments and a copy of the initial weights.",
    "optimizer.adam_atan2_pytorch.ForeachAdamAtan2.belief": (
        "The foreach variant keeps a third copy: the initial weights are stored even where regen_reg_rate is 0."
    ),
    "optimizer.adam_mini.Adam_mini": "A first moment in full, and one second-moment number a head, row or tensor, by name.",
    "optimizer.adam_mini.Adam_mini.belief": "It saves half of Adam's state, not more: the first moment stays as large as the parameters.",
    "optimizer.lomo_optim.AdaLomo": "Row and column averages of the second moment, in fp32, and no gradients between layers.",
    "optimizer.lomo_optim.Lomo": "No state: each gradient updates its parameter in backward and is freed.",
    "optimizer.lomo_optim.Lomo.belief": (
        "It saves the gradients too, which this estimate still counts: the update runs inside backward, parameter by parameter."
    ),
    "optimizer.adamw_bf16.AdamWBF16": "AdamW for bf16 weights: two moments and a compensation of rounding, all bf16.",
    "optimizer.adamw_bf16.AdamWBF16.belief": "Not 4 bytes a parameter: the compensation (shift) makes it 6.",
    "optimizer.came_pytorch.CAME": "Adafactor with a first moment and factored confidence.",
    "optimizer.came_pytorch.CAME.belief": (
        "Only the second moment is factored: the first moment stays in full size, and in fp32 also for 16-bit parameters."
    ),
    "optimizer.dadaptation.DAdaptSGD.belief": (
        "Not SGD's memory: three tensors as large as the parameters, also without momentum."
    ),
    "optimizer.dadaptation.DAdaptAdan": "Adan's states and a sum that estimates the distance to the solution.",
    "optimizer.apollo_torch.APOLLOAdamW": "A random low-rank space estimates how to scale each channel of the gradient.",
    "optimizer.apollo_torch.APOLLOAdamW.belief": (
        "A rank above the shorter side costs more than Adam: random projectors are not cut. With proj=svd and fp32 gradients the whole factor stays."
    ),
    "optimizer.dion.Dion": "Momentum and a low-rank basis of each hidden matrix; AdamW or Lion for the rest.",
    "optimizer.dion.Dion.belief": "Not low-rank by default: rank_fraction 1 keeps a square basis as wide as the shorter side.",
    "optimizer.distributed_shampoo.DistributedShampoo": (
        "A factor and its inverse root for each side of each block, packed as triangles in fp32, and filtered gradients."
    ),
    "optimizer.distributed_shampoo.DistributedShampoo.belief": (
        "Not full squares, and not at the first step: packed triangles, allocated when the optimizer is made, in fp32 whatever the type of the parameters."
    ),
    "optimizer.soap.SOAP": "Adam in the eigenbasis of Shampoo: two moments and two squares for each side.",
    "optimizer.soap.SOAP.belief": "Not Adam's memory: each side adds two squares in fp32, so a square matrix keeps 24 bytes a parameter.",
    "optimizer.muon.MuonWithAuxAdam": "Muon for hidden matrices, AdamW for embedding, head, vectors and convolutions, on several GPUs.",
    "optimizer.muon.MuonWithAuxAdam.belief": "Half of Adam's state only for the hidden matrices: embedding and head keep both moments.",
    "optimizer.muon.SingleDeviceMuonWithAuxAdam": "Muon for hidden matrices, AdamW for embedding, head, vectors and convolutions.",
    "optimizer.muon.SingleDeviceMuonWithAuxAdam.belief": "Half of Adam's state only for the hidden matrices: embedding and head keep both moments.",
    "optimizer.fira.FiraAdamW": "GaLore, and the part of the gradient outside the low-rank space scaled by norms.",
    "optimizer.galore_torch.GaLoreAdafactor": "Row and column averages of the projected gradient, in fp32.",
    "optimizer.galore_torch.GaLoreAdafactor.belief": (
        "The projectors are slices of fp32 singular vectors that keep the whole factor alive: as large as the smaller side squared, or as the matrix."
    ),
    "optimizer.galore_torch.GaLoreAdamW": "AdamW on gradients projected to a low rank; tensors that are not projected keep AdamW's state.",
    "optimizer.galore_torch.GaLoreAdamW.belief": (
        "The saving needs 16-bit gradients: with fp32 ones each projector is a view that keeps all singular vectors, so a square matrix costs 4 bytes a parameter at any rank. Embedding and head are not projected and keep both moments."
    ),
    "optimizer.grokfast_pytorch.GrokFastAdamW": "AdamW and a slow average of the gradients.",
    "optimizer.grokfast_pytorch.GrokFastAdamW.belief": "Amplifying slow gradients is not free: a third tensor as large as the parameters.",
    "optimizer.madgrad.MADGRAD.belief": "Its state is fp32 whatever the type of the parameters: 12 bytes a parameter.",
    "optimizer.prodigyopt.Prodigy": "Adam that finds its learning rate: two moments, the initial weights and a weighted sum.",
    "optimizer.prodigyopt.Prodigy.belief": (
        "Twice Adam's state by default: slice_p=11 brings it near Adam's. A parameter that starts at zero stores no initial weights."
    ),
    "optimizer.prodigyplus.ProdigyPlusScheduleFree": "Schedule-Free with a factored second moment and a sampled distance.",
    "optimizer.schedulefree.AdamWScheduleFree.belief": (
        "No more than AdamW: the averaged weights are not stored, z takes the place of the first moment."
    ),
    "optimizer.schedulefree.AdamWScheduleFreeReference": "The textbook form: z, x and y are stored beside the second moment.",
    "optimizer.schedulefree.SGDScheduleFreeReference": "The textbook form: z, x and y are all stored.",
}
