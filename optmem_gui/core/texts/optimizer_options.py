"""English templates: options of optimizers outside torch, and what they refuse."""

from __future__ import annotations

_OPTIONS: dict[str, str] = {
    "optimizer.option.optim_bits": "8 keeps the state in blocks of 8-bit codes, 32 in fp32.",
    "optimizer.option.min_8bit_size": "Tensors with fewer elements keep fp32 state.",
    "optimizer.option.is_paged": "State of tensors with 100,000 elements or more lies in managed memory, which the driver moves to the host when the GPU is full.",
    "optimizer.option.max_unorm": "Above 0, one number a tensor is kept for the norm of the update.",
    "optimizer.option.block_size": "Elements that share one scale; a tensor that is not a multiple of it is not quantized.",
    "optimizer.option.bf16_stochastic_round": "Rounds bf16 parameters by chance; takes more temporaries and no state.",
    "optimizer.option.minimal_size": "Tensors with fewer elements, and their state, stay on the GPU.",
    "optimizer.option.triton": "Triton kernels update in place. Automatic on a GPU; false makes it a for-loop.",
    "optimizer.option.momentum_dtype": "Type of the momentum, whatever that of the parameter.",
    "optimizer.option.min_dim_size_to_factor": "Axes shorter than this are not factored.",
    "optimizer.option.mars_type": "lion makes fewer tensors in the step; the state is the same.",
    "optimizer.option.algo": "adamuon keeps a second moment of the orthogonalized matrices too.",
    "optimizer.option.max_size_triangular": "Axes longer than this have a vector in place of a square factor.",
    "optimizer.option.min_ndim_triangular": "Parameters with fewer axes have vectors only.",
    "optimizer.option.memory_save_mode": "one_diag: a vector for the longest axis; smart_one_diag: only where it is the only longest; all_diag: vectors for all.",
    "optimizer.option.fp32_optimizer_states": "Off, the state takes the type of the parameter.",
    "optimizer.option.master_weights": "Keeps an fp32 copy of the weights as part of the state; choose a scheme without master weights beside it.",
    "optimizer.option.store_param_remainders": "For bf16 parameters, 16 further bits in place of the whole fp32 master weight.",
    "optimizer.option.master_weight_bits": "24 keeps 8 further bits of every 16-bit parameter, 32 keeps 16.",
    "optimizer.option.beta1": "Set, a first moment in fp32 as large as the parameters is kept.",
    "optimizer.option.scale_parameter": "Changes no state.",
    "optimizer.option.kahan_sum": "Keeps what rounding loses of 16-bit parameters, in a tensor as large as they are. Automatic for most 16-bit parameters.",
}

_ERRORS: dict[str, str] = {
    "optimizer.bits_24_or_32": "{optimizer}: master_weight_bits must be 24 or 32; the library knows no other width",
    "optimizer.master_needs_capturable": "{optimizer}: master_weights needs capturable; set capturable=true or leave master_weights off",
    "optimizer.remainders_not_capturable": "{optimizer}: store_param_remainders does not go with capturable; switch one off",
    "optimizer.bits_8_or_32": "{optimizer}: optim_bits must be 8 or 32; the library knows no other width",
}

_CAUTIONS: dict[str, str] = {
    "optimizer.offload_copies": "{optimizer} also keeps a pinned copy of every offloaded weight and of its gradient in host memory; they are not counted here.",
    "optimizer.fp32_only": "{optimizer} takes fp32 parameters only; others raise an error in the step.",
    "optimizer.ademamix_32bit_short": (
        "{optimizer} allocates one average where AdEMAMix needs two (bitsandbytes 0.50.2) and fails on the CPU; bitsandbytes.AdEMAMix has the right state."
    ),
}

TEXTS: dict[str, str] = {**_OPTIONS, **_ERRORS, **_CAUTIONS}
