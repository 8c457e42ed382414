"""The weights of a library: a section of its object file, or a file beside it."""

import hashlib
from pathlib import Path

from gluonic.codegen.library.elf import section
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.machine.memory import ALIGNMENT
from gluonic.graph import Array
from gluonic.graph.files import write_atomically
from gluonic.support.record import record

HEAD_BYTES = 64
"""The bytes of a file of weights before the first; the digest is at its beginning."""
DIGEST_BYTES = 32
SECTION = ".rodata.gluonic"
"""The section of an object file, or the segment of WebAssembly, that is room for the weights."""


@record
class LibraryWeights:
    """The bytes of all constants.

    Attributes
    ----------
    image : the bytes
    beside : whether they are in a file beside the library
    symbol : their name in the module
    """

    image: Array
    beside: bool
    symbol: str

    @property
    def size(self) -> int:
        """The number of bytes."""
        return int(self.image.size)

    @property
    def digest(self) -> bytes:
        """What a file of weights begins with."""
        return hashlib.sha256(self.image.data).digest()

    def declare(self, module: LLVMModule) -> None:
        """Write the room for the weights into a module; as text, the weights themselves would be huge."""
        if self.beside or not self.size:
            return
        # LLVM must not believe that they are zero.
        head = f"@{self.symbol} = internal externally_initialized constant"
        kind = f"[{self.size} x i8] zeroinitializer"
        module.definitions[self.symbol] = f'{head} {kind}, section "{SECTION}", align {ALIGNMENT}'

    def filled(self, image: bytes) -> bytes:
        """An object file with the weights in the room for them."""
        if self.beside or not self.size:
            return image
        filled = bytearray(image)
        place = section(filled, SECTION)
        assert place.size == self.size
        filled[place.offset : place.offset + place.size] = self.image.data
        return bytes(filled)

    def save(self, file: Path) -> None:
        """Write them to a file."""
        head = self.digest.ljust(HEAD_BYTES, b"\0")
        write_atomically(file, head + self.image.tobytes())
