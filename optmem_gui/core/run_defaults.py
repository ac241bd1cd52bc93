"""How long a measurement runs and how often the driver is asked, unless the user says otherwise.

They stand apart from :mod:`optmem_gui.core.requests` because the settings of the window name them, and the
window starts without what a worker is asked.
"""

from __future__ import annotations

DEFAULT_STEPS = 3
"""The first step allocates the optimizer state, the second runs with it, the third confirms the second."""

DEFAULT_SAMPLE_HZ = 100
MOST_SAMPLE_HZ = 1000
"""How often the driver is asked during a measurement, in Hz."""
