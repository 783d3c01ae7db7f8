"""The report: one page, read from disk, that shows the benchmark, its questions and how models fared.

`page.write_report` writes it. `data` reads the published database, `tables` arranges what stands on the page as it is,
`charts` describes the charts, `elicited` reads and arranges what models told of entities, and `payload` packs what the
table of questions unfolds.
"""

from __future__ import annotations

from dagster_defs.steps.report.page import write_report

__all__ = ["write_report"]
