"""The command's pictures."""

from __future__ import annotations

import os
from typing import Any

from similis import _lib
from similis._report import words_of


class Picture:
    """A picture of an answer, which a notebook shows.

    Attributes
    ----------
    svg : str
        The picture as an SVG document.

    Examples
    --------
    >>> from similis import AutoClustering, make_shapes
    >>> X, y = make_shapes("two_rings", 100)
    >>> picture = AutoClustering(n_clusters=2).fit(X).plot(title="Two rings")
    >>> "Two rings" in picture.svg
    True
    """

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def save(self, path: str | os.PathLike[str], *, width: int | None = None) -> None:
        """Write the picture to a file, which appears whole or not at all.

        Parameters
        ----------
        path : str or path
            Where to write: .svg, .png or .pdf.
        width : int, optional
            Pixels of an SVG or PNG, points (1/72 inch) of a PDF; the height follows.
        """
        _lib.save_picture(self.svg, os.fspath(path), width)

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        """Say what it is: the picture itself would be long."""
        return f"Picture({len(self.svg)} bytes of SVG; .save(path) writes .svg, .png or .pdf)"


def picture(estimator: Any, kind: str, title: str | None) -> Picture:
    """Return a picture of a fitted estimator's answer."""
    answered = (estimator._observed, estimator._fit_of_rust(), words_of(estimator, title=title))
    svg = _lib.picture(answered, kind, estimator._run())
    if svg is None:
        raise ValueError(f"this answer has nothing to show as {kind!r}; take another kind, such as scatter or matrix")
    return Picture(svg)
