"""English templates: shape and type rules of states that are not as large as the parameter."""

from __future__ import annotations

_SHAPES: dict[str, str] = {
    "optimizer.shape.every_nth": (
        "{state}: every n-th element of each parameter, {element_count} elements in {dtype} = {total_bytes}"
    ),
    "optimizer.shape.along_axis": (
        "{state}: one {dtype} number for each index along one axis, {element_count} elements = {total_bytes}"
    ),
    "optimizer.shape.rows_of_two_largest": (
        "{state}: the largest axis averaged away, {element_count} elements in {dtype} = {total_bytes}"
    ),
    "optimizer.shape.columns_of_two_largest": (
        "{state}: the second largest axis averaged away, {element_count} elements in {dtype} = {total_bytes}"
    ),
    "optimizer.shape.chosen": (
        "{state}: the matrices of the first half of the split, {element_count} elements in {dtype} = {total_bytes}"
    ),
    "optimizer.shape.rest": (
        "{state}: the parameters of the second half of the split, {element_count} elements in {dtype} = {total_bytes}"
    ),
    "optimizer.shape.low_rank_moment": (
        "{state}: rank x side of each projected matrix, other tensors in full, {element_count} elements in {dtype} = {total_bytes}"
    ),
    "optimizer.shape.projector": (
        "{state}: the projectors, {element_count} elements in {dtype} = {total_bytes}; with fp32 gradients the slice of the singular vectors is a view that keeps all of them"
    ),
    "optimizer.shape.one_a_matrix": "{state}: one {dtype} number a projected matrix, {tensor_count} of them = {total_bytes}",
    "optimizer.shape.rows_of_projected": (
        "{state}: row averages of the projected gradient, {element_count} elements in {dtype} = {total_bytes}"
    ),
    "optimizer.shape.columns_of_projected": (
        "{state}: column averages of the projected gradient, {element_count} elements in {dtype} = {total_bytes}"
    ),
    "optimizer.shape.basis": "{state}: a low-rank basis of each matrix, {element_count} elements in {dtype} = {total_bytes}",
    "optimizer.shape.neurons": "{state}: one {dtype} number a row of each matrix, {element_count} elements = {total_bytes}",
    "optimizer.shape.packed_triangles": (
        "{state}: a packed triangle d (d + 1) / 2 for each side of each block, {element_count} elements in {dtype} = {total_bytes}"
    ),
    "optimizer.shape.blocks": "{state}: as many as parameters, in {tensor_count} blocks, {element_count} elements in {dtype} = {total_bytes}",
    "optimizer.shape.side_squares": (
        "{state}: a square matrix for each side within the limit, {element_count} elements in {dtype} = {total_bytes}"
    ),
    "optimizer.shape.head_row_or_tensor": (
        "{state}: one {dtype} number a head of queries and keys, a row of embeddings, values, MLPs and outputs, or a tensor: {element_count} elements = {total_bytes}"
    ),
    "optimizer.shape.biases": "{state}: biases keep the second moment of Adam, {element_count} elements in {dtype} = {total_bytes}",
    "optimizer.shape.not_factored": (
        "{state}: tensors that are not factored, {element_count} elements in {dtype} = {total_bytes}"
    ),
}

_DTYPES: dict[str, str] = {
    "optimizer.dtype.fp32_if": "{dtype}, by an option of the optimizer.",
    "optimizer.dtype.fp32_for_fp16": "{dtype}: fp16 parameters get fp32 state, others their own type.",
    "optimizer.dtype.at_most_16_bits": "{dtype}: 16 bits also where the parameter has 32.",
}

_TEMPORARIES: dict[str, str] = {
    "optimizer.temporaries.projected": (
        "One parameter is updated at a time: its update projected back to full size takes about {total_bytes}. A step that makes new projectors also holds the singular vectors."
    ),
}

_OPTIONS: dict[str, str] = {
    "optimizer.option.split": (
        "Which tensors the first half trains: hidden matrices (no embedding, no head), or every matrix. The rest gets AdamW."
    ),
    "optimizer.option.rest": "Who trains the second half: AdamW keeps two moments there, Lion one.",
    "optimizer.option.rank_fraction": "Rank of the basis, as a part of the shorter side; 1 makes it square.",
    "optimizer.option.max_precond_dim": "Sides longer than this have no preconditioner.",
    "optimizer.option.max_preconditioner_dim": "Longer sides are cut into blocks of this length, each with its own preconditioners.",
    "optimizer.option.merge_dims": "Multiplies neighbouring axes up to the limit before it preconditions them: fewer, larger squares.",
    "optimizer.option.precondition_1d": "Vectors get a square matrix too.",
    "optimizer.option.grafting": "Scales the update like another optimizer, whose second moment is kept as well.",
    "optimizer.option.dim": "Width of the model. With the heads it says how many elements of queries and keys share one number.",
    "optimizer.option.n_heads": "Attention heads; queries and keys keep one number for each dim x dim / n_heads elements.",
    "optimizer.option.rank": "Projected moments have rank x side elements; cut to the shorter side by a singular value decomposition.",
    "optimizer.option.proj_type": "The side that is projected: std takes the longer way, which keeps the moments small.",
    "optimizer.option.proj": "random projectors have their own size; svd ones are slices that fp32 gradients keep whole.",
    "optimizer.option.disable_nl": "Off, one number a projected matrix limits how fast updates grow.",
    "optimizer.option.slice_p": "The distance is estimated from every n-th element only: two states shrink n times.",
    "optimizer.option.factored": "The second moment is kept as row and column averages where a tensor is large enough.",
    "optimizer.option.factored_fp32": "Row and column averages are fp32; off, they take the type of the gradient.",
    "optimizer.option.use_schedulefree": "On, it keeps z; off, a first moment: as many bytes.",
    "optimizer.option.use_speed": "Estimates the learning rate without the sums that Prodigy keeps.",
    "optimizer.option.use_focus": "The second moment cannot be factored then.",
    "optimizer.option.regen_reg_rate": "Above 0, a copy of the initial weights is kept.",
    "optimizer.option.grokfast": "Keeps a slow average of the gradients as large as the parameters.",
}

