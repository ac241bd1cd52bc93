"""English templates: results that are kept, and what they calibrate."""

from __future__ import annotations

TEXTS: dict[str, str] = {
    # what a number rests on
    "assume.calibrated": "Context and libraries: {low_bytes} to {high_bytes}, calibrated on this GPU ({uuid}, driver {driver}, torch {torch}; {date}, runs: {runs_count}); the general band is {band_low_bytes} to {band_high_bytes}",
    # why a measurement calibrates nothing
    "calibrate.cpu": "Not calibrated: this did not run on a GPU",
    "calibrate.unfinished": "Not calibrated: the measurement did not finish",
    "calibrate.unified": "Not calibrated: the GPU shares the system's memory, so what the process holds there is not known",
    "calibrate.hidden": "Not calibrated: the driver does not tell what one process uses here",
    "calibrate.disturbed": "Not calibrated: another process changed what it uses of the GPU meanwhile; close it and measure again",
    "calibrate.spilled": "Not calibrated: the run did not fit, the driver moved a part to host memory; measure a smaller model",
    "calibrate.too_short": "Not calibrated: no sample fell behind the moment at which torch had reserved most; measure more steps",
    "calibrate.implausible": "Not calibrated: the driver shows less for the process than torch reserved; update the driver",
    "calibrate.done": "Calibrated on this GPU: a process takes {low_bytes} to {high_bytes} beyond what torch reserves, the general band is {band_low_bytes} to {band_high_bytes}",
    "calibrate.file_damaged": "{path} could not be read ({why}); it was set aside as {aside}, measure again to calibrate",
    "calibrate.file_unreadable": "{path} could not be read ({why}); predictions go on without what was calibrated",
    # files of results
    "results.damaged": "{file}: damaged ({why}); the other results are listed, delete the file or restore it from a backup",
    "results.newer": "{file}: written by OptMem {program} (version {given} of the file, this program knows {known}); update the program to open it",
    "results.not_a_result": "{file}: not a measurement of OptMem ({why}); open a file that was exported from a measurement",
    "results.too_large": "{file}: {size_bytes} is more than a measurement has ({limit_bytes}); it was not read",
    "results.not_kept": "{path}: measurements cannot be kept there ({why}); they stay in memory until the window closes, export those you need",
    "results.not_kept_once": "Not kept: {path} cannot be written ({why}); free the disk or make the folder writable",
    "results.unknown": "There is no measurement {given}; `optmem results` lists those that are kept",
    "results.several": "{given} begins {number_count} measurements; give more of the id",
    "results.no_calibration": "Nothing was calibrated on {given}; calibrated are: {known}",
    "results.nothing": "No measurement is kept yet; `optmem measure` makes one",
}
