"""The text of PTX as functions, variables and instructions, as far as LLVM prints it."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import count

from gluonic.device.emulated.syntax import (
    Address,
    Immediate,
    Instruction,
    Operand,
    PtxFunction,
    PtxModule,
    Register,
    SymbolOperand,
    TensorAddress,
    Variable,
    Vector,
    type_size,
)
from gluonic.device.errors import DeviceError
from gluonic.graph.errors import describe

_TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"[^"]*"|[\w$%.]+(?:::[\w$%.]+)*|[^ \t\r]', re.DOTALL)
_INTEGER = re.compile(r"\d\w*$")
_HEADERS = {".version", ".target", ".address_size"}
_LINKAGE = {".visible", ".extern", ".weak", ".common", ";"}
_FLOATS = {"0f": 4, "0F": 4, "0d": 8, "0D": 8}


def parse(text: str) -> PtxModule:
    """Read a module.

    Raises
    ------
    DeviceError
        if something is no PTX, or a form that LLVM does not print
    """
    return _Parser(text).module()


class _Parser:
    def __init__(self, text: str) -> None:
        self.tokens: list[str] = []
        self.lines: list[int] = []
        line = 1
        for token in _TOKEN.findall(text):
            if token == "\n":
                line += 1
            elif token.startswith(("//", "/*")):
                line += token.count("\n")
            else:
                self.tokens.append(token)
                self.lines.append(line)
        self.tokens.append("")
        self.lines.append(line)
        self.position = 0
        self.scopes: list[dict[str, str]] = []
        self.fresh = count()

    @property
    def token(self) -> str:
        return self.tokens[self.position]

    @property
    def line(self) -> int:
        return self.lines[self.position]

    def take(self) -> str:
        self.position += 1
        return self.tokens[self.position - 1]

    def accept(self, token: str) -> bool:
        if self.tokens[self.position] == token:
            self.position += 1
            return True
        return False

    def expect(self, token: str) -> None:
        if not self.accept(token):
            raise self.error(f"expected {token!r}, read {self.token!r}")

    def error(self, what: str) -> DeviceError:
        return DeviceError(describe(f"line {self.line} of the PTX: {what}"))

    def skip_statement(self) -> None:
        while not self.accept(";"):
            if not self.take():
                raise self.error("a statement does not end")

    # -- outside functions ------------------------------------------------------------------------

    def module(self) -> PtxModule:
        module = PtxModule()
        while self.token:
            token = self.take()
            if token in _HEADERS:
                self.take()
                while self.accept(","):
                    self.take()
            elif token in (".entry", ".func"):
                function = self.function(token == ".entry")
                if function.code or function.name not in module.functions:
                    module.functions[function.name] = function
            elif token in (".global", ".const", ".shared"):
                module.variables.update((v.name, v) for v in self.declared(token[1:]))
            elif token not in _LINKAGE:
                raise self.error(f"{token!r} is not known outside a function")
        return module

    def function(self, is_kernel: bool) -> PtxFunction:
        results = self.parameters() if self.token == "(" else []
        function = PtxFunction(self.take(), is_kernel, self.line, results=results)
        function.parameters = self.parameters() if self.token == "(" else []
        while self.token.startswith("."):  # .maxntid 256, 1, 1
            self.take()
            while self.token and self.token not in ("{", ";") and not self.token.startswith("."):
                self.take()
        if self.accept(";"):
            return function
        self.expect("{")
        self.body(function)
        return function

    def parameters(self) -> list[Variable]:
        self.expect("(")
        variables = []
        while not self.accept(")"):
            self.expect(".param")
            variables += self.declarators("param", lambda token: token in (",", ")"))
            self.accept(",")
        return variables

    def declared(self, space: str) -> list[Variable]:
        variables = self.declarators(space, lambda token: token == ";")
        self.expect(";")
        return variables

    def declarators(self, space: str, ends: Callable[[str], bool]) -> list[Variable]:
        """Variables after their space: ``.align 4 .b8 a[16] = {1, 2}``."""
        alignment, kind, copies = 0, "b8", 1
        while self.token.startswith("."):
            token = self.take()
            if token == ".align":
                alignment = int(self.take())
            elif token in (".v2", ".v4"):
                copies = int(token[2:])
            elif re.fullmatch(r"\.[busf]\d+", token):
                kind = token[1:]
            # .ptr, .global and the like only say more of a pointer
        element_size = type_size(kind) * copies
        variables = []
        while True:
            name, elements, contents = self.take(), 1, []
            while self.accept("["):
                elements = 0 if self.token == "]" else elements * self.integer()
                self.expect("]")
            if self.accept("="):
                contents = self.initializer()
            variables.append(
                Variable(
                    name,
                    space,
                    max(alignment, element_size if not alignment else 1),
                    elements * element_size,
                    tuple(contents),
                    element_size,
                )
            )
            if ends(self.token):
                return variables
            self.expect(",")

    def initializer(self) -> list[int | tuple[SymbolOperand, int]]:
        if not self.accept("{"):
            return [self.initial_value()]
        values: list[int | tuple[SymbolOperand, int]] = []
        while not self.accept("}"):
            values += self.initializer()
            self.accept(",")
        return values

    def initial_value(self) -> int | tuple[SymbolOperand, int]:
        """A number, or an address with the number of its byte that is meant, -1 for all: ``0xFF00(a)``."""
        operand = self.operand()
        if isinstance(operand, Immediate):
            if self.accept("("):
                name = self.operand()
                self.expect(")")
                if isinstance(name, SymbolOperand):
                    return name, (operand.value.bit_length() - 8) // 8
            else:
                return operand.value
        if isinstance(operand, SymbolOperand) and operand.name == "generic" and self.accept("("):
            name = self.operand()
            self.expect(")")
            if isinstance(name, SymbolOperand):
                offset = self.integer() if self.accept("+") else 0
                return SymbolOperand(name.name, name.offset + offset), -1
        if isinstance(operand, SymbolOperand):
            return operand, -1
        raise self.error("this initial value is not known")

    def integer(self) -> int:
        sign = -1 if self.accept("-") else 1
        word = self.take().removesuffix("U")
        return sign * int(word, 8 if re.fullmatch(r"0[0-7]+", word) else 0)

    # -- functions --------------------------------------------------------------------------------

    def body(self, function: PtxFunction) -> None:
        self.scopes = [{}]
        while True:
            token, line = self.token, self.line
            if self.accept("}"):
                self.scopes.pop()
                if not self.scopes:
                    return
            elif self.accept("{"):
                self.scopes.append({})
            elif self.accept(";"):
                continue
            elif not token:
                raise self.error(f"{function.name} does not end")
            elif token.startswith("."):
                self.directive(function, self.take()[1:])
            elif self.tokens[self.position + 1] == ":":
                self.label(function)
            else:
                function.code.append(self.instruction(line))

    def label(self, function: PtxFunction) -> None:
        name = self.take()
        self.expect(":")
        if self.accept(".branchtargets"):
            function.tables[name] = self.names()
        elif self.accept(".callprototype"):
            self.skip_statement()
        else:
            function.labels[name] = len(function.code)

    def directive(self, function: PtxFunction, name: str) -> None:
        if name == "reg":
            kind = self.take()[1:]
            while True:
                register = self.take()
                if self.accept("<"):
                    registers = [f"{register}{number}" for number in range(self.integer())]
                    self.expect(">")
                else:
                    registers = [self.scoped(register)]
                function.registers.update(dict.fromkeys(registers, kind))
                if not self.accept(","):
                    break
            self.expect(";")
        elif name in ("param", "local", "shared", "const", "global"):
            for variable in self.declared(name):
                # Each call sequence names its parameters alike.
                function.variables[variable.name] = variable
        elif name == "pragma":
            self.skip_statement()
        elif name == "loc":
            while self.token.isdigit():
                self.take()
        else:
            raise self.error(f".{name} is not known in a function")

    def scoped(self, register: str) -> str:
        """The name of a register that inline assembly declares between braces, which is its own there."""
        if len(self.scopes) == 1:
            return register
        return self.scopes[-1].setdefault(register, f"{register}.{next(self.fresh)}")

    def names(self) -> list[str]:
        names = [self.take()]
        while self.accept(","):
            names.append(self.take())
        self.expect(";")
        return names

    def instruction(self, line: int) -> Instruction:
        guard = None
        if self.accept("@"):
            negated = self.accept("!")
            guard = Register(self.resolved(self.take()), negated)
        opcode = self.take()
        operands = []
        while not self.accept(";"):
            operands.append(self.operand())
            if self.accept("|"):
                operands[-1] = Vector((operands[-1], self.operand()))
            if not self.accept(",") and self.token != ";":
                raise self.error(f"{opcode}: {self.token!r} is not known there")
        return Instruction(line, opcode, tuple(operands), guard)

    def resolved(self, name: str) -> str:
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        return name

    def operand(self) -> Operand:
        token = self.token
        if token.startswith("%") and not any(self.scopes):
            self.position += 1
            return Register(token)
        if self.accept("["):
            return self.address()
        if token in ("{", "("):
            self.take()
            items = []
            while not self.accept("}" if token == "{" else ")"):
                items.append(self.operand())
                self.accept(",")
            return Vector(tuple(items))
        if self.accept("!"):
            return Register(self.resolved(self.take()), True)
        if token == "-" or _INTEGER.match(token):
            return self.number()
        return self.name()

    def address(self) -> Address | TensorAddress:
        """What follows an opening bracket."""
        base = self.operand()
        if self.accept(","):
            coordinates = self.operand()
            self.expect("]")
            if isinstance(coordinates, Vector):
                return TensorAddress(base, coordinates.items)
        offset = self.integer() if self.accept("+") else 0
        self.expect("]")
        if isinstance(base, SymbolOperand):
            return Address(SymbolOperand(base.name), base.offset + offset)
        if isinstance(base, (Register, Immediate)):
            return Address(base, offset)
        raise self.error("this address is not known")

    def number(self) -> Immediate:
        size = _FLOATS.get(self.token[:2], 0)
        if size and len(self.token) == 2 + 2 * size:
            return Immediate(int(self.take()[2:], 16), size)
        return Immediate(self.integer())

    def name(self) -> Register | SymbolOperand:
        name = self.resolved(self.take())
        if not re.match(r"[\w$%]", name):
            raise self.error(f"{name!r} is no operand")
        if name.startswith("%") or any(name in scope.values() for scope in self.scopes):
            return Register(name)
        offset = 0
        if self.token in ("+", "-") and _INTEGER.match(self.tokens[self.position + 1]):
            self.accept("+")
            offset = self.integer()
        return SymbolOperand(name, offset)
