"""Sets the clock of every Python process that finds it through PYTHONPATH, by SHIFT_YEARS years.

Both clocks that Python tells the date by: `time.time` and `datetime.now`. Clocks that only measure
how long something takes stay as they are.
"""

from __future__ import annotations

import datetime
import os
import time

_SECONDS = 365 * 86400 * float(os.environ.get("SHIFT_YEARS", "0"))
_real_time = time.time


def _shifted_time() -> float:
    return _real_time() + _SECONDS


class _Shifted(datetime.datetime):
    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> _Shifted:
        return super().now(tz) + datetime.timedelta(seconds=_SECONDS)


if _SECONDS:
    time.time = _shifted_time
    datetime.datetime = _Shifted  # type: ignore[misc]
