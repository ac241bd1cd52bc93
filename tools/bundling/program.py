"""Entry of the bundled program: the window, or a command."""

import multiprocessing
import sys

if __name__ == "__main__":
    multiprocessing.freeze_support()  # a child of multiprocessing must not open a second window
    from tools.bundling.start import give_back_library_paths

    give_back_library_paths()
    from optmem_gui.__main__ import main

    sys.exit(main())
