"""*Why?*: a number taken apart into what went into it, where that is from, and how it was proven."""

from __future__ import annotations

from optmem_gui.core.why.answer import (
    TIERS,
    Operation,
    Subject,
    SubjectKind,
    Term,
    Why,
    subjects_of,
)
from optmem_gui.core.why.explain import explain
from optmem_gui.core.why.proofs import component_proofs, tier_proofs

__all__ = [
    "TIERS",
    "Operation",
    "Subject",
    "SubjectKind",
    "Term",
    "Why",
    "component_proofs",
    "explain",
    "subjects_of",
    "tier_proofs",
]
