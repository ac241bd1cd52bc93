"""English templates: optimizers."""

from __future__ import annotations

_ERRORS: dict[str, str] = {
    "optimizer.unknown": "Optimizer: {given} is not known; did you mean {near}? `optmem optimizers` lists all",
    "optimizer.option_syntax": "Optimizer option: {given} is not name=value; write it as in amsgrad=true",
    "optimizer.option_unknown": "Optimizer option {given}: {optimizer} does not take it; it takes {known}",
    "optimizer.option_bool": "Optimizer option {option} of {optimizer}: {given} is not a switch; write true or false",
    "optimizer.option_int": "Optimizer option {option} of {optimizer}: {given} is not a whole number; write one such as 10",
    "optimizer.option_float": "Optimizer option {option} of {optimizer}: {given} is not a number; write one such as 0.9",
    "optimizer.option_choice": "Optimizer option {option} of {optimizer}: {given} is not known; choose {choices}",
    "optimizer.option_range": "Optimizer option {option} of {optimizer}: {given} is out of range; write a number from {low} to {high}",
    "optimizer.option_too_small": "Optimizer option {option} of {optimizer}: {given} is too small; write {low} or more",
    "optimizer.fused_and_foreach": "{optimizer}: fused and foreach cannot both be true; switch one off",
    "optimizer.tensor_lr_needs_capturable": (
        "{optimizer}: a tensor learning rate with foreach=true needs capturable=true; set it, or leave foreach alone"
    ),
    "optimizer.nesterov_needs_momentum": (
        "{optimizer}: nesterov needs momentum above 0 and dampening 0; set momentum=0.9 or switch nesterov off"
    ),
    "optimizer.capturable_on_cpu": "{optimizer}: capturable=true needs parameters on a GPU; switch it off or choose cuda",
    "optimizer.only_matrices": (
        "{optimizer} trains matrices only and {tensor} has shape {shape}; train such tensors with AdamW beside it, or choose another optimizer"
    ),
}

_STATE: dict[str, str] = {
    "optimizer.state": "{optimizer} keeps {total_bytes} from step to step.",
    "optimizer.stateless": "{optimizer} keeps nothing from step to step with these options.",
    "optimizer.shape.like_parameter": "{state}: {element_count} elements in {dtype}, as many as parameters = {total_bytes}",
    "optimizer.shape.flat_vector": "{state}: {tensor_count} x all parameters end to end, {element_count} elements in {dtype} = {total_bytes}",
    "optimizer.shape.scalar": "{state}: {tensor_count} x one number in {dtype} = {total_bytes}",
    "optimizer.shape.scalar.host": (
        "{state}: {tensor_count} x one number in {dtype} = {total_bytes}, in host memory, where reading it does not wait for the GPU"
    ),
    "optimizer.shape.rows_of_last_two": (
        "{state}: one {dtype} number a row of each matrix (numel / d[-1]), {element_count} elements = {total_bytes}"
    ),
    "optimizer.shape.columns_of_last_two": (
        "{state}: one {dtype} number a column of each matrix (numel / d[-2]), {element_count} elements = {total_bytes}"
    ),
    "optimizer.shape.vectors_only": (
        "{state}: vectors and single numbers are not factored, {element_count} elements in {dtype} = {total_bytes}"
    ),
    "optimizer.dtype.like_parameter": "{dtype}: the state takes the type of the parameter that the optimizer updates.",
    "optimizer.dtype.fixed": "{dtype}, whatever the type of the parameter.",
    "optimizer.dtype.forced": "{dtype}: the precision scheme forces this type on the moment.",
    "optimizer.needs_sparse_gradients": (
        "{optimizer} takes sparse gradients only (Embedding with sparse=True); dense gradients raise an error in the step."
    ),
    "optimizer.needs_closure": (
        "{optimizer} evaluates the model again in each of its iterations: pass a closure to step(); its activations are alive inside the step."
    ),
}

_TEMPORARIES: dict[str, str] = {
    "optimizer.temporaries.none": "The step works in place.",
    "optimizer.temporaries.fused": "The fused kernel updates in place: nothing beside the state.",
    "optimizer.temporaries.foreach_in_place": "foreach updates its lists in place with these options.",
    "optimizer.temporaries.foreach": (
        "foreach handles all parameters at once, so each list it makes is as large as all of them: {lists} x {list_bytes} = {total_bytes}. foreach=false handles one parameter at a time."
    ),
    "optimizer.temporaries.foreach_and_one": (
        "foreach handles all parameters at once: {lists} x {list_bytes}, and {one_bytes} of smaller tensors meanwhile = {total_bytes}. foreach=false handles one parameter at a time."
    ),
    "optimizer.temporaries.loop_in_place": "The for-loop updates one parameter after another in place.",
    "optimizer.temporaries.loop": (
        "The for-loop handles one parameter at a time: {current} tensor(s) of its size, and {previous} of the one before it that Python still holds, at most {total_bytes}"
    ),
    "optimizer.temporaries.adafactor_loop": (
        "The for-loop (also on CUDA by default) rebuilds the variance of one parameter in full size beside that of the one before it, at most {total_bytes}"
    ),
    "optimizer.temporaries.newton_schulz": (
        "Newton-Schulz orthogonalizes one matrix at a time in bf16; the largest takes {total_bytes}"
    ),
    "optimizer.temporaries.kernel": "A kernel of the library updates in place: nothing beside the state.",
    "optimizer.temporaries.per_tensor": (
        "One parameter is updated at a time; the tensors that its update makes take at most about {total_bytes}"
    ),
    "optimizer.temporaries.lists_and_one": (
        "All parameters are handled at once: about {lists} lists as large as all of them, and the tensors of one meanwhile = {total_bytes}"
    ),
    "optimizer.temporaries.all_tensors": (
        "foreach handles all parameters at once: about {lists} lists as large as all of them = {total_bytes}. foreach=false handles one parameter at a time."
    ),
    "optimizer.temporaries.flat_vectors": (
        "{vectors} vectors as long as all parameters, {vector_bytes} each = {total_bytes}"
    ),
    "optimizer.temporaries.flat_vectors_search": (
        "At most {vectors} vectors as long as all parameters, {vector_bytes} each = {total_bytes}; how many depends on how the line search goes"
    ),
    "optimizer.temporaries.touched_rows": (
        "Up to seven tensors of the rows that a batch touches; if it touches every row, {total_bytes}"
    ),
}

