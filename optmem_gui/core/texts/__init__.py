"""English templates of every reason and error, by area. One table a module, merged here."""

from __future__ import annotations

from optmem_gui.core.texts import (
    activations,
    allocator,
    checkpoint_runtimes,
    checkpoints,
    commands,
    components,
    decide,
    errors,
    measure,
    optimizer_beliefs,
    optimizer_collections,
    optimizer_families,
    optimizer_options,
    optimizer_packages,
    optimizer_rules,
    optimizer_runtimes,
    optimizer_shapes,
    optimizers,
    precision,
    probe,
    sharding,
    simulate,
    sources,
    window,
)

_AREAS = (
    activations,
    allocator,
    checkpoint_runtimes,
    checkpoints,
    commands,
    components,
    decide,
    errors,
    measure,
    optimizer_beliefs,
    optimizer_collections,
    optimizer_families,
    optimizer_options,
    optimizer_packages,
    optimizer_shapes,
    optimizer_rules,
    optimizer_runtimes,
    optimizers,
    precision,
    probe,
    simulate,
    sources,
    sharding,
    window,
)

TEMPLATES: dict[str, str] = {key: text for area in _AREAS for key, text in area.TEXTS.items()}
