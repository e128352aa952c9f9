"""Where the documentation is."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, metadata


@cache
def documentation() -> str:
    """Return the address of the documentation that the installed package names, with a slash at its end; empty if none."""
    try:
        addresses = metadata("similis").get_all("Project-URL") or []
    except PackageNotFoundError:
        return ""
    named = dict(address.split(", ", 1) for address in addresses)
    return named["Documentation"].rstrip("/") + "/" if "Documentation" in named else ""
