"""Arguments of calls as 2.0 takes them, by a row of the table of correspondences."""

from collections.abc import Iterator, Sequence

import libcst as cst

from gluonic.mxnet_names.correspondences import Argument, Correspondence, arguments_of

_CODES = {0: -2, -1: -1, -2: -4, -3: -5, -4: -6}
"""What ``npx.reshape`` calls the codes of ``nd.reshape``."""
_LISTS = (cst.List, cst.Tuple, cst.ListComp, cst.Integer, cst.Float)


class UndecidedError(Exception):
    """A call cannot be rewritten without knowing more than its text."""


def new_arguments(row: Correspondence, arguments: Sequence[cst.Arg]) -> list[cst.Arg]:
    """The arguments of a call of 1.x's function, for 2.0's.

    Raises
    ------
    UndecidedError
        if an argument has no counterpart
    """
    rules = arguments_of(row.parameters or "")
    positional = [argument for argument in arguments if argument.keyword is None]
    if any(argument.star == "**" for argument in positional):
        raise UndecidedError("keywords that a dictionary holds")
    keywords = [argument for argument in arguments if argument.keyword is not None]
    made = list(_positional(rules, [a for a in positional if a.star != "**"]))
    made += _keywords(rules, keywords)
    given = {argument.keyword.value for argument in made if argument.keyword is not None}
    made += [
        _keyword(rule.after, cst.parse_expression(rule.default))
        for rule in rules
        if rule.default and rule.after not in given and not _is_float_already(row, rule, arguments)
    ]
    checked = _CHECKS.get(row.after)
    if checked is not None:
        checked(made)
    return (
        [one.with_changes(comma=cst.MaybeSentinel.DEFAULT) for one in made[-1:]]
        if len(made) == 1
        else made
    )


def _positional(rules: Sequence[Argument], given: Sequence[cst.Arg]) -> Iterator[cst.Arg]:
    if rules and rules[0].before == "*":
        if len(given) == 1 and given[0].star == "*":
            yield cst.Arg(given[0].value)
        elif given:
            elements = [
                cst.StarredElement(one.value) if one.star else cst.Element(one.value)
                for one in given
            ]
            yield cst.Arg(cst.List(elements))
        return
    named = [rule for rule in rules if not rule.takes_all]
    for i, argument in enumerate(given):
        if argument.star:
            raise UndecidedError("arguments that a list holds")
        if i >= len(named):
            raise UndecidedError(f"its argument {i + 1}")
        if named[i].is_keyword:
            yield _keyword(named[i].after, argument.value)
        else:
            yield argument


def _keywords(rules: Sequence[Argument], given: Sequence[cst.Arg]) -> Iterator[cst.Arg]:
    by_name = {rule.before: rule for rule in rules}
    for argument in given:
        assert argument.keyword is not None
        name = argument.keyword.value
        if name in by_name and not by_name[name].takes_all:
            new_name = argument.keyword.with_changes(value=by_name[name].after)
            yield argument.with_changes(keyword=new_name)
        elif "**" in by_name and name != "out":
            yield argument
        elif name != "name":  # of a symbol
            raise UndecidedError(f"its argument {name!r}")


def _keyword(name: str, value: cst.BaseExpression) -> cst.Arg:
    equal = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
    return cst.Arg(value, keyword=cst.Name(name), equal=equal)


def _is_float_already(row: Correspondence, rule: Argument, given: Sequence[cst.Arg]) -> bool:
    """Whether `np.array` makes float32 of its argument by itself, as it does of lists and numbers."""
    is_array = row.after == "np.array" and rule.after == "dtype"
    return is_array and bool(given) and isinstance(given[0].value, _LISTS)


def _literal(node: cst.BaseExpression) -> int | None:
    """The number that an expression is, if it is written as one."""
    if isinstance(node, cst.Integer):
        return int(node.evaluated_value)
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus):
        number = _literal(node.expression)
        return None if number is None else -number
    return None


def _items(node: cst.BaseExpression) -> list[cst.BaseExpression] | None:
    if isinstance(node, (cst.Tuple, cst.List)):
        return [element.value for element in node.elements]
    return None if _literal(node) is None else [node]


def has_codes(items: Sequence[cst.BaseExpression]) -> bool:
    """Whether a shape has codes that only `nd.reshape` knows: 0, or less than -1."""
    return any(n is not None and (n == 0 or n < -1) for n in map(_literal, items))


def with_new_codes(items: Sequence[cst.BaseExpression]) -> cst.Tuple:
    """A shape for ``npx.reshape`` from one for ``nd.reshape``.

    Raises
    ------
    UndecidedError
        if an axis is split, whose parts may be codes
    """
    made = []
    for item in items:
        number = _literal(item)
        if number is not None and (number == 0 or number < -1):
            if number not in _CODES:
                raise UndecidedError("its shape")
            item = cst.parse_expression(str(_CODES[number]))
        made.append(cst.Element(item))
    return cst.Tuple(made)


def _check_reshape(arguments: list[cst.Arg]) -> None:
    if len(arguments) != 2 or (items := _items(arguments[1].value)) is None:
        raise UndecidedError("its shape, which is not written here")
    arguments[1] = arguments[1].with_changes(value=with_new_codes(items))


def _check_split(arguments: list[cst.Arg]) -> None:
    number = _literal(arguments[1].value) if len(arguments) > 1 else None
    if number == 1:
        raise UndecidedError("one part, which mx.np.split returns as a list")


def _check_shape(arguments: list[cst.Arg]) -> None:
    items = _items(arguments[1].value) if len(arguments) > 1 else None
    if items is not None and any(_literal(item) == 0 for item in items):
        raise UndecidedError("its shape with zeros, which stand for the array's own")


_CHECKS = {
    "npx.reshape": _check_reshape,
    "np.split": _check_split,
    "np.broadcast_to": _check_shape,
}
