"""The names of the operators of `mx.np` and `mx.npx`."""


def is_numpy_name(operator: str) -> bool:
    """Whether the operator of a name returns arrays of `mx.np`.

    >>> is_numpy_name("_npi_add"), is_numpy_name("_npx_relu"), is_numpy_name("relu")
    (True, True, False)
    """
    return operator.startswith(("_np_", "_npi_", "_npx_"))


def without_prefix(operator: str) -> str:
    """The name that users know an operator by.

    >>> without_prefix("_npi_add"), without_prefix("_npx__image_resize"), without_prefix("_plus")
    ('add', 'resize', '_plus')
    """
    for prefix in ("_npx__image_", "_npx_", "_npi_", "_np_"):
        if operator.startswith(prefix):
            return operator.removeprefix(prefix)
    return operator
