"""Parts of an LLVM module's text: a few of its functions, with what they call and refer to."""

import re
from collections.abc import Collection, Iterable, Mapping

_DEFINITION = re.compile(r"^define [^\n]*?@([\w.$]+)\(.*?^}\n?", re.MULTILINE | re.DOTALL)
_NAME = re.compile(r"@([\w.$]+)")


def part_of(text: str, names: Iterable[str]) -> str:
    r"""The module of some of a module's functions.

    Parameters
    ----------
    text : the whole module, as :mod:`gluonic.codegen.machine.assembler` writes it
    names : the functions to keep; those that they call are kept, too

    Examples
    --------
    >>> whole = "define void @f() {\n  call void @g()\n}\ndefine void @g() {\n}\ndefine void @h() {\n}\n"
    >>> print(part_of(whole, ["f"]))
    define void @f() {
      call void @g()
    }
    define void @g() {
    }
    """
    definitions = {found[1]: found[0] for found in _DEFINITION.finditer(text)}
    wanted = with_callees(references(definitions), names)
    kept = [code for name, code in definitions.items() if name in wanted]
    rest = _DEFINITION.sub("", text).splitlines(keepends=True)
    kept += [line for line in rest if _is_needed(line, wanted)]
    return "".join(kept)


def references(definitions: Mapping[str, str]) -> dict[str, set[str]]:
    """For each definition the names that occur in its text, its own among them."""
    return {name: set(_NAME.findall(text)) for name, text in definitions.items()}


def with_callees(referred: Mapping[str, Collection[str]], names: Iterable[str]) -> set[str]:
    """The names of functions and of everything they refer to, by what each refers to."""
    stack, wanted = list(names), set()
    while stack:
        name = stack.pop()
        if name not in wanted:
            wanted.add(name)
            stack.extend(referred.get(name, ()))
    return wanted


def _is_needed(line: str, wanted: set[str]) -> bool:
    """Whether the kept functions need a line outside of functions."""
    declared = _NAME.search(line)
    return declared is None or declared[1] in wanted
