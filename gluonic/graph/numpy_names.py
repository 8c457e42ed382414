"""Which operators are those of `mx.np` and `mx.npx`."""


def is_numpy_name(operator: str) -> bool:
    """Whether an operator of that name gives arrays of `mx.np`.

    >>> is_numpy_name("_npi_add"), is_numpy_name("_npx_relu"), is_numpy_name("relu")
    (True, True, False)
    """
    return operator.startswith(("_np_", "_npi_", "_npx_"))
