"""Parameters in the docstrings of NumPy's functions, whose names mean the same in most of them."""

import inspect

_MEANINGS = {
    "A": "the array",
    "M": "the number of points",
    "UPLO": "which triangle of the matrices is read: L, the lower, or U, the upper one",
    "a": "the array",
    "a_max": "the largest number",
    "a_min": "the smallest number",
    "append": "values behind the array, along the axis",
    "ar1": "the array",
    "ar2": "the values to look for",
    "arr": "the array",
    "array": "the array",
    "arrays": "the arrays",
    "ary": "the array",
    "assume_unique": "whether no value occurs twice in either array",
    "axes": "the axes, in order",
    "axis": "the axis, or a tuple of axes where the function allows it; None: of all elements",
    "axis1": "the first of the two axes",
    "axis2": "the second of the two axes",
    "b": "the second array",
    "base": "the base of the powers",
    "ctx": "the context of the result, by default the current one",
    "ddof": "the divisor is the number of elements minus this number",
    "decimals": "the number of decimals; if it is negative, that many digits before the point become 0",
    "destination": "where the axes go",
    "device_id": "the number of the GPU",
    "df": "the degrees of freedom",
    "dimensions": "the shape of the grid",
    "dtype": "the dtype of the result",
    "endpoint": "whether `stop` is the last number",
    "func": "the function or class",
    "hermitian": "whether the matrices equal their conjugate transposes",
    "ind": "the number of leading axes that are the rows",
    "indices": "the indices",
    "indices_or_sections": "the number of equal parts, or the indices at which to cut",
    "interpolation": "which number lies between two elements: linear, lower, higher, midpoint or nearest",
    "invert": "whether to find those that do not occur",
    "k": "the diagonal (0 is the main one), or how many times",
    "keepdims": "keep the reduced axes, with length 1",
    "kind": "accepted and ignored",
    "loc": "the mean, or the location",
    "m": "the array",
    "max_work": "accepted and ignored",
    "mean": "the mean of the logarithms",
    "minlength": "the least length of the result",
    "msg": "the message of the error",
    "n": "the size, or how many times",
    "new_shape": "the shape of the result",
    "newshape": "the shape of the result; -1 stands for one axis that follows from the others",
    "num": "how many numbers",
    "obj": "the indices",
    "offset": "the diagonal: 0 is the main one, positive numbers are above it",
    "order": "the order of elements in memory, C alone; where elements are sorted, None alone",
    "out": "the array that receives the result",
    "overwrite_input": "accepted and ignored",
    "p": "the coefficients, the highest first",
    "prepend": "values in front of the array, along the axis",
    "pvals": "the probabilities of the outcomes",
    "q": "the part of the elements that is smaller, from 0 to 1, or several",
    "rcond": "singular values below this part of the largest one count as 0",
    "repeats": "how many times",
    "reps": "how many times, for each axis",
    "scale": "the standard deviation, or the scale",
    "seq": "the arrays",
    "shape": "the shape of the result, or the shape parameter of a distribution",
    "shift": "by how many places, for each axis",
    "sigma": "the standard deviation of the logarithms",
    "size": "the shape of the result",
    "source": "the axes to move",
    "start": "the first number, or exponent",
    "stop": "the last number, or exponent",
    "to_begin": "values in front of the differences",
    "to_end": "values behind the differences",
    "tup": "the arrays",
    "values": "the values",
    "weights": "what each element counts",
    "x": "the array",
}


def with_parameters(documentation: str | None, signature: inspect.Signature) -> str:
    """A docstring with a list of parameters, if it has none and all of their names are known."""
    text = inspect.cleandoc(documentation or "")
    named = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    if "Parameters\n---" in text or not named or any(p.name not in _MEANINGS for p in named):
        return text
    introduction, heading, rest = text.partition("\n\nReturns\n---")
    listed = "".join(f"\n{p.name} : {_MEANINGS[p.name]}{_default(p)}" for p in named)
    return f"{introduction}\n\nParameters\n----------{listed}{heading}{rest}"


def _default(parameter: inspect.Parameter) -> str:
    is_required = parameter.default is parameter.empty
    return "" if is_required else f" (default {parameter.default!r})"
