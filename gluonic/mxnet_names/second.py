"""Names of MXNet 1.x that 2.0 does not have, and what they are called there."""

SECOND = "mxnet2."
"""Where the modules are that differ in MXNet 2.0, without ``gluonic.``."""

MOVED = {
    "amp.lists": "contrib.amp.lists",
    "amp.lists.symbol_bf16": "contrib.amp.lists.symbol_bf16",
    "amp.lists.symbol_fp16": "contrib.amp.lists.symbol_fp16",
    **{
        f"ndarray.{module}": f"mxnet2.{module}"
        for module in (
            "numpy", "numpy.linalg", "numpy.random", "numpy_extension", "numpy_extension.control_flow",
            "numpy_extension.random",
        )
    },
}  # fmt: skip
"""Where modules of MXNet 2.0 are, without ``gluonic.``, which 1.x has elsewhere or otherwise."""


def instead_of(dotted: str) -> str | None:
    """What replaces a name of MXNet 1.x, without ``mx.``; None if 2.0 has it."""
    from gluonic.mxnet_names.correspondences import correspondences  # only programs for 2.0 ask

    row = correspondences().get(dotted)
    return row.advice if row is not None and row.is_gone else None
