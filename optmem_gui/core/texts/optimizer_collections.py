"""English templates: collections of optimizers (pytorch_optimizer, torch_optimizer, heavyball, kron)."""

from __future__ import annotations

_RULES: dict[str, str] = {
    "optimizer.shape.rest_of_first": (
        "{state}: the parameter with its first axis averaged away (numel / d[0]), {element_count} elements in {dtype} = {total_bytes}"
    ),
    "optimizer.shape.square_of_smaller": (
        "{state}: a square {dtype} matrix as wide as the smaller axis of each matrix, {element_count} elements = {total_bytes}"
    ),
    "optimizer.shape.basis_square": "{state}: a rank x rank matrix for each tensor, {element_count} elements in {dtype} = {total_bytes}",
    "optimizer.shape.basis_moment": "{state}: a moment of rank rows for each tensor, {element_count} elements in {dtype} = {total_bytes}",
    "optimizer.dtype.stored": "{dtype}, as storage_dtype says, whatever the type of the parameter.",
    "optimizer.temporaries.squares": (
        "Square matrices are decomposed one parameter after another; the largest takes about {total_bytes}, without the solver's own workspace"
    ),
    "optimizer.temporaries.stacked": (
        "Parameters of one shape are stacked and updated at once, so the largest such stack decides: at most {total_bytes}. foreach=false takes them one by one."
    ),
}

_ERRORS: dict[str, str] = {
    "optimizer.needs_loss": "{optimizer} computes its step from the loss: pass step() a closure that returns it.",
    "optimizer.only_vectors_and_matrices": (
        "{optimizer} fails on tensors that are neither vectors nor matrices and {tensor} has shape {shape}; choose transformers.Adafactor or another optimizer"
    ),
}

_OPTIONS: dict[str, str] = {
    "optimizer.option.ams_bound": "AMSGrad: keeps the largest second moment so far, as large as the parameters.",
    "optimizer.option.keep_num": "So many past gradients are kept, each as large as the parameters.",
    "optimizer.option.max_dim": "Matrices keep squares for sides shorter than this.",
    "optimizer.option.max_precondition_dim": "Axes longer than this have no squares.",
    "optimizer.option.quantize": "Both moments in 8 bits with 16-bit scales; off, they take the type of the parameter.",
    "optimizer.option.storage_dtype": "Type of the state, whatever that of the parameters.",
    "optimizer.option.amsbound": "Keeps the largest second moment so far, as large as the parameters.",
    "optimizer.option.variant": "exp keeps one more number a tensor.",
    "optimizer.option.use_shadow": "Keeps a slow copy of the weights.",
}

