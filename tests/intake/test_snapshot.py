"""Snapshots of a person's own: added to, never changed, read back exactly, found beside the built-in prices."""

from __future__ import annotations

import datetime
import tempfile
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpusheet
from gpusheet.catalog import BadRow, Catalog, Price
from gpusheet.catalog.price import PRICING_MODELS
from gpusheet.errors import GpusheetError
from gpusheet.intake import snapshot

DAY = datetime.date(2026, 11, 20)
BUILTIN = Catalog.builtin()


def price(**changed: Any) -> Price:
    row = {"snapshot_date": DAY, "price_list": "cloud/east", "listing": "8x", "gpu": "L20", "cards": 8, "price": 32.5,
           "currency": "CNY", "per": "instance", "period": "hour", "pricing_model": "on_demand", "tax": "included",
           "source": "quote 17"}  # fmt: skip
    return Price.read(row | changed)


def refused(*lines: str) -> Any:
    class Check:
        def __enter__(self) -> None:
            self.raises = pytest.raises(GpusheetError)
            self.error = self.raises.__enter__()

        def __exit__(self, *what: Any) -> bool:
            self.raises.__exit__(*what)
            assert str(self.error.value).splitlines() == list(lines)
            return True

    return Check()


def test_a_day_and_a_name_make_a_file(tmp_path: Path) -> None:
    later = price(snapshot_date="2026-11-21")
    files = snapshot.write([later, price()], tmp_path / "prices", "Cloud East")
    assert [file.name for file in files] == ["2026-11-20_cloud-east.csv", "2026-11-21_cloud-east.csv"]
    assert snapshot.read_folder(tmp_path / "prices") == [price(), later]
    assert sorted(path.name for path in (tmp_path / "prices").iterdir()) == [file.name for file in files]


def test_a_file_is_what_the_catalog_has(tmp_path: Path) -> None:
    [file] = snapshot.write([price(price=1234567.125, notes="a, b")], tmp_path, "")
    assert file.name == "2026-11-20.csv"
    header, line = file.read_text(encoding="utf-8-sig").splitlines()
    assert header == ("snapshot_date,price_list,listing,gpu,cards,price,currency,per,period,pricing_model,tax,available,"
                      "source,notes")  # fmt: skip
    assert line == ('2026-11-20,cloud/east,8x,L20,8,1234567.125,CNY,instance,hour,on_demand,included,unknown,quote 17,"a, b"')


def test_nothing_that_is_there_is_changed(tmp_path: Path) -> None:
    [file] = snapshot.write([price()], tmp_path, "cloud")
    before = file.read_bytes()
    with refused(f"{file}: there is a snapshot of that day already, and snapshots are never changed; give another --date, or "
                 "delete the file yourself if it is wrong"):  # fmt: skip
        snapshot.write([price(price=40), price(snapshot_date="2026-11-21")], tmp_path, "cloud")
    assert file.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == [file.name], "nor is the other day written"


