"""Payments at the end of each of so many periods, as rules may use them."""

from __future__ import annotations

from typing import cast

from gpusheet.expr import NEGATE
from gpusheet.ops import _call, _numpy, _scalar, _symbolic


def present_value(rate: float, periods: float, payment: float, final: float) -> float:
    """Value today of a payment at the end of each period and a final one with the last: Excel's -PV.

    >>> round(present_value(0.01, 12, 100, 0), 4), present_value(0, 12, 100, 50)
    (1125.5077, 1250.0)
    """
    if _symbolic(rate, periods, payment, final):
        arguments = (rate, periods, payment, final)
        return cast(float, _call("present_value", arguments, lambda a: f"-PV({','.join(a)})", binds=NEGATE))
    if _scalar(rate, periods, payment, final):
        if rate == 0:
            return float(payment * periods + final)
        discounted = (1 + rate) ** -periods
        return float(payment * (1 - discounted) / rate + final * discounted)
    numpy = _numpy()
    with numpy.errstate(all="ignore"):
        discounted = (1 + rate) ** -numpy.asarray(periods, dtype=float)
        annuity = payment * (1 - discounted) / rate + final * discounted
    return cast(float, numpy.where(rate == 0, payment * periods + final, annuity))
