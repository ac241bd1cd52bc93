"""How many examples hypothesis tries, and which.

A normal run tries the same ones each time, so that the same code gets the same verdict. New ones are looked
for with ``--hypothesis-profile=explore``; what fails there becomes an ``@example`` or a test of its own.
"""

from __future__ import annotations

from hypothesis import HealthCheck, settings

_USUAL = 100
_EXPLORED = 10
"""Times as many where new ones are looked for."""


def register_profiles() -> None:
    """Make the two known and take the usual one.

    No profile limits the time of an example, or complains that making them is slow: a machine that stands
    still for a moment would fail the test.
    """
    timeless = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.register_profile("optmem", timeless, derandomize=True, max_examples=_USUAL)
    settings.register_profile("explore", timeless, print_blob=True, max_examples=_EXPLORED * _USUAL)
    settings.load_profile("optmem")


def examples(count: int, *, shared_fixtures: bool = False) -> settings:
    """So many in a normal run, and as many times more as the profile asks for.

    Args:
        count: In place of hypothesis's 100.
        shared_fixtures: The test's fixtures, such as its folder, may be the same for all of them.
    """
    profile = settings()
    quiet = [*profile.suppress_health_check, *[HealthCheck.function_scoped_fixture] * shared_fixtures]
    return settings(max_examples=count * profile.max_examples // _USUAL, suppress_health_check=quiet)
