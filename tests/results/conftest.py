"""The books with planning tables, each calculated once, and LibreOffice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import libreoffice
import pytest
from filled_plans import filled
from openpyxl.workbook.workbook import Workbook
from planned_books import CASES, Planned, planned


@pytest.fixture(scope="session", params=list(CASES))
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Planned:
    lang = "zh" if request.param.endswith("zh") else "en"
    return planned(CASES[request.param](), tmp_path_factory.mktemp("planned") / f"{request.param}.xlsx", lang)


@pytest.fixture(scope="session")
def sample_case(tmp_path_factory: pytest.TempPathFactory) -> Planned:
    """The sample with everything filled in."""
    return planned(filled(), tmp_path_factory.mktemp("planned") / "filled.xlsx")


@pytest.fixture(scope="session")
def recalculate() -> Callable[[Path], Workbook]:
    """The workbook at a path, with LibreOffice's values."""
    return libreoffice.recalculate
