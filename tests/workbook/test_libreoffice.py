"""The harness itself: what it proves, and what it does where LibreOffice is missing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import libreoffice
import openpyxl
import pytest
from openpyxl.workbook.workbook import Workbook

from gpusheet.workbook.cached import write_with_values
from gpusheet.workbook.package import repacked


def test_libreoffice_does_not_repeat_the_values_it_is_given(
    book: Workbook, recalculate: Callable[[Path], Workbook], tmp_path: Path
) -> None:
    """A file with wrong cached values must come back with right ones, or the parity tests prove nothing."""
    book["Sizing"]["A2"] = "=1000+1"
    write_with_values(book, tmp_path / "book.xlsx")
    lying = tmp_path / "lying.xlsx"
    repacked(tmp_path / "book.xlsx", lying, lambda _, part: part.replace(b"<v>1001</v>", b"<v>1002</v>"))
    assert openpyxl.load_workbook(lying, data_only=True)["Sizing"]["A2"].value == 1002
    assert recalculate(lying)["Sizing"]["A2"].value == 1001


def test_pictures_show_every_sheet(
    book: Workbook, to_pictures: Callable[[Path, Path], list[Path]], tmp_path: Path
) -> None:
    write_with_values(book, tmp_path / "book.xlsx")
    pages = to_pictures(tmp_path / "book.xlsx", tmp_path / "pages")
    assert len(pages) >= 3
    assert all(page.read_bytes()[:4] == b"\x89PNG" for page in pages)


def test_without_libreoffice_a_test_is_skipped_or_fails_where_it_is_required(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)
    monkeypatch.setenv("GPUSHEET_REQUIRE_PARITY", "0")
    with pytest.raises(pytest.skip.Exception, match="soffice is not installed"):
        libreoffice.needed("soffice")
    monkeypatch.setenv("GPUSHEET_REQUIRE_PARITY", "1")
    with pytest.raises(pytest.fail.Exception, match="soffice is not installed"):
        libreoffice.needed("soffice")
