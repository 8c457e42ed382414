"""Regularization."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "IdentityAttachKLSparseReg",
    python="it changes a state while nets train; no rule for machine code has been written",
)