_OPTIONS: dict[str, str] = {
    "optimizer.option.momentum": "Above 0, a momentum buffer as large as the parameters is kept.",
    "optimizer.option.dampening": "Changes no memory.",
    "optimizer.option.nesterov": "The for-loop makes one more tensor of the parameter's size.",
    "optimizer.option.weight_decay": "Added to the gradient (not decoupled), it takes a changed copy of the gradient in the step.",
    "optimizer.option.maximize": "The negated gradient is a copy in the step.",
    "optimizer.option.amsgrad": "Keeps a third moment as large as the parameters.",
    "optimizer.option.centered": "Keeps an average of the gradients as large as the parameters.",
    "optimizer.option.foreach": "All parameters at once: fast, and takes lists as large as all of them. Automatic on CUDA.",
    "optimizer.option.fused": "One kernel in place: no temporaries. Set to false, it also switches the automatic foreach off.",
    "optimizer.option.capturable": "For CUDA graphs: the step counters live on the GPU.",
    "optimizer.option.decoupled_weight_decay": "Decay acts on the weights in place (AdamW): no copy of the gradient.",
    "optimizer.option.tensor_lr": "The learning rate is a tensor: Adam's automatic choice becomes the for-loop unless capturable.",
    "optimizer.option.initial_accumulator_value": "Changes no memory.",
    "optimizer.option.history_size": "Each entry keeps two vectors as long as all parameters.",
    "optimizer.option.max_iter": "Iterations a step: how fast the history fills.",
    "optimizer.option.line_search_fn": "The strong-Wolfe search also holds a copy of the parameters and several gradients.",
}

_ABOUT: dict[str, str] = {
    "optimizer.torch.AdamW": "Adam with decoupled weight decay: two moments in the type of the parameter.",
    "optimizer.torch.AdamW.belief": "Not 8 bytes a parameter always: 4 with 16-bit parameters, 8 with fp32; autocast keeps 8.",
    "optimizer.torch.Adam": "Two moments in the type of the parameter; amsgrad=true (AMSGrad) keeps a third.",
    "optimizer.torch.Adam.belief": "beta1 = 0 does not save the first moment: it is allocated all the same.",
    "optimizer.torch.SGD": "Nothing without momentum, one buffer with it; nesterov=true with momentum is NAG.",
    "optimizer.torch.SGD.belief": "No state, but foreach with weight decay or maximize copies every gradient in the step.",
    "optimizer.torch.Adafactor": "Row and column averages of the second moment, no first moment.",
    "optimizer.torch.Adafactor.belief": (
        "Not 4 bytes a parameter, and not always tiny: only the last two axes are factored, so a 3 x 3 convolution keeps two thirds of its size, a 1 x 1 one twice its size. Its docstring promises foreach on CUDA; the code runs the for-loop."
    ),
    "optimizer.torch.Muon": "One momentum buffer; the update is orthogonalized. Matrices only.",
    "optimizer.torch.Muon.belief": "It cannot train a whole model: biases, norms and convolutions need a second optimizer with its own state.",
    "optimizer.torch.NAdam": "Adam with Nesterov momentum: two moments and two counters.",
    "optimizer.torch.RAdam": "Adam with a rectified start: two moments.",
    "optimizer.torch.Adamax": "Adam with the infinity norm: two moments.",
    "optimizer.torch.Adadelta": "Two running averages as large as the parameters.",
    "optimizer.torch.Adagrad": "One sum of squares, allocated when the optimizer is made.",
    "optimizer.torch.RMSprop": "One average of squares; momentum and centered add one each.",
    "optimizer.torch.ASGD": "SGD with an averaged copy of the weights and three counters on the GPU.",
    "optimizer.torch.Rprop": "The previous gradient and a step size for every parameter.",
    "optimizer.torch.SparseAdam": "Adam for sparse gradients of embeddings.",
    "optimizer.torch.SparseAdam.belief": "Only the gradient is sparse: both moments are dense, as large as Adam's.",
    "optimizer.torch.LBFGS": "A history of directions and steps: 2 x history + 2 vectors as long as all parameters.",
    "optimizer.torch.LBFGS.belief": "history_size 100 (the default) is 202 copies of the parameters; the first steps show far less.",
}

TEXTS: dict[str, str] = {**_ERRORS, **_STATE, **_TEMPORARIES, **_OPTIONS, **_ABOUT}