_ABOUT: dict[str, str] = {
    "optimizer.pytorch_optimizer.A2Grad": "Accelerated gradients: an average, a second sequence of weights, one number a tensor.",
    "optimizer.pytorch_optimizer.AdaDelta": "Two running averages as large as the parameters.",
    "optimizer.pytorch_optimizer.AdaMod": "Adam with an average of the step sizes: three states as large as the parameters.",
    "optimizer.pytorch_optimizer.AdaPNM": "Two first moments in turn and a second one: four states as large as the parameters by default.",
    "optimizer.pytorch_optimizer.AdaPNM.belief": "AMSGrad is on by default here: ams_bound=false saves a quarter of the state.",
    "optimizer.pytorch_optimizer.AdaShift": "Two moments, and a queue of past gradients.",
    "optimizer.pytorch_optimizer.AdaShift.belief": (
        "Not Adam's size: it keeps the last ten gradients by default, each as large as the parameters; the first steps show fewer."
    ),
    "optimizer.pytorch_optimizer.AdaSmooth": "Four states as large as the parameters, the previous weights among them.",
    "optimizer.pytorch_optimizer.AdaTAM": "Adam with torque-aware momentum: three states as large as the parameters.",
    "optimizer.pytorch_optimizer.Adai": "Adaptive inertia: three states as large as the parameters.",
    "optimizer.pytorch_optimizer.AdamG": "Adam without a learning rate to tune: three states as large as the parameters.",
    "optimizer.pytorch_optimizer.AggMo": "Aggregated momentum: three momentum buffers with the default betas, one for each.",
    "optimizer.pytorch_optimizer.AggMo.belief": "Not SGD's size: every beta has a buffer as large as the parameters.",
    "optimizer.pytorch_optimizer.Amos": "One number a tensor for the second moment and for the decay; momentum adds a buffer.",
    "optimizer.pytorch_optimizer.ApolloDQN": "A diagonal quasi-Newton method: three states as large as the parameters.",
    "optimizer.pytorch_optimizer.ASGD": "Adaptive SGD: four numbers for the whole optimizer.",
    "optimizer.pytorch_optimizer.ASGD.belief": "Not torch's ASGD, which averages the weights: this one keeps no copy of them.",
    "optimizer.pytorch_optimizer.BCOS": "One moment as large as the parameters.",
    "optimizer.pytorch_optimizer.DiffGrad": "Adam and the previous gradient: three states as large as the parameters.",
    "optimizer.pytorch_optimizer.FAdam": "Two moments in fp32, whatever the type of the parameter.",
    "optimizer.pytorch_optimizer.FTRL": "Two sums as large as the parameters.",
    "optimizer.pytorch_optimizer.Fromage": "No state: the step is scaled to the norms of weights and gradients.",
    "optimizer.pytorch_optimizer.GrokFastAdamW": "AdamW and a slow average of the gradients: three states as large as the parameters.",
    "optimizer.pytorch_optimizer.Kate": "Two sums as large as the parameters.",
    "optimizer.pytorch_optimizer.Lamb.belief": "Its three norms a tensor live in the state too: 12 bytes a tensor in fp32.",
    "optimizer.pytorch_optimizer.PID": "Three buffers as large as the parameters with momentum, nothing without.",
    "optimizer.pytorch_optimizer.PNM": "Two momentum buffers in turn.",
    "optimizer.pytorch_optimizer.QHM.belief": "momentum=0 saves nothing here: the buffer is kept all the same.",
    "optimizer.pytorch_optimizer.ROSE": "No state.",
    "optimizer.pytorch_optimizer.Ranger": "RAdam and a slow copy of the weights: three states as large as the parameters.",
    "optimizer.pytorch_optimizer.Ranger.belief": "Not Adam's size: the slow weights are a third state, there from the first step.",
    "optimizer.pytorch_optimizer.SCIONLight": "No state of its own: the gradient buffers carry the momentum.",
    "optimizer.pytorch_optimizer.SCIONLight.belief": (
        "The momentum is not gone: it lives in the gradients, which must then be kept between steps (no zero_grad)."
    ),
    "optimizer.pytorch_optimizer.SGDP.belief": "momentum=0 saves nothing here: the buffer is kept all the same.",
    "optimizer.pytorch_optimizer.SGDSaI": "SGD with momentum and one number a tensor.",
    "optimizer.pytorch_optimizer.SRMM": "Averages of the gradients and of the weights, each as large as the parameters.",
    "optimizer.pytorch_optimizer.StableAdamW": "AdamW with clipped updates; 16-bit parameters get a third state for rounding.",
    "optimizer.pytorch_optimizer.StableAdamW.belief": (
        "With 16-bit parameters it is larger than AdamW: Kahan summation, on by default, keeps one more state. With fp16, the second moment is fp32."
    ),
    "optimizer.pytorch_optimizer.AdaFactor": "Row and column averages of the second moment, and a first moment in bf16.",
    "optimizer.pytorch_optimizer.AdaFactor.belief": "Not near 0: a first moment in bf16 is kept by default, 2 bytes a parameter.",
    "optimizer.pytorch_optimizer.APOLLO": "Random projections of the moments where a group has a rank; without one, AdamW.",
    "optimizer.pytorch_optimizer.APOLLO.belief": (
        "It saves nothing by itself: only parameters of groups given a rank are projected; the others keep two full moments."
    ),
    "optimizer.pytorch_optimizer.Alice": "A low-rank basis, its square and projected moments of every tensor.",
    "optimizer.pytorch_optimizer.Alice.belief": "Not for vectors: a bias of n numbers keeps a basis of n x 256.",
    "optimizer.pytorch_optimizer.AliG": "A step size from the loss; momentum adds a buffer.",
    "optimizer.pytorch_optimizer.CAME": "Row and column averages of the second moment and of its error, and a first moment in full size.",
    "optimizer.pytorch_optimizer.Conda": "Two full moments and a projector as wide as the smaller side of each matrix.",
    "optimizer.pytorch_optimizer.Conda.belief": "The projector saves nothing: moments stay in full size and the projector comes on top.",
    "optimizer.pytorch_optimizer.EmoFact": "Row and column averages in place of both moments.",
    "optimizer.pytorch_optimizer.Fira": "GaLore with a full-rank correction where a group has a rank; without one, AdamW.",
    "optimizer.pytorch_optimizer.Fira.belief": (
        "It saves nothing by itself: only parameters of groups given a rank are projected; the others keep two full moments."
    ),
    "optimizer.pytorch_optimizer.FlashAdamW": "AdamW with both moments in 8 bits, one 16-bit scale for 32 of them.",
    "optimizer.pytorch_optimizer.FlashAdamW.belief": "2.13 bytes a parameter, whatever its type and however small the tensor.",
    "optimizer.pytorch_optimizer.GaLore": "Low-rank projections of the moments where a group has a rank; without one, AdamW.",
    "optimizer.pytorch_optimizer.GaLore.belief": (
        "It saves nothing by itself: only parameters of groups given a rank are projected; the others keep two full moments."
    ),
    "optimizer.pytorch_optimizer.Nero": "One number a row (a neuron), and one a tensor.",
    "optimizer.pytorch_optimizer.RACS": "One number a row and one a column of each matrix.",
    "optimizer.pytorch_optimizer.Ranger21": "Five states as large as the parameters: moments, their maximum, slow weights.",
    "optimizer.pytorch_optimizer.Ranger21.belief": "Five times the parameters, not Adam's two.",
    "optimizer.pytorch_optimizer.SM3.belief": "momentum=0 saves nothing here: the buffer is kept all the same.",
    "optimizer.pytorch_optimizer.SOAP.belief": (
        "Far more than Adam: two squares for each axis up to 10,000 long. Vectors keep none by default."
    ),
    "optimizer.pytorch_optimizer.SPAM": "Two moments, and a mask of one byte an element for each matrix.",
    "optimizer.pytorch_optimizer.SPlus": "Momentum, an average of the weights, and two squares for each side of a matrix.",
    "optimizer.pytorch_optimizer.SPlus.belief": "Far more than Adam: for a square matrix, six states of its size.",
    "optimizer.pytorch_optimizer.Shampoo.belief": (
        "No limit to an axis: a vector of 4,096 keeps two matrices of 4,096 x 4,096, an embedding two as wide as the vocabulary. momentum=0 keeps the buffer all the same."
    ),
    "optimizer.torch_optimizer.A2GradExp": "An average of the gradients and a second sequence of weights.",
    "optimizer.torch_optimizer.A2GradInc": "An average of the gradients and a second sequence of weights.",
    "optimizer.torch_optimizer.A2GradUni": "An average of the gradients and a second sequence of weights.",
    "optimizer.torch_optimizer.Adafactor.belief": "Not for every model: it fails on single numbers and on convolutions.",
    "optimizer.torch_optimizer.AdaMod": "Adam with an average of the step sizes: three states as large as the parameters.",
    "optimizer.torch_optimizer.AggMo": "Aggregated momentum: three momentum buffers with the default betas, one for each.",
    "optimizer.torch_optimizer.Apollo": "A diagonal quasi-Newton method: three states as large as the parameters.",
    "optimizer.torch_optimizer.DiffGrad": "Adam and the previous gradient: three states as large as the parameters.",
    "optimizer.torch_optimizer.PID": "Three buffers as large as the parameters with momentum, nothing without.",
    "optimizer.torch_optimizer.RAdam.belief": "16-bit parameters do not halve it: its moments are fp32 always.",
    "optimizer.torch_optimizer.Ranger.belief": (
        "Not Adam's size: the slow weights are a third state; and its moments are fp32 also for 16-bit parameters."
    ),
    "optimizer.torch_optimizer.RangerVA": "RAdam's two moments in fp32, their maximum by default, and a slow copy of the weights.",
    "optimizer.torch_optimizer.RangerVA.belief": "AMSGrad is on by default: four states as large as the parameters.",
    "optimizer.torch_optimizer.SGDP.belief": "momentum=0 saves nothing here: the buffer is kept all the same.",
    "optimizer.torch_optimizer.SWATS": "Two moments; once it has switched from Adam to SGD, a momentum buffer too.",
    "optimizer.torch_optimizer.Shampoo.belief": (
        "No limit to an axis: a vector of 4,096 keeps two matrices of 4,096 x 4,096, an embedding two as wide as the vocabulary. momentum=0 keeps the buffer all the same."
    ),
    "optimizer.heavyball.AdamW.belief": "16-bit parameters do not halve it: state is fp32 unless storage_dtype says otherwise.",
    "optimizer.heavyball.SGD.belief": "Momentum is always kept, and in fp32 unless storage_dtype says otherwise.",
    "optimizer.heavyball.HyperBallAdamW": "One second moment, and one norm for each matrix.",
    "optimizer.heavyball.LaPropOrtho": "LaProp's two moments; updates of matrices are orthogonalized.",
    "optimizer.heavyball.MSAMLaProp": "Two averages in storage_dtype, and a second sequence of weights.",
    "optimizer.heavyball.MuonAdamW": "A momentum buffer for tensors of two or more axes, Adam's two moments for the others.",
    "optimizer.heavyball.MuonLaProp": "LaProp's two moments; updates of matrices are orthogonalized.",
    "optimizer.heavyball.OrthoLaProp": "LaProp's two moments; gradients are made orthogonal to the weights.",
    "optimizer.heavyball.SUDSAdamW": "Two moments and an approximation of the Fisher matrix: three states as large as the parameters.",
    "optimizer.pytorch_optimizer.TAM": "Torque-aware momentum: two states as large as the parameters.",
    "optimizer.pytorch_optimizer.VSGD": "Variational SGD: three states as large as the parameters.",
}

TEXTS: dict[str, str] = {**_RULES, **_ERRORS, **_OPTIONS, **_ABOUT}
