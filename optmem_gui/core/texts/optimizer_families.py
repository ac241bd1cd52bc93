"""English templates: what each family of optimizers keeps, in one line."""

from __future__ import annotations

TEXTS: dict[str, str] = {
    "optimizer.family.adafactor": "Row and column averages in place of the second moment, where a tensor has rows and columns.",
    "optimizer.family.adagrad": "One running sum or average of squared gradients, as large as the parameters.",
    "optimizer.family.adam": "Two moments, each as large as the parameters.",
    "optimizer.family.adan": "Three moments and the previous gradient, each as large as the parameters.",
    "optimizer.family.ademamix": "A fast and a slow average of the gradients, and one of their squares.",
    "optimizer.family.lamb": "Updates scaled tensor by tensor to the norm of its weights.",
    "optimizer.family.kron": "One momentum buffer, and a triangular factor for each axis of a tensor.",
    "optimizer.family.learning-rate-free": "Another optimizer, and what estimates the distance to the solution.",
    "optimizer.family.lion": "One momentum buffer; only the sign of the update is used.",
    "optimizer.family.lookahead": "Another optimizer, and a slow copy of the weights.",
    "optimizer.family.low-rank": "Moments of the gradient in a low-rank space, and the projectors into it.",
    "optimizer.family.madgrad": "A dual average: sums of gradients and of squares, and the initial weights.",
    "optimizer.family.mars": "Two moments and the previous gradient.",
    "optimizer.family.muon": "One momentum buffer; updates of matrices are orthogonalized.",
    "optimizer.family.novograd": "One moment as large as the parameters, and one number a tensor.",
    "optimizer.family.quasi-newton": "An approximation of the curvature.",
    "optimizer.family.rprop": "The sign of the last gradients and a step size for every parameter.",
    "optimizer.family.schedule-free": "A second sequence of weights in place of a learning-rate schedule.",
    "optimizer.family.second-order": "Moments, and an estimate of the curvature from a second backward pass.",
    "optimizer.family.sgd": "Nothing, or one momentum buffer as large as the parameters.",
    "optimizer.family.sm3": "One number for each index along each axis, and a momentum buffer if asked.",
    "optimizer.family.sophia": "A moment and an estimate of the Hessian's diagonal.",
    "optimizer.family.shampoo": "Square or triangular preconditioners for each side of a tensor.",
    "optimizer.family.soap": "Two moments, and the preconditioners and eigenbases of each side of a tensor.",
    "optimizer.family.adam-mini": "A first moment, and a second moment of one number a block.",
    "optimizer.family.lomo": "No state, or row and column averages; gradients are used up in backward.",
    "optimizer.family.ftrl": "An accumulator of squares and a linear term, each as large as the parameters.",
}
