# SPDX-License-Identifier: GPL-2.0-only
"""Numbers as people read them, in few columns."""

NONE = "-"


def size(number: float) -> str:
    """Bytes, in powers of 1024: '0', '512', '1.5K', '23M', '1.0G'."""
    for unit in ("", "K", "M", "G", "T"):
        if abs(number) < 1000 or unit == "T":
            break
        number /= 1024
    if unit and 0 < abs(number) < 9.95:
        return f"{number:.1f}{unit}"
    return f"{number:.0f}{unit}"


def count(number: float) -> str:
    """Things, in powers of 1000: '0.3', '812', '12.3k', '1.2m'."""
    if 0 < abs(number) < 9.95 and number != int(number):
        return f"{number:.1f}"
    for unit in ("", "k", "m", "g"):
        if abs(number) < 9999.5 and not unit or abs(number) < 999.95 or unit == "g":
            break
        number /= 1000
    return f"{number:.1f}{unit}" if unit else f"{number:.0f}"


def percent(share: float | None) -> str:
    """'0.3 %' and '99.9 %', because what is near the ends is what matters; '-' for None."""
    if share is None:
        return NONE
    value = 100 * share
    near_an_end = 0 < value < 9.95 or 90 < value < 99.95
    return f"{value:.1f} %" if near_an_end else f"{value:.0f} %"


def duration(seconds: float | None) -> str:
    """'0.4 s', '59 s', '5:01', '2:03:04', '3 d 04 h'; '-' for None."""
    if seconds is None:
        return NONE
    whole = int(seconds)
    if seconds < 10:
        return f"{seconds:.1f} s" if seconds != whole else f"{whole} s"
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    if hours >= 48:
        return f"{hours // 24} d {hours % 24:02d} h"
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def milliseconds(seconds: float) -> str:
    """Of a statement: '0.3 ms', '12 ms', '4.0 s'."""
    if seconds >= 1:
        return f"{seconds:.1f} s"
    return f"{1000 * seconds:.1f} ms" if seconds < 0.00995 else f"{1000 * seconds:.0f} ms"
