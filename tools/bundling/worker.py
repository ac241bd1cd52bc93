"""Entry of the bundle's second program, which has no Qt: runs a module, as ``python -m`` does."""

import multiprocessing
import runpy
import sys

MODULES = ("optmem_gui.engine.sampler", "optmem_gui.worker")

if __name__ == "__main__":
    multiprocessing.freeze_support()
    if len(sys.argv) < 2 or sys.argv[1] not in MODULES:
        sys.exit(f"{sys.argv[0]}: started by OptMem, which says what to run")
    runpy.run_module(sys.argv.pop(1), run_name="__main__", alter_sys=True)