_OTHER_RUNTIMES: dict[str, str] = {
    "warn.state_only": "{optimizer} does not run in torch: only its state is predicted, not what its step takes nor the peak.",
    "optimizer.temporaries.not_predicted": "Not predicted: the step does not run in torch.",
    "optimizer.shape.covers": "{state}: one {dtype} number for each index along each axis, {element_count} elements = {total_bytes}",
    "optimizer.shape.placeholder": "{state}: {tensor_count} placeholders of one element in {dtype} = {total_bytes}",
    "optimizer.shape.factor_or_placeholder": (
        "{state}: an average where a variable is factored, else one element, {element_count} elements in {dtype} = {total_bytes}"
    ),
    "optimizer.shape.history": "{state}: as many as parameters for each entry of the history, {element_count} elements in {dtype} = {total_bytes}",
    "optimizer.shape.vector": "{state}: {element_count} elements in {dtype} for the whole optimizer = {total_bytes}",
    "optimizer.shape.projection": "{state}: rank x longer side of each matrix, {element_count} elements in {dtype} = {total_bytes}",
    "optimizer.dtype.named": "{dtype}: named by an option, or the rule of the library.",
    "optimizer.dtype.promoted": "{dtype}: the wider of the types of moment and parameter; two 16-bit types together give fp32.",
    "optimizer.dtype.backend_counter": "{dtype}: TensorFlow counts in 64 bits, torch and JAX in 32.",
    "optimizer.option.schedule": "The learning rate is a schedule: it counts its steps, or takes the place of a variable.",
    "optimizer.option.backend": "What runs Keras: the slots are the same, counters are 64-bit in TensorFlow.",
    "optimizer.option.use_ema": "Keeps an average of the weights as large as they are.",
    "optimizer.option.gradient_accumulation_steps": "Set, gradients are added up in a copy as large as the parameters.",
    "optimizer.option.loss_scaling": "A LossScaleOptimizer around it: a few numbers more.",
    "optimizer.option.exclude_embeddings": "Embeddings are trained by AdamW, with two moments.",
    "optimizer.option.mu_dtype": "Type of the first moment; left alone, that of the parameter.",
    "optimizer.option.accumulator_dtype": "Type of the momentum; left alone, that of the parameter.",
    "optimizer.option.dtype_momentum": "Type of the momentum; left alone, fp32 whatever the parameter.",
    "optimizer.option.state_dtype": "Type of z; left alone, that of the parameter.",
    "optimizer.option.multi_steps": "Inside MultiSteps: gradients are added up in fp32, whatever the type of the parameters.",
    "optimizer.option.bias_correction": "Keeps a counter.",
    "optimizer.option.memory_size": "Each entry keeps two tensors as large as the parameters, all from the start.",
}

_CAUTIONS: dict[str, str] = {
    "optimizer.nothing_projected": "No matrix is projected: the split chooses none of this model's tensors.",
    "optimizer.rank_cut": (
        "Rank {rank} is larger than the shorter side of {matrix_count} kind(s) of matrix, such as {shape}: the library cuts it to that side, and nothing is saved there."
    ),
    "optimizer.rank_kept": (
        "Rank {rank} is larger than the shorter side of {matrix_count} kind(s) of matrix, such as {shape}: random projectors are not cut, and the state is larger than Adam's there."
    ),
    "optimizer.gpu_only": "{optimizer} puts its state on the GPU by itself and runs nowhere else.",
    "optimizer.adam_mini_heads": (
        "{tensor} ({shape}): Adam-mini cuts it into heads of dim x dim / n_heads elements, which {dim} x {dim} / {heads} does not divide; set dim and n_heads to those of the model"
    ),
    "optimizer.adam_mini_vector": (
        "{tensor} ({shape}): Adam-mini takes it for a matrix by its name and stops at vectors; rename the module or choose another optimizer"
    ),
    "optimizer.only_bf16": "{optimizer} takes bf16 parameters only; with others its step stops. Choose bf16.",
}

TEXTS: dict[str, str] = {**_SHAPES, **_DTYPES, **_TEMPORARIES, **_OPTIONS, **_OTHER_RUNTIMES, **_CAUTIONS}
