"""The journal of a measurement: one JSON object per line, on disk before the next run starts.

Each line ends with a checksum of its beginning. Incomplete lines at the end of the file are left by a crash and
dropped. An incomplete line before a complete one means that the file is damaged.
"""

from __future__ import annotations

import json
import os
import re
import zlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from splc.errors import InputError, OutputError, Problem
from splc.io.files import lock

Record = Mapping[str, Any]
_BEGINNING = b'{"kind":'
_ENDING = re.compile(rb',"crc":"([0-9a-f]{8})"\}$')
# The greatest number of records that a power failure can leave incomplete: a batch's end, a start and a result.
UNFINISHED = 3
# Seconds to wait for the lock of a journal.
_PATIENCE = 1.0


class Journal:
    """An open journal, locked against other processes; `torn` is the size of unfinished records that were dropped."""

    def __init__(self, path: str, descriptor: int, records: list[Record], size: int, torn: int) -> None:
        self.path = path
        self.records = records
        self.torn = torn
        self._descriptor: int | None = descriptor
        self._size = size

    @classmethod
    def create(cls, path: str | Path) -> Journal:
        """Start a new journal."""
        name = str(path)
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
        except FileExistsError:
            hint = "continue it with --resume, or name another output, or remove it"
            raise OutputError(Problem("this journal of measurements exists already", name, hint=hint)) from None
        except OSError as error:
            raise _failed("written", error, name) from None
        _lock(descriptor, name)
        with suppress(OSError):
            folder = os.open(Path(path).parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
        return cls(name, descriptor, [], 0, 0)

    @classmethod
    def resume(cls, path: str | Path) -> Journal:
        """Open a journal to continue it; an incomplete last record is removed."""
        name = str(path)
        try:
            descriptor = os.open(path, os.O_RDWR)
        except OSError as error:
            raise _failed("opened", error, name) from None
        try:
            _lock(descriptor, name)
            with os.fdopen(os.dup(descriptor), "rb") as stream:
                data = stream.read()
            records, valid_size = parse(data, name)
            if valid_size < len(data):
                os.ftruncate(descriptor, valid_size)
        except BaseException as error:
            os.close(descriptor)
            if isinstance(error, OSError):
                raise _failed("read or written", error, name) from None
            raise
        return cls(name, descriptor, records, valid_size, len(data) - valid_size)

    def append(self, record: Record, *, sync: bool = True) -> None:
        """Write a record; when this returns, it is on disk."""
        assert self._descriptor is not None
        line = encoded(record)
        written_bytes = 0
        try:
            while written_bytes < len(line):
                written_bytes += os.pwrite(self._descriptor, line[written_bytes:], self._size + written_bytes)
            if sync:
                os.fsync(self._descriptor)
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self._descriptor, self._size)
            hint = "free space there, and continue with --resume; every run before this one is kept"
            raise _failed("written", error, self.path, hint) from None
        self._size += len(line)
        self.records.append(record)

    def clear(self) -> None:
        """Remove all records."""
        assert self._descriptor is not None
        try:
            os.ftruncate(self._descriptor, 0)
        except OSError as error:
            raise _failed("written", error, self.path) from None
        self.records, self.torn, self._size = [], 0, 0

    def close(self) -> None:
        """Close the file and release the lock."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _failed(what: str, error: OSError, name: str, hint: str | None = None) -> OutputError:
    return OutputError(Problem(f"cannot be {what}: {error.strerror}", name, hint=hint))


def encoded(record: Record) -> bytes:
    """Return the line of a record."""
    # ASCII: bytes of file names and arguments that are not text are kept as escapes.
    body = json.dumps(record, allow_nan=False, separators=(",", ":")).encode("ascii")
    return body[:-1] + b',"crc":"%08x"}\n' % zlib.crc32(body)


def decoded(line: bytes) -> Record | None:
    """Return the record of a line, None if its checksum is wrong or missing."""
    ending = _ENDING.search(line)
    if ending is None:
        return None
    body = line[: ending.start()] + b"}"
    if zlib.crc32(body) != int(ending[1], 16):
        return None
    try:
        record = json.loads(body)
    except ValueError:
        return None
    return record if isinstance(record, dict) else None


def parse(data: bytes, name: str) -> tuple[list[Record], int]:
    """Return the records of a journal and the number of bytes that they take."""
    records: list[Record] = []
    valid_size, at, damaged = 0, 0, 0
    lines = data.split(b"\n")
    for number, line in enumerate(lines, 1):
        # A complete record has a line end, so the last piece is empty or incomplete.
        record = decoded(line) if number < len(lines) else None
        at += len(line) + 1
        if record is None:
            damaged = damaged or number
        elif damaged:
            raise _damaged(name, damaged)
        else:
            records.append(record)
            valid_size = at
    if not records and data.strip(b"\0 \r\n\t") and not data.startswith(_BEGINNING[: len(data)]):
        raise InputError(Problem("this is not a journal of measurements", name, 1))
    if damaged and len(lines) - damaged > UNFINISHED:
        raise _damaged(name, damaged)
    return records, valid_size


def _damaged(name: str, line: int) -> InputError:
    hint = "it was changed or damaged after it was written; restore it, or measure into another file"
    return InputError(Problem("this record of the journal is damaged", name, line, hint=hint))


def read_journal(path: str | Path) -> list[Record]:
    """Return the records of a journal without changing it; an empty list if the file does not exist."""
    try:
        return parse(Path(path).read_bytes(), str(path))[0]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise InputError(Problem(f"cannot be read: {error.strerror}", str(path))) from None


def _lock(descriptor: int, name: str) -> None:
    """Refuse a journal that another process is writing."""
    # A child that was just forked by a killed process holds the lock until it executes its command.
    if not lock(descriptor, _PATIENCE):
        hint = "wait until it has ended, or measure into another file"
        raise OutputError(Problem("another 'splc measure' is writing this journal", name, hint=hint))
