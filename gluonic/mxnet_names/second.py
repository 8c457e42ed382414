"""Names of MXNet 1.x that 2.0 does not have, and what they are called there."""

SECOND = "mxnet2."
"""Where the modules are that differ in MXNet 2.0, without ``gluonic.``."""


def instead_of(dotted: str) -> str | None:
    """What replaces a name of MXNet 1.x, without ``mx.``; None if 2.0 has it."""
    from gluonic.mxnet_names.correspondences import correspondences  # only programs for 2.0 ask

    row = correspondences().get(dotted)
    return row.advice if row is not None and row.is_gone else None
