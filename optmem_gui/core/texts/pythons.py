"""English templates: the Python that simulates and measures, and why one cannot."""

from __future__ import annotations

TEXTS: dict[str, str] = {
    "python.none": "No Python with torch was found to simulate and measure with; choose one in the settings, or name it with --python",
    "python.missing": "{python} does not exist; choose another Python in the settings",
    "python.not_a_program": "{python} is no program; choose a Python, such as bin/python in the folder of an environment",
    "python.not_started": "{python} cannot be started ({cause}); choose another Python in the settings",
    "python.other_machine": "{python} is built for another kind of processor ({cause}); choose a 64-bit Python made for this computer",
    "python.silent": "{python} did not answer within {seconds} s; choose another Python in the settings",
    "python.no_answer": "{python} did not answer as a Python does ({cause}); choose another Python in the settings",
    "python.too_old": "{python} is Python {version}, older than {oldest}; choose a newer Python that has torch",
    "python.no_torch": "{python} (Python {version}) has no torch; install it there (pip install torch) or choose another Python",
    "python.torch_broken": "torch of {python} is damaged ({cause}); install it there anew or choose another Python",
    "python.old_torch": "torch {torch} of {python} is older than {oldest}; update it there or choose another Python",
    "python.cpu_torch": "torch {torch} of {python} is a CPU build: Measure runs on the CPU; for the GPU, install a CUDA build there",
}
