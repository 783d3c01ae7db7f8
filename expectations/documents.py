"""The gate after documents: no article lost its text on the way, and what was read in one stands there."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from expectations.gate import LEAST, Claim, Frames, Verdict, judge

ROOM = "documents"
# What the gate reads: frame name -> table and columns.
TABLES = {
    "pages": ("documents.pages", ("entity_id", "topic", "asked_title", "outcome", "n_characters", "views")),
    "sections": ("documents.sections", ("entity_id", "ordinal", "level", "n_characters", "has_wikitext")),
    "fields": ("documents.infobox_fields", ("entity_id", "value_plain is not null as is_plain")),
    "quotes": ("documents.quotes", ("entity_id", "is_in_article")),
}
# A share is judged where there are so many.
ENOUGH = 20


def check(frames: Frames, published: Mapping[str, int] | None) -> Verdict:
    """Judge the documents. ``frames`` are those of `TABLES`; ``published`` the articles published last."""
    found = frames["pages"][frames["pages"]["outcome"] == "found"]
    volumes = {"articles": len(found)}
    derived = {
        "pages": frames["pages"],
        "articles": _articles(found, frames["sections"]),
        "topics": _topics(frames["pages"]),
        "sections": frames["sections"],
        "shares": _shares(frames),
        "quotes": frames["quotes"],
        # Articles are landed topic by topic, so that there may be many more of them at any time.
        "volume": pd.DataFrame([{"lost": (published or {}).get("articles", 0) * LEAST - len(found)}]),
    }
    return judge(ROOM, _claims(), derived, volumes)


def _articles(found: pd.DataFrame, sections: pd.DataFrame) -> pd.DataFrame:
    """One row per article: its `name`, its `leads`, and the share of its text that its sections hold, `text`."""
    per = sections.groupby("entity_id").agg(n=("n_characters", "sum"), leads=("ordinal", lambda o: int((o == 0).sum())))
    joined = found[["entity_id", "n_characters"]].merge(per, how="left", left_on="entity_id", right_index=True)
    return pd.DataFrame(
        {
            "name": joined["entity_id"],
            "leads": joined["leads"].fillna(0).astype(int),
            "text": (joined["n"].fillna(0) / joined["n_characters"].clip(lower=1)).astype(float),
        }
    )


def _topics(pages: pd.DataFrame) -> pd.DataFrame:
    """One row per topic of some titles or more: its `name`, and the share of them under which an article is `found`."""
    titled = pages[pages["asked_title"].notna()]
    grouped = titled.assign(found=titled["outcome"] == "found").groupby("topic")["found"].agg(["size", "mean"])
    enough = grouped[grouped["size"] >= ENOUGH].reset_index()
    return enough.rename(columns={"topic": "name", "mean": "found"})[["name", "found"]].astype({"found": float})


def _shares(frames: Frames) -> pd.DataFrame:
    """One row: the share of sections without wikitext, and of infobox fields that are understood."""
    clean = 1.0 - frames["sections"]["has_wikitext"].astype(float).mean() if len(frames["sections"]) else 1.0
    enough = len(frames["fields"]) >= ENOUGH
    plain = frames["fields"]["is_plain"].astype(float).mean() if enough else 1.0
    return pd.DataFrame([{"clean": clean, "plain": plain}])


def _claims() -> list[Claim]:
    from great_expectations import expectations as gxe

    def between(
        frame: str, text: str, column: str, least: float | None, most: float | None, mostly: float = 1
    ) -> Claim:
        bounds = gxe.ExpectColumnValuesToBeBetween(column=column, min_value=least, max_value=most, mostly=mostly)
        return Claim(frame, text, bounds)

    def among(frame: str, text: str, column: str, values: list[object]) -> Claim:
        return Claim(frame, text, gxe.ExpectColumnValuesToBeInSet(column=column, value_set=values))

    pages = ["found", "missing", "invalid", "disambiguation", "another", "untitled"]
    return [
        among("pages", "every page has an outcome that is known", "outcome", [*pages]),
        between("pages", "no article has fewer than 0 characters", "n_characters", 0, None),
        between("pages", "no article was read less than 0 times", "views", 0, None),
        between("topics", "of 20 titles or more of a topic at least 80 % lead to an article", "found", 0.8, 1),
        between("articles", "every article begins with one lead", "leads", 1, 1),
        between("articles", "in 98 % of articles the sections hold 70 % of the text or more", "text", 0.7, None, 0.98),
        between("articles", "no article's sections hold more than its text", "text", None, 1.001),
        between("sections", "every heading is of level 1 to 6", "level", 1, 6),
        between("shares", "at least 99 % of sections are free of wikitext", "clean", 0.99, 1),
        between("shares", "at least half of the infobox fields are understood", "plain", 0.5, 1),
        among("quotes", "every value that was kept has its sentence in the article", "is_in_article", [True]),
        between("volume", "no more than a fifth of the articles that were published last is gone", "lost", None, 0),
    ]
