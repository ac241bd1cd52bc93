"""English templates: measuring, its failures, and what the driver does not tell."""

from __future__ import annotations

TEXTS: dict[str, str] = {
    # what the worker refuses
    "measure.no_torch": "Measure: {python} has no torch; install it there (pip install torch) or choose another Python in the settings",
    "measure.torch_broken": "Measure: torch in {python} does not load ({cause}); reinstall it or choose another Python in the settings",
    "measure.old_torch": "Measure: torch {torch} is older than {oldest}; update torch or choose another Python in the settings",
    "measure.torch_without_cuda": "Measure: torch {torch} in {python} is a CPU build; install a CUDA build or measure on the CPU",
    "measure.no_cuda": "Measure: torch cannot use the GPU ({cause}); update the driver or measure on the CPU",
    "measure.no_such_device": "Measure: there is no device {given}, torch sees {device_count}; choose another device",
    "measure.device_hidden": "Measure: CUDA_VISIBLE_DEVICES={visible} hides device {given}; unset it or choose a device it shows",
    "measure.no_kernel": "Measure: torch {torch} has no kernels for this GPU ({architecture}); install a build for it or measure on the CPU",
    "measure.device_busy": "Measure: {device} is in use by another process in exclusive mode; end that process or choose another device",
    "measure.no_torch_dtype": "Measure: torch has no tensors of type {dtype}; a model can hold {known}",
    "measure.nothing_to_train": "Measure: no parameter is trainable; widen the choice of trainable parameters",
    "measure.quantized_base": "Measure: a {base} base needs bitsandbytes kernels and is not measured; choose a bf16 base, or rely on the estimate",
    "measure.precision_not_in_torch": "Measure: torch itself does not run {precision}; choose another precision, or rely on the estimate",
    "measure.too_few_steps": "Measure: {steps} steps are too few, the first one differs from the rest; ask for at least {fewest}",
    "measure.no_library": "Measure: {path} cannot be imported ({cause}); install its library where torch is, or choose another optimizer",
    "measure.no_optimizer": "Measure: {path} does not exist in this installation (torch {torch}); update it or choose another optimizer",
    "measure.optimizer_refused": "Measure: {path} refused its options or parameters ({cause}); change the option it names",
    "measure.step_failed": "Measure: {phase} of step {step} failed ({cause}); see the detail, or change what it names",
    "measure.bad_request": "Measure: the worker could not read the request ({cause}); report this with the log",
    # out of memory is a result
    "measure.out_of_memory": "Did not fit: {phase} of step {step} asked for {asked_bytes} more and {free_bytes} was free on the GPU; lower the batch or choose a smaller optimizer state",
    "measure.out_of_host_memory": "Did not fit: {phase} of step {step} asked for {asked_bytes} more than the system gives; measure a smaller model of the same shape",
    # what the parent sees
    "measure.no_python": "Measure: {python} cannot be started ({cause}); choose another Python in the settings",
    "measure.not_a_worker": "Measure: {python} answered with something that is no measurement ({sample}); choose another Python in the settings",
    "measure.wrong_version": "Measure: the worker speaks protocol version {given}, this program another; run both from one installation",
    "measure.killed": "Measure: the worker was ended by {signal} in {phase}; the system probably ran out of memory, measure a smaller model",
    "measure.crashed": "Measure: the worker crashed in {phase} ({signal}); update torch or the driver, the log has the detail",
    "measure.exited": "Measure: the worker ended in {phase} with status {status} and no result; the log has the detail",
    "measure.silent": "Measure: the worker said nothing for {seconds} s in {phase} and was ended; measure a smaller model or try again",
    "measure.cancelled": "Measurement stopped in {phase}",
    "measure.gpu_lost": "The GPU no longer answers the driver; restart the computer before measuring again",
    "measure.gpu_failed": "Measure: the GPU reported an error ({cause}); restart the program, and the computer if it stays",
    "measure.spilled": "This did not fit: {reserved_bytes} was held on a GPU of {total_bytes}, the driver moved the rest to host memory; it runs, but slowly",
    "measure.still_growing": "The optimizer's state still grew by {grown_bytes} in step {steps}, the last one: this is not the steady state yet; measure more steps",
    "measure.others_changed": "Other processes on the GPU changed their memory by {change_bytes} meanwhile; close them and measure again for an exact figure",
    # what the driver does not tell
    "nvml.no_module": "No GPU figures: the package nvidia-ml-py is missing; install it (pip install nvidia-ml-py)",
    "nvml.no_library": "No NVIDIA driver was found (libnvidia-ml is missing); install the driver, or measure on the CPU",
    "nvml.no_driver": "The NVIDIA driver is not loaded; load it (modprobe nvidia) or restart the computer",
    "nvml.mismatch": "The NVIDIA driver was updated and no longer matches the running one; restart the computer",
    "nvml.no_permission": "The driver refuses figures to this user; ask the administrator, torch's own figures remain",
    "nvml.gpu_lost": "The GPU no longer answers the driver; restart the computer",
    "nvml.not_supported": "The driver gives no such figure for this GPU (unified memory is counted by the system); torch's own figures remain",
    "nvml.no_device": "The driver knows no GPU {uuid}; choose another device",
    "nvml.process_hidden": "Not available: the driver does not tell what a process uses here (Windows, WSL or a container); the device's total less its baseline stands in",
    "nvml.old_driver": "The driver is too old for this figure; update it",
    "nvml.failed": "The driver answered with an error ({cause}); try again, or restart the computer",
    # asking first
    "measure.would_not_fit": "This run needs about {needed_bytes} and {free_bytes} is free; {count} parameters of the same shape would fit",
    "measure.nothing_fits": "This run needs about {needed_bytes} and {free_bytes} is free; no model of this shape fits, free some memory first",
}
