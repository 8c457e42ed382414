"""Regularization."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "IdentityAttachKLSparseReg",
    python="it changes a state in training; it has no lowering yet",
)
