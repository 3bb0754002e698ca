"""Runs commands in children of one warm process and ends them: by kill -9 at random moments, for want of room, beside
each other. Prints as JSON how each ended. A program of its own, because a forked test process would not be safe."""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import pkgutil
import random
import resource
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile


def warm() -> None:
    """Loads what commands load, without calculating anything: threads of an engine would not survive the fork."""
    import formualizer  # noqa: F401
    import pandas  # noqa: F401

    from gpusheet import cli, intake, workbook
    from gpusheet.catalog import Catalog
    from gpusheet.cli.estimate import full_command

    for package in (cli, intake, workbook):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    Catalog.builtin()
    full_command()


class Child:
    """A command at work, whose words go through a pipe: a limit on the size of files must not reach them."""

    def __init__(self, args: Sequence[str], before: Callable[[], None] | None = None) -> None:
        self.words, end = os.pipe()
        self.pid = os.fork()
        if self.pid:
            os.close(end)
            return
        status = 99
        try:
            os.dup2(end, 1)
            os.dup2(end, 2)
            if before is not None:
                before()
            from gpusheet.cli import main

            status = main(list(args))
            sys.stdout.flush()
            sys.stderr.flush()
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)

    def ended(self) -> tuple[int, str]:
        """The status, and what was said."""
        with open(self.words, encoding="utf-8", errors="replace") as words:
            said = words.read()
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1]), said


class Job:
    """A command, the file it writes, and what stood there before."""

    def __init__(self, args: list[str], target: str, old: str | None) -> None:
        self.args = args
        self.target = Path(target)
        self.old = Path(old).read_bytes() if old else None

    def reset(self) -> None:
        if self.target.parent != Path():
            shutil.rmtree(self.target.parent, ignore_errors=True)
            self.target.parent.mkdir()
        self.target.unlink(missing_ok=True)
        if self.old is not None:
            self.target.write_bytes(self.old)

    def content(self) -> bytes | None:
        return self.target.read_bytes() if self.target.exists() else None

    def run(self, before: Callable[[], None] | None = None) -> dict[str, Any]:
        status, said = Child(self.args, before).ended()
        return {"status": status, "said": said, "same": self.content() == self.old, "left": self.left()}

    def left(self) -> list[str]:
        """Temporary files beside the target."""
        return sorted(path.name for path in self.target.parent.glob(".*.tmp"))


def killed(job: Job, times: int, seed: int) -> dict[str, Any]:
    """Ends the command by kill -9 at random moments; afterwards it has to run as if nothing had been."""
    job.reset()
    start = time.perf_counter()
    first = job.run()
    lasts = time.perf_counter() - start
    new = job.content()
    found = {"first": first, "old": 0, "new": 0, "other": 0, "seconds": lasts}
    moments = random.Random(seed)
    for number in range(times):
        job.reset()
        run = Child(job.args)
        # half of the moments in the last third, where files are written
        time.sleep(moments.uniform(0 if number % 2 else lasts * 0.6, lasts * 1.02))
        os.kill(run.pid, signal.SIGKILL)
        run.ended()
        content = job.content()
        found["old" if content == job.old else "new" if alike(content, new) else "other"] += 1
    job.target.unlink(missing_ok=True)
    if job.old is not None:
        job.target.write_bytes(job.old)
    found["again"] = job.run()
    found["same"] = alike(job.content(), new)
    return found


def without_room(job: Job, room: int) -> dict[str, Any]:
    """No file may be larger than `room` bytes."""
    job.reset()
    return job.run(lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, room)))


def on_a_full_disk(job: Job) -> dict[str, Any]:
    """The disk is full when the file is to be kept."""

    def full() -> None:
        def fsync(_file: int) -> None:
            raise OSError(28, "No space left on device")

        os.fsync = fsync

    job.reset()
    return job.run(full)


def in_a_read_only_folder(job: Job) -> dict[str, Any]:
    """The folder may not be written to; root may write anywhere, so the child gives that right up."""
    job.reset()
    folder = job.target.parent
    mode = folder.stat().st_mode

    folder.chmod(0o555)
    try:
        return job.run(as_others_do)
    finally:
        folder.chmod(mode)


def as_others_do() -> None:
    """Gives up what root may do beyond others, on Linux."""
    if os.geteuid() == 0:
        head, rights = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
        assert ctypes.CDLL(None, use_errno=True).capset(head, rights) == 0, os.strerror(ctypes.get_errno())


def locked(job: Job) -> dict[str, Any]:
    """Excel has the target open."""
    job.reset()
    lock = job.target.with_name(f"~${job.target.name}")
    lock.write_bytes(b"x")
    found = job.run()
    lock.unlink()
    return found


def together(jobs: Sequence[Job], times: int) -> list[dict[str, Any]]:
    """Commands that write one file, started at once."""
    found = []
    for _ in range(times):
        jobs[0].reset()
        runs = [Child(job.args) for job in jobs]
        ends = [run.ended() for run in runs]
        copy = Path(f"together{len(found)}{jobs[0].target.suffix}")
        shutil.copyfile(jobs[0].target, copy)
        found.append({"ends": ends, "copy": str(copy), "left": jobs[0].left()})
    return found


def alike(content: bytes | None, other: bytes | None) -> bool:
    """Whether two files are the same but for the time at which a workbook says it was saved."""
    if content == other or content is None or other is None:
        return content == other
    try:
        with ZipFile(BytesIO(content)) as one, ZipFile(BytesIO(other)) as two:
            names = one.namelist()
            return names == two.namelist() and all(
                one.read(name) == two.read(name) for name in names if name != "docProps/core.xml")
    except BadZipFile:
        return False


def everything(job: Job, kills: int) -> dict[str, Any]:
    return {
        "killed": killed(job, kills, 20261201), "without_room": without_room(job, 1000), "full": on_a_full_disk(job),
        "read_only": in_a_read_only_folder(job), "locked": locked(job) if job.old else None,
    }  # fmt: skip


def main() -> None:
    wanted = json.load(sys.stdin)
    warm()
    jobs = [Job(**one) for one in wanted["jobs"]]
    answer: Any = together(jobs, wanted["times"]) if len(jobs) > 1 else everything(jobs[0], wanted["times"])
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