def test_of_two_runs_at_once_one_writes(tmp_path: Path) -> None:
    done: list[str] = []
    start = threading.Barrier(8)

    def run(number: int) -> None:
        start.wait()
        try:
            snapshot.write([price(price=number + 1)] * 50, tmp_path, "cloud")
            done.append("written")
        except GpusheetError as error:
            done.append(str(error).partition(": ")[2][:31])

    threads = [threading.Thread(target=run, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert done.count("written") == 1
    assert {*done} - {"written"} <= {"there is a snapshot of that day", "is being written by another run"}
    [file] = tmp_path.iterdir()
    rows = snapshot.read_file(file)
    assert len(rows) == 50 and len({row.price for row in rows}) == 1


@pytest.mark.parametrize(("folder", "line"), [
    (Path(gpusheet.__file__).parent / "catalog" / "data" / "prices",
     "is inside the installed gpusheet, which an update replaces; choose a folder of your own"),
    (Path("no", "such"), "the folder cannot be made (No such file or directory); make it, or choose another"),
    (Path("taken"), "is a file; give the folder of the snapshots"),
])  # fmt: skip
def test_where_a_snapshot_cannot_live(folder: Path, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("taken").touch()
    with refused(f"{folder}: {line}"):
        snapshot.write([price()], folder, "cloud")


def test_nothing_is_written_of_nothing(tmp_path: Path) -> None:
    with refused("no price to write; see what was refused and why"):
        snapshot.write([], tmp_path, "cloud")


def test_texts_that_begin_as_formulas_are_guarded_and_come_back(tmp_path: Path) -> None:
    rows = [price(listing=text, source=f"{text} {text}") for text in ("+1+1", "-1", "@SUM(1)", "'+1", "''@", "it's", "'8x'")]
    [file] = snapshot.write(rows, tmp_path, "cloud")
    assert snapshot.read_file(file) == rows
    cells = [line.split(",") for line in file.read_text(encoding="utf-8-sig").splitlines()[1:]]
    assert [line[2] for line in cells] == ["'+1+1", "-1", "'@SUM(1)", "''+1", "'''@", "it's", "'8x'"]


NAMES = st.text(st.characters(exclude_categories=["C", "Z"], exclude_characters="*?~|"), min_size=1, max_size=12).filter(
    lambda text: not text.startswith(("=", "<", ">")))
PRICES = st.builds(
    price, price_list=NAMES, listing=st.none() | NAMES, gpu=st.sampled_from([card.gpu for card in BUILTIN.gpus]),
    cards=st.integers(1, 64), price=st.floats(1e-6, 1e9), per=st.sampled_from(["card", "instance"]),
    period=st.sampled_from(["hour", "month"]), pricing_model=st.sampled_from(PRICING_MODELS),
    tax=st.sampled_from(["included", "excluded", "unstated"]), available=st.sampled_from(["yes", "no", "unknown"]),
    source=NAMES, notes=st.none() | st.text(st.characters(exclude_categories=["C"]) | st.just("\n"), max_size=20),
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(st.lists(PRICES, min_size=1, max_size=5))
def test_prices_come_back_exactly(prices: list[Price]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        [file] = snapshot.write(prices, Path(folder), "any")
        assert snapshot.read_file(file) == prices


def test_files_that_are_no_snapshots(tmp_path: Path) -> None:
    with refused(f"{tmp_path / 'none'}: there is no such folder; bring prices in by gpusheet prices import FILE --to "
                 f"{tmp_path / 'none'}"):  # fmt: skip
        snapshot.read_folder(tmp_path / "none")
    with refused(f"{tmp_path}: has no snapshot; bring prices in by gpusheet prices import FILE --to {tmp_path}"):
        snapshot.read_folder(tmp_path)
    (tmp_path / "quotes.csv").write_text("gpu,price\n")
    with refused(f"{tmp_path / 'quotes.csv'}: a snapshot's name begins with its day, such as 2026-10-27_aws.csv; rename it, or "
                 "move it elsewhere"):  # fmt: skip
        snapshot.read_folder(tmp_path)
    with pytest.raises(GpusheetError, match="quotes.csv: not a snapshot, whose columns are snapshot_date, price_list,"):
        snapshot.read_file(tmp_path / "quotes.csv")


def test_wrong_rows_are_all_named(tmp_path: Path) -> None:
    [file] = snapshot.write([price(), price(listing="4x", cards=4), price(listing="2x", cards=2)], tmp_path, "cloud")
    text = file.read_text(encoding="utf-8-sig").replace("4x,L20,4,32.5", "4x,L20,4,free").replace("2x,", "2x,,")
    other = tmp_path / "2026-11-21_cloud.csv"
    other.write_text(text, encoding="utf-8")
    with pytest.raises(BadRow) as error:
        snapshot.read_file(other)
    assert error.value.lines == [
        "2026-11-21_cloud.csv row 2: found snapshot_date 2026-11-20, allowed 2026-11-21, as the file is named",
        "2026-11-21_cloud.csv row 3, price: found 'free', allowed a number above 0",
        "2026-11-21_cloud.csv row 4: 15 cells under 14 headers; put text with commas in quotes",
    ]


def test_a_folder_stands_beside_the_built_in_prices(tmp_path: Path) -> None:
    known = next(row for row in BUILTIN.prices if row.listing == "p5.48xlarge")
    newer = known.model_copy(update={"snapshot_date": DAY, "price": 60.0})
    corrected = known.model_copy(update={"price": 50.0})
    snapshot.write([newer, corrected], tmp_path, "aws")
    catalog = snapshot.with_snapshots(BUILTIN, tmp_path)
    assert len(catalog.prices) == len(BUILTIN.prices) + 1
    found = [catalog.find_price(known.gpu, "on_demand", day, known.price_list) for day in (known.snapshot_date, None)]
    assert [one.price for one in found if one] == [50.0, 60.0]
    own = snapshot.with_snapshots(BUILTIN, tmp_path, own_first=True)
    assert own.prices[: len(BUILTIN.prices)] == BUILTIN.prices, "what a workbook has keeps its rows"
    assert own.prices[len(BUILTIN.prices):] == (newer,)


def test_a_card_that_the_catalog_has_not(tmp_path: Path) -> None:
    snapshot.write([price(gpu="H300")], tmp_path, "cloud")
    with refused(f"{tmp_path}: gpu: 'H300' is not known; did you mean B300-SXM, H100-80G-PCIe, H100-80G-SXM?"):
        snapshot.with_snapshots(BUILTIN, tmp_path)


def test_what_was_valid_on_a_day() -> None:
    old = price(snapshot_date="2026-10-01")
    rows = [old, price(), price(listing="4x", cards=4), price(snapshot_date="2026-10-05", pricing_model="spot"),
            price(snapshot_date="2026-12-01")]  # fmt: skip
    assert snapshot.valid(rows, datetime.date(2026, 10, 3)) == [old]
    assert snapshot.valid(rows, DAY) == rows[1:4]
    assert snapshot.valid(rows, datetime.date(2026, 1, 1)) == []


def test_on_a_disk_without_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: Any) -> None:
        raise PermissionError("no links here")

    monkeypatch.setattr("os.link", none)
    [file] = snapshot.write([price()], tmp_path, "cloud")
    assert snapshot.read_file(file) == [price()]
    monkeypatch.setattr(snapshot, "plan", lambda *_: {file: [price(price=40)]})  # another run wrote it after the look
    with pytest.raises(GpusheetError, match="there is a snapshot of that day already"):
        snapshot.write([price(price=40)], tmp_path, "cloud")
    assert snapshot.read_file(file) == [price()] and len(list(tmp_path.iterdir())) == 1


def test_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with refused(f"{tmp_path / '2026-11-20_cloud.csv'}: cannot be written (No space left on device); close it "
                 "where it is open, make room, or choose another name or folder"):  # fmt: skip
        snapshot.write([price()], tmp_path, "cloud")
    assert list(tmp_path.iterdir()) == []


def test_what_was_written_before_a_failure_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    whole, done = os.fsync, iter((False, True))

    def second(number: int) -> None:
        if next(done):
            raise OSError(28, "No space left on device")
        whole(number)

    monkeypatch.setattr("os.fsync", second)
    with pytest.raises(GpusheetError, match="make room, .*; written before: 2026-11-20_cloud.csv"):
        snapshot.write([price(), price(snapshot_date="2026-11-21")], tmp_path, "cloud")
    assert [path.name for path in tmp_path.iterdir()] == ["2026-11-20_cloud.csv"]


def test_half_a_character_is_refused(tmp_path: Path) -> None:
    broken = price().model_copy(update={"source": "quote \udce9"})
    with refused(f"{tmp_path / '2026-11-20_cloud.csv'}: '\\udce9' is no character; type the text anew"):
        snapshot.write([broken], tmp_path, "cloud")
    assert list(tmp_path.iterdir()) == []
