"""A VBA project with modules added: xlwings' own, with a module of ours and the modules of the workbook's sheets.

The project keeps sources only and no compiled code, which MS-OVBA asks of who writes one: Excel compiles them when it
first needs them. Compiled code that the project came with is dropped.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from gpusheet.errors import GpusheetError
from gpusheet.workbook.macros import compound_file
from gpusheet.workbook.macros.ovba import compress, decompress

CODE_PAGE = "cp1252"
DOCUMENT, PROCEDURAL = 0x22, 0x21
THIS_WORKBOOK = "ThisWorkbook"
_MODULES, _COOKIE, _NAME, _OFFSET, _END_OF_MODULE, _END = 0x0F, 0x13, 0x19, 0x31, 0x2B, 0x10
_VERSION = 0x09  # its record is two bytes longer than it says
_NO_CACHE = b"\xcc\x61\xff\xff\x00\x00\x00"
_SHEET_SOURCE = """\
Attribute VB_Name = "{name}"
Attribute VB_Base = "0{{00020820-0000-0000-C000-000000000046}}"
Attribute VB_GlobalNameSpace = False
Attribute VB_Creatable = False
Attribute VB_PredeclaredId = True
Attribute VB_Exposed = True
Attribute VB_TemplateDerived = False
Attribute VB_Customizable = True
"""


@dataclass(frozen=True)
class Module:
    """A module of a project: its record in the list of modules, and its source."""

    name: str
    record: bytes
    source: bytes
    kind: int

    @classmethod
    def of(cls, source: str, kind: int) -> Module:
        """From a source, whose first line names it."""
        name = source.split('"', 2)[1]
        return cls(name, _module_record(name, kind), source.encode(CODE_PAGE), kind)


@dataclass(frozen=True)
class Project:
    """What is in a vbaProject.bin."""

    head: bytes  # of the list of modules: the project's properties and references
    settings: str  # the stream PROJECT
    modules: tuple[Module, ...]

    @classmethod
    def read(cls, data: bytes) -> Project:
        streams = compound_file.read(data)
        try:
            head, records = _parts(decompress(streams["VBA", "dir"]))
            modules = tuple(
                Module(name, record, decompress(streams["VBA", name][offset:]), kind)
                for name, record, kind, offset in records
            )
            return cls(head, streams[("PROJECT",)].decode(CODE_PAGE), modules)
        except (KeyError, struct.error) as error:
            raise GpusheetError(f"the VBA project is not complete ({error}); take a fresh copy of it") from None

    def with_modules(self, sheets: Iterable[str], sources: Iterable[str], without: Sequence[str] = ()) -> Project:
        """The project of a workbook whose sheets have these code names, with the modules of these sources added."""
        kept = [one for one in self.modules if one.name not in without and not _is_sheet(one)]
        documents = [Module.of(_SHEET_SOURCE.format(name=name).replace("\n", "\r\n"), DOCUMENT) for name in sheets]
        added = [Module.of(source, PROCEDURAL) for source in sources]
        modules = (*kept[:1], *documents, *kept[1:], *added)
        return Project(self.head, _settings(self.settings, modules), modules)

    def packed(self) -> bytes:
        """The project as a vbaProject.bin."""
        names = b"".join(
            one.name.encode(CODE_PAGE) + b"\0" + one.name.encode("utf-16-le") + b"\0\0" for one in self.modules
        )
        streams: dict[compound_file.Path, bytes] = {
            ("PROJECT",): self.settings.encode(CODE_PAGE), ("PROJECTwm",): names + b"\0\0",
            ("VBA", "_VBA_PROJECT"): _NO_CACHE, ("VBA", "dir"): compress(self._directory()),
        }  # fmt: skip
        streams |= {("VBA", one.name): compress(one.source) for one in self.modules}
        return compound_file.write(streams)

    def _directory(self) -> bytes:
        count = _record(_MODULES, struct.pack("<H", len(self.modules))) + _record(_COOKIE, b"\xff\xff")
        return self.head + count + b"".join(one.record for one in self.modules) + _record(_END, b"")


def _is_sheet(module: Module) -> bool:
    return b"00020820-0000-0000-C000-000000000046" in module.source and module.kind == DOCUMENT


def _record(number: int, data: bytes) -> bytes:
    return struct.pack("<HI", number, len(data)) + data


_SOURCE_FIRST = _record(_OFFSET, bytes(4))  # no compiled code stands before the source


def _module_record(name: str, kind: int) -> bytes:
    plain, wide = name.encode(CODE_PAGE), name.encode("utf-16-le")
    return b"".join((
        _record(_NAME, plain), _record(0x47, wide), _record(0x1A, plain), _record(0x32, wide),
        _record(0x1C, b""), _record(0x48, b""),  # no description
        _SOURCE_FIRST, _record(0x1E, bytes(4)), _record(0x2C, b"\xff\xff"), _record(kind, b""), _record(_END_OF_MODULE, b""),
    ))  # fmt: skip


def _records(data: bytes) -> Iterator[tuple[int, int, bytes, int]]:
    """Number, begin, content and end of each record."""
    place = 0
    while place < len(data):
        number, size = struct.unpack_from("<HI", data, place)
        size += 2 if number == _VERSION else 0
        end = place + 6 + size
        yield number, place, data[place + 6 : end], end
        place = end


def _parts(directory: bytes) -> tuple[bytes, list[tuple[str, bytes, int, int]]]:
    """The bytes before the modules, and of each module its name, record, kind and where its source begins."""
    head, modules = b"", []
    record, name, kind, offset = bytearray(), "", 0, 0
    for number, begin, content, end in _records(directory):
        if number == _MODULES:
            head = directory[:begin]
        elif number == _NAME:
            record, name = bytearray(), content.decode(CODE_PAGE)
        elif number == _OFFSET:
            (offset,) = struct.unpack("<I", content)
        elif number in (DOCUMENT, PROCEDURAL):
            kind = number
        record += _SOURCE_FIRST if number == _OFFSET else directory[begin:end]
        if number == _END_OF_MODULE:
            modules.append((name, bytes(record), kind, offset))
    return head, modules


def _settings(text: str, modules: Sequence[Module]) -> str:
    """The stream PROJECT with these modules in place of those that it lists. It knows classes from other documents."""
    lines = text.split("\r\n")
    classes = {line.removeprefix("Class=") for line in lines if line.startswith("Class=")}
    listed = [line for line in lines if line.startswith(("Document=", "Module=", "Class="))]
    begin = lines.index(listed[0])
    workspace = lines.index("[Workspace]")
    told = [_listed(module, classes) for module in modules]
    rest = [line for line in lines[begin:workspace] if line not in listed]
    windows = [f"{module.name}=0, 0, 0, 0, C" for module in modules]
    return "\r\n".join([*lines[:begin], *told, *rest, "[Workspace]", *windows, ""])


def _listed(module: Module, classes: set[str]) -> str:
    if module.kind == PROCEDURAL:
        return f"Module={module.name}"
    return f"Class={module.name}" if module.name in classes else f"Document={module.name}/&H00000000"
