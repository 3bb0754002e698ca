"""The audit of workbooks: our own, or those of a finance team."""

from __future__ import annotations

from gpusheet.audit.registry import Finding, Point, Severity, points
from gpusheet.audit.report import STALE_DAYS, Report, audit

__all__ = ["STALE_DAYS", "Finding", "Point", "Report", "Severity", "audit", "points"]
