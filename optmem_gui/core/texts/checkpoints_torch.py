"""English templates: checkpoints of the torch family beyond a single file."""

from __future__ import annotations

TEXTS: dict[str, str] = {
    # Refusals
    "checkpoint.torch_tar": "{file}: a tar archive of torch.save before 0.2, which is not read; load it with torch once and save it again",
    "checkpoint.dcp_metadata": "{file}: not the index of a torch distributed checkpoint; copy it again from where it was saved",
    "checkpoint.dcp_chunk": "{file}: a chunk of {name} lies outside its tensor; the index is damaged or hostile",
    "checkpoint.dcp_path": "{file}: names the file {name}, which is outside the folder; do not use this checkpoint",
    "checkpoint.tag_missing": "{file}: points to {name}, which is not there; choose one of the folders beside it",
    "checkpoint.zarr_array": "{file}: not the description of a zarr array; copy it again from where it was saved",
    "checkpoint.zarr_too_many": "{file}: more than {limit_count} arrays; this is no checkpoint",
    "checkpoint.no_deepspeed_model": "{file}: no model states among the DeepSpeed files; copy the *_model_states.pt files too",
    "checkpoint.adapter_config": "{file}: not the settings of a PEFT adapter; save the adapter again",
    "checkpoint.adapter_base": "{file}: the adapter changes {name} ({given}), the base model has {known}; choose the base it was trained on",
    "checkpoint.adapter_no_target": "{file}: none of the modules {names} that the adapter changes is in the base model; choose the base it was trained on",
    "checkpoint.no_adapter": "{file}: holds no adapter; give the adapter first and its base model second",
    "checkpoint.no_average": "{file}: holds no averaged copy (EMA) of the model; choose its own weights",
    "checkpoint.freeze_pattern": "{given}: not a regular expression ({why}); correct it",
    # Warnings
    "checkpoint.saved_by_ranks": "Saved by {rank_count} ranks in {file_count} files; sizes are those of the whole tensors.",
    "checkpoint.dcp_files_missing": "{count} data files are missing or too short (the first is {name}); the counts are from the index.",
    "checkpoint.dcp_uncovered": "The chunks of {count} tensors do not add up to them (the first is {name}); their shapes count.",
    "checkpoint.dcp_short_chunks": "{count} tensors have fewer bytes stored than their chunks need (the first is {name}); the data is damaged.",
    "checkpoint.master_weights": "{count} elements of master weights ({size_bytes}) are saved beside the optimizer state: a second copy, not counted as parameters.",
    "checkpoint.tensor_parallel": "This is 1 of {rank_count} tensor or pipeline parallel parts: shapes and counts are those of this part.",
    "checkpoint.zero_ranks_missing": "The optimizer was saved by {total_count} ranks, files of {count} are here: its sizes are partial.",
    "checkpoint.zero_stage": "DeepSpeed ZeRO stage {stage}, saved by {rank_count} data-parallel ranks.",
    "checkpoint.expert_files": "{count} files of experts are counted with the model.",
    "checkpoint.flat_parameters": "FSDP flat parameters: {count} flat pieces with padding stand for the model, its shapes are not in the file. Save a full state dict for exact shapes.",
    "checkpoint.trainer_files": "Also in the folder: {names}.",
    "checkpoint.adapter": "{kind} adapter, rank {rank}, on {targets}; base model: {base}.",
    "checkpoint.adapter_saved_modules": "The adapter also holds whole modules ({names}), which are trained in full.",
    "checkpoint.adapter_on_base": "The base model {base} is frozen, the adapter of {count} parameters is trained.",
    "checkpoint.optimizer_differs": "The optimizer has state for {held_count} parameters, the model in the file can train {count}: some were frozen, or one of the two is another model's.",
    "checkpoint.average_chosen": "The averaged copy (EMA) stands for the model; its own weights are left out.",
    "checkpoint.untied": "{count} tensors that share storage in the file are counted on their own.",
    "checkpoint.torchscript": "A TorchScript archive: its code is not run; parameters and buffers are told apart by the lists in it.",
    # What counts as what
    "checkpoint.rule.auxiliary": "Scales, zero points and code books of quantised weights are bookkeeping: neither parameters nor buffers.",
    "checkpoint.rule.buffers": "BatchNorm statistics, rotary tables, masks, noise schedules, averaged copies and whole numbers are buffers: kept, not trained.",
    "checkpoint.rule.ties": "Tensors that view the same elements count once, under their first name; slices of one storage count each.",
    "checkpoint.rule.trainable": "Every other tensor is a parameter; it is trained unless the file or a pattern says that it is frozen.",
}
