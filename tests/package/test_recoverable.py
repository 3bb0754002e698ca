"""Whatever happens while a command writes, the old file or the new one is there whole, and the next run works.

GPUSHEET_KILLS=200 kills every command as often as a release has to bear; without it a few times.
"""

from __future__ import annotations

import datetime
import json
import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from editing import edited, put, small

from gpusheet.intake import snapshot
from gpusheet.workbook.reader import read_book

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="forks and kills as Unix does")

KILLS = int(os.environ.get("GPUSHEET_KILLS", "6"))
HERE = Path(__file__).parent
DAY = datetime.date(2026, 12, 1)
# command: its words, the file it writes, the file that stood there before
JOBS: dict[str, tuple[list[str], str, str | None]] = {
    "budget": (["budget", "in.xlsx", "-o", "out.xlsx", "--months", "1", "--force"], "out.xlsx", "in.xlsx"),
    "new budget": (["budget", "in.xlsx", "-o", "out.xlsx", "--months", "1"], "out.xlsx", None),
    "template": (["template", "-o", "out.xlsx", "--force"], "out.xlsx", "in.xlsx"),
    "template with macros": (["template", "--functions", "vba", "-o", "out.xlsm", "--force"], "out.xlsm", "in.xlsx"),
    "estimate": (["estimate", "workloads.csv", "-o", "out.csv", "--force"], "out.csv", "workloads.csv"),
    "recalc": (["recalc", "book.xlsx", "--force"], "book.xlsx", "in.xlsx"),
    "prices update": (["prices", "update", "book.xlsx", "--from", "snap1.csv"], "book.xlsx", "in.xlsx"),
    "prices import": (["prices", "import", "quotes.csv", "--provider", "AWS", "--date", "2026-12-01", "--to", "to", "--yes"],
                      "to/2026-12-01_aws.csv", None),
    "udf vba": (["udf", "vba", "-o", "out.bas", "--force"], "out.bas", "workloads.csv"),
    "check": (["check", "in.xlsx", "--mark", "out.xlsx"], "out.xlsx", None),
}  # fmt: skip
REPLACING = [name for name, (_, _, old) in JOBS.items() if old]
every_command = pytest.mark.parametrize("name", JOBS)


_MADE: list[tempfile.TemporaryDirectory[str]] = []


def _inputs() -> Path:
    if _MADE:
        return Path(_MADE[0].name)
    _MADE.append(tempfile.TemporaryDirectory(prefix="gpusheet-test-"))
    made = Path(_MADE[0].name)
    edited(made / "in.xlsx", put(Assumptions_C10=None))
    old = small().catalog.prices
    for number, price in enumerate(old[:2], 1):
        changed = price.model_copy(update={"snapshot_date": DAY, "price": price.price * 1.5})
        [file] = snapshot.write([changed], made / f"s{number}", "x")
        file.rename(made / f"snap{number}.csv")
    (made / "workloads.csv").write_text(
        "workload,gpu,model,input_tokens,output_tokens,requests_per_day\n"
        + "".join(f"w{i},L20,Qwen3-8B,200,300,{80000 + i}\n" for i in range(200)), encoding="utf-8")  # fmt: skip
    (made / "quotes.csv").write_text(
        "GPU,price,currency,per,period,pricing model,tax,cards\n" + "".join(
            f"L20,{4 + i / 100},CNY,card,hour,on_demand,included,{i + 1}\n" for i in range(50)), encoding="utf-8")  # fmt: skip
    return made


def asked(folder: Path, *names: str, times: int, **other: list[str]) -> Any:
    """What became of commands that killed.py ran in the folder; `other` are words of a second one."""
    jobs = [dict(zip(("args", "target", "old"), JOBS[name], strict=True)) for name in names]
    jobs[-1].update(other)
    paths = os.pathsep.join([str(HERE.parents[1]), *os.environ.get("PYTHONPATH", "").split(os.pathsep)])
    done = subprocess.run(
        [sys.executable, str(HERE / "killed.py")], input=json.dumps({"jobs": jobs, "times": times}), capture_output=True,
        text=True, cwd=folder, env={**os.environ, "PYTHONPATH": paths}, timeout=7200, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def filled(folder: Path) -> Path:
    for path in _inputs().iterdir():
        if path.is_file():
            shutil.copyfile(path, folder / path.name)
    return folder


@cache
def found(name: str) -> dict[str, Any]:
    """All that was done to a command, in one process."""
    with tempfile.TemporaryDirectory(prefix="gpusheet-test-") as folder:
        answer: dict[str, Any] = asked(filled(Path(folder)), name, times=KILLS)
        return answer


def refused(found: dict[str, Any], *words: str) -> None:
    """One clear line, the old file as it was, nothing beside it."""
    lines = [line for line in found["said"].splitlines() if line.startswith("error: ")]
    assert found["status"] == 1 and len(lines) == 1, found["said"]
    assert any(word in lines[0] for word in words), lines
    assert "Traceback" not in found["said"]
    assert found["same"] and found["left"] == []


@every_command
def test_killed_at_any_moment(name: str) -> None:
    killed = found(name)["killed"]
    assert killed["first"]["status"] in (0, 3), killed["first"]["said"]
    assert killed["other"] == 0, killed
    assert killed["old"] + killed["new"] == KILLS and killed["old"] >= KILLS // 4
    assert killed["again"]["status"] == killed["first"]["status"] and killed["same"]
    assert killed["again"]["left"] == []  # what killed runs had left is gone


@every_command
def test_no_room_on_the_disk(name: str) -> None:
    refused(found(name)["without_room"], "File too large")
    refused(found(name)["full"], "No space left on device")


@every_command
def test_a_read_only_folder(name: str) -> None:
    refused(found(name)["read_only"], "write-protected", "Permission denied")


@pytest.mark.parametrize("name", REPLACING)
def test_a_file_that_is_open_in_excel(name: str) -> None:
    refused(found(name)["locked"], "is open in Excel; close it there")


@pytest.mark.parametrize("name", ["budget", "estimate", "recalc", "udf vba"])
def test_two_runs_at_once_write_one_whole_file(name: str, tmp_path: Path) -> None:
    for one in asked(filled(tmp_path), name, name, name, times=3):
        assert 0 in [status for status, _ in one["ends"]] or 3 in [status for status, _ in one["ends"]]
        for status, said in one["ends"]:
            waits = "is being written by another run of gpusheet" in said or "was changed by somebody else" in said
            assert (status in (0, 3) or waits) and "Traceback" not in said, said
        assert one["left"] == []
        copy = tmp_path / one["copy"]
        if copy.suffix == ".xlsx":
            with ZipFile(copy) as file:
                assert file.testzip() is None
        else:
            assert copy.read_bytes() == (tmp_path / JOBS[name][1]).read_bytes()


def test_two_updates_at_once_lose_nothing(tmp_path: Path) -> None:
    """Each run that says it has written is in the file."""
    words = [word.replace("snap1", "snap2") for word in JOBS["prices update"][0]]
    old = small().catalog.prices
    for one in asked(filled(tmp_path), "prices update", "prices update", times=10, args=words):
        prices = read_book(tmp_path / one["copy"]).inputs.catalog.prices
        statuses = [status for status, _ in one["ends"]]
        assert 0 in statuses
        for number, status in enumerate(statuses):
            assert prices[number].price == old[number].price * (1.5 if status == 0 else 1)
