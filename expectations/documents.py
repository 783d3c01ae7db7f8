"""The gate after documents: no article lost its text on the way, and no value is used that no article states."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from expectations.gate import LEAST, Claim, Frames, Verdict, judge

ROOM = "documents"
# What the gate reads: frame name -> table and columns.
TABLES = {
    "pages": ("documents.pages", ("entity_id", "topic", "asked_title", "outcome", "item_id", "n_characters", "views")),
    "sections": ("documents.sections", ("entity_id", "ordinal", "level", "n_characters", "has_wikitext")),
    "fields": ("documents.infobox_fields", ("entity_id", "value_plain is not null as is_plain")),
    "readings": (
        "documents.extracted_pages",
        ("topic", "extractor", "entity_id", "outcome", "n_passages", "n_unread", "n_values", "n_kept"),
    ),
    "values": ("documents.extractions", ("topic", "entity_id", "outcome", "value_kind", "is_quoted", "statement_id")),
    "fills": ("facts.fills", ("statement_id", "entity_id", "property_id", "sentence", "source_url", "agreement")),
    "choices": ("facts.value_choices", ("statement_id", "property_id", "is_chosen")),
}
# A share is judged where there are so many.
ENOUGH = 20


def check(frames: Frames, published: Mapping[str, int] | None) -> Verdict:
    """Judge the documents. ``frames`` are those of `TABLES`; ``published`` the articles and values published last."""
    found = frames["pages"][frames["pages"]["outcome"] == "found"]
    volumes = {"articles": len(found), "values": int((frames["values"]["outcome"] == "kept").sum())}
    derived = {
        "pages": frames["pages"],
        "articles": _articles(found, frames["sections"]),
        "topics": _topics(frames["pages"]),
        "sections": frames["sections"],
        "shares": _shares(frames),
        "readings": frames["readings"].assign(over=lambda r: r["n_kept"] - r["n_values"]),
        "readers": _readers(frames["readings"]),
        "values": frames["values"],
        "kept": frames["values"][frames["values"]["outcome"] == "kept"],
        "fills": frames["fills"],
        "properties": _properties(frames["fills"], frames["choices"]),
        # Articles are landed topic by topic, so that there may be many more of them at any time.
        "volume": pd.DataFrame(
            [{"name": name, "lost": (published or {}).get(name, 0) * LEAST - rows} for name, rows in volumes.items()]
        ),
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


def _readers(readings: pd.DataFrame) -> pd.DataFrame:
    """One row per topic and extractor that read some articles or more: its `name` and the share that `failed`."""
    names = readings["topic"] + " by " + readings["extractor"]
    named = readings.assign(name=names, failed=readings["outcome"] == "failed")
    grouped = named.groupby("name")["failed"].agg(["size", "mean"])
    enough = grouped[grouped["size"] >= ENOUGH].reset_index()
    return enough.rename(columns={"mean": "failed"})[["name", "failed"]].astype({"failed": float})


def _properties(fills: pd.DataFrame, choices: pd.DataFrame) -> pd.DataFrame:
    """One row per property with fills and some values or more: its `name` and the share of them that are `filled`."""
    chosen = choices[choices["is_chosen"].astype(bool) & choices["property_id"].isin(fills["property_id"])]
    grouped = chosen.assign(filled=chosen["statement_id"].isin(fills["statement_id"])).groupby("property_id")["filled"]
    sizes = grouped.agg(["size", "mean"])
    enough = sizes[sizes["size"] >= ENOUGH].reset_index()
    return enough.rename(columns={"property_id": "name", "mean": "filled"})[["name", "filled"]].astype(
        {"filled": float}
    )


def _claims() -> list[Claim]:
    from great_expectations import expectations as gxe

    def between(
        frame: str, text: str, column: str, least: float | None, most: float | None, mostly: float = 1
    ) -> Claim:
        bounds = gxe.ExpectColumnValuesToBeBetween(column=column, min_value=least, max_value=most, mostly=mostly)
        return Claim(frame, text, bounds)

    def among(frame: str, text: str, column: str, values: list[object]) -> Claim:
        return Claim(frame, text, gxe.ExpectColumnValuesToBeInSet(column=column, value_set=values))

    def filled(frame: str, text: str, column: str) -> Claim:
        return Claim(frame, text, gxe.ExpectColumnValuesToNotBeNull(column=column))

    pages = ["found", "missing", "invalid", "disambiguation", "another", "untitled"]
    kinds = ["entity", "quantity", "time", "text"]
    return [
        among("pages", "every page has an outcome that is known", "outcome", [*pages]),
        between("pages", "no article has fewer than 0 characters or views", "n_characters", 0, None),
        between("pages", "no article was read less than 0 times", "views", 0, None),
        between("topics", "of 20 titles or more of a topic at least 80 % lead to an article", "found", 0.8, 1),
        between("articles", "every article begins with one lead", "leads", 1, 1),
        between("articles", "in 98 % of articles the sections hold 70 % of the text or more", "text", 0.7, None, 0.98),
        between("articles", "no article's sections hold more than its text", "text", None, 1.001),
        between("sections", "every heading is of level 1 to 6", "level", 1, 6),
        between("shares", "at least 99 % of sections are free of wikitext", "clean", 0.99, 1),
        between("shares", "at least half of the infobox fields are understood", "plain", 0.5, 1),
        among("readings", "every reading has an outcome that is known", "outcome", ["read", "unread", "failed"]),
        between("readings", "no article gave more values than were read in it", "over", None, 0),
        between("readers", "of 20 articles or more at most a tenth failed", "failed", 0, 0.1),
        among("kept", "every value that is kept is an entity, a quantity, a time or a text", "value_kind", [*kinds]),
        filled("kept", "every value that is kept is a statement", "statement_id"),
        among("kept", "every value that is kept has its sentence in the article", "is_quoted", [True]),
        filled("fills", "every fill has its sentence", "sentence"),
        filled("fills", "every fill has its address", "source_url"),
        between(
            "fills",
            "no fill is the word of a reader that agrees with fewer than half of the records",
            "agreement",
            0.5,
            1,
        ),
        between("properties", "of 20 values or more of a property at most half are fills", "filled", 0, 0.5),
        between(
            "volume", "no more than a fifth of the articles or values that were published last is gone", "lost", None, 0
        ),
    ]
