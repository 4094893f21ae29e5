"""What answers about histories and about models have in common."""
from __future__ import annotations

import json
from typing import Any, Literal

from . import _library as lib
from . import _report

Limit = Literal["none", "time", "memory", "interrupt", "depth"]

LIMITS: tuple[Limit, ...] = ("none", "time", "memory", "interrupt", "depth")


class Answer:
    """The answer to a question: a `Result` of `check`, a `Verification` of `verify`. It shows itself
    as text, and in notebooks as a page. Its verdict has three values: it is not true or false."""

    #: an lp_result or lp_verification, whose fields of these names are alike
    _raw: Any

    # ---- the verdict ----

    @property
    def verdict(self) -> str:
        """In words; "unknown" where a limit was reached."""
        raise NotImplementedError

    @property
    def reason(self) -> str:
        """One sentence about a violation, or what was covered; else empty."""
        return lib.text(self._raw.reason)

    @property
    def limit(self) -> Limit:
        """The limit that was reached where the verdict is unknown, else "none"."""
        return LIMITS[int(self._raw.limit)]

    @property
    def covered(self) -> str:
        """What was covered until then."""
        return lib.text(self._raw.covered)

    @property
    def method(self) -> str:
        """How it was decided: "monitor", "search", "refinement", ..."""
        return lib.text(self._raw.method)

    @property
    def seconds(self) -> float:
        """Deciding took so long."""
        return float(self._raw.seconds)

    # ---- showing ----

    def _add_to(self, report: int) -> None:
        raise NotImplementedError

    def to_text(self, *, columns: int = 80, colour: bool = False, ascii: bool = False,
                quiet: bool = False) -> str:
        """What the program prints; `quiet`: the line of the verdict only."""
        return _report.make(_report.TEXT, self._add_to, columns=columns, colour=colour,
                            ascii=ascii, quiet=quiet)

    def to_json(self, *, linearization: bool = False) -> str:
        """The object that the program prints with --json (docs/schema)."""
        return _report.make(_report.JSON, self._add_to,
                            linearization=linearization).rstrip("\n")

    def to_dict(self, *, linearization: bool = False) -> dict[str, Any]:
        """The fields of `to_json`."""
        fields: dict[str, Any] = json.loads(self.to_json(linearization=linearization))
        return fields

    def to_html(self) -> str:
        """One page for a browser, which needs nothing else."""
        return _report.make(_report.HTML, self._add_to)

    def _repr_html_(self) -> str:
        return _report.frame(self.to_html())

    def __str__(self) -> str:
        return self.to_text()

    def __bool__(self) -> bool:
        raise TypeError("an answer is none of true and false, since it may be unknown: ask for its "
                        "`verdict`")
