"""Composition of symbols: operators applied to symbols, and variables replaced by other symbols."""

from collections.abc import Mapping, Sequence
from typing import Any

from gluonic.graph import Application, Entry, Graph, Node, casting
from gluonic.graph.calling import Caller
from gluonic.graph.errors import MXNetError, describe, nearest, user_location, warn
from gluonic.graph.failures import not_made, note_failure
from gluonic.graph.node_attributes import as_text, full_name, own, set_initializers
from gluonic.symbol.casting import cast_entries
from gluonic.symbol.naming import current_names
from gluonic.symbol.scopes import block_path, current_attributes


def apply_operator(
    caller: Caller,
    arguments: Sequence[Any],
    keywords: dict[str, Any],
    *,
    name: str | None,
    attr: Mapping[str, str] | None,
    hint: str,
) -> Node:
    """Create the node of an operator called with symbols.

    Parameters
    ----------
    caller : the operator
    arguments, keywords : as the user passed them
    name : the user's choice; None to number it by `hint`
    attr : further attributes
    """
    try:
        return _applied(caller, arguments, keywords, name=name, attr=attr, hint=hint)
    except MXNetError as error:
        kind: Any = caller.kind
        given = [*arguments, *keywords.values()]
        read = [e for value in given if isinstance(value, kind) for e in value.entries]
        note_failure(error, not_made(caller.op.name, read, error.location), {})
        raise


def _applied(
    caller: Caller,
    arguments: Sequence[Any],
    keywords: dict[str, Any],
    *,
    name: str | None,
    attr: Mapping[str, str] | None,
    hint: str,
) -> Node:
    scoped = current_attributes().get(attr)
    positional, named, given = caller.split(arguments, {**scoped, **keywords})
    for index, symbol in enumerate(positional):
        if symbol is not None and not isinstance(symbol, caller.kind):
            caller.check(symbol, _input_name(caller, index))
    for key, symbol in named.items():
        caller.check(symbol, key)
    name = current_names().get(name, hint)
    application, texts = _attributed(caller, given)
    inputs = caller.arrange(application, positional, named)
    location, block = user_location(), block_path()
    entries = []
    for input_name, symbol in zip(application.inputs, inputs, strict=True):
        if symbol is None:
            variable = Node(None, _joined(name, input_name), (), texts, location, block)
            entries.append(variable.entry())
        else:
            entries.append(only_entry(symbol, caller.op.name, input_name))
    if application.states:
        _check_states(application, entries)
    set_initializers(application, entries)
    if casting.current is not None:
        entries = list(cast_entries(application, entries))
    return Node(application, name, entries, texts, location, block)


def _attributed(caller: Caller, given: dict[str, Any]) -> tuple[Application, dict[str, str]]:
    """The operator with the attributes of a call, and these as text."""
    if not given:
        return caller.op.apply(given), {}
    given = _without_symbols(caller, {full_name(key): value for key, value in given.items()})
    application = caller.op.apply(caller.recognized(own(given, caller.op)))
    settings = application.settings
    return application, {key: as_text(v, settings.get(key)) for key, v in given.items()}


def _without_symbols(caller: Caller, given: dict[str, Any]) -> dict[str, Any]:
    """Drop symbols among the attributes of an operator without inputs, as MXNet does."""
    if caller.inputs or caller.variadic or caller.op.arguments is not None:
        return given
    symbols = [name for name, value in given.items() if isinstance(value, caller.kind)]
    for name in symbols:
        warn(f"{caller.op.name} has no input {name!r}: it has no effect")
    return {name: value for name, value in given.items() if name not in symbols}


def _input_name(caller: Caller, index: int) -> str:
    inputs = caller.inputs
    return inputs[index] if index < len(inputs) else f"argument {index + 1}"


def _joined(name: str, input_name: str) -> str:
    return f"{name}_{input_name}" if name else input_name


def only_entry(symbol: Any, operator: str, input_name: str) -> Entry:
    """The entry of a symbol that is used as one input; raises an error if it has several outputs."""
    entries: Sequence[Entry] = symbol.entries
    if len(entries) != 1:
        raise MXNetError(
            describe(
                f"{input_name} must be one symbol, but has {len(entries)} outputs",
                where=operator,
                facts=[f"the outputs: {', '.join(symbol.list_outputs()[:8])}"],
                hint="choose one by index: symbol[0]",
            )
        )
    return entries[0]


def _check_states(application: Application, entries: Sequence[Entry]) -> None:
    for input_name, entry in zip(application.inputs, entries, strict=True):
        if input_name in application.states and not entry.node.is_variable:
            raise MXNetError(
                describe(
                    f"{input_name} is updated by the operator and must be a variable, "
                    f"not {entry.node.title}",
                    where=application.op.name,
                )
            )


def copied(entries: Sequence[Entry]) -> list[Entry]:
    """Copy a graph; the copy shares no node with it."""
    return Graph(entries).called_anew({})


def composed(
    entries: Sequence[Entry], replacements: Mapping[str, Any], name: str | None
) -> list[Entry]:
    """Copy a graph with variables replaced by other symbols.

    Parameters
    ----------
    replacements : a symbol for each variable's name
    name : the copy's name, None to keep it
    """
    graph = Graph(entries)
    variables = graph.variables
    known = {node.name for node in variables}
    for variable in replacements:
        if variable not in known:
            raise MXNetError(
                describe(
                    f"there is no variable {variable!r}{nearest(variable, known)}",
                    where="composition",
                    facts=[f"the variables: {', '.join(node.name for node in variables[:20])}"],
                )
            )
    by_node = {
        node: only_entry(replacements[node.name], "composition", node.name)
        for node in variables
        if node.name in replacements
    }
    made = graph.called_anew(by_node)
    if name and not made[0].node.is_variable:
        made[0].node.name = name
    return made
