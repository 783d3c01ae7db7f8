"""The forms that answers are asked in."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel


class Answer(BaseModel):
    """Any question but the three statistical types."""

    answer: bool | float | str | list[str] | dict[str, float]
    unit: str | None


class Research(BaseModel):
    """Deep research: what is described, and what was asked about it."""

    entity: str | list[str]
    answer: bool | float | str
    unit: str | None


class Method(BaseModel):
    """The statistical types: which columns, which test, and what it shows."""

    columns: list[str]
    method: str
    answer: Literal["yes", "no"]


class Row(BaseModel):
    """One value of a working table."""

    entity: str
    attribute: str
    value: str


class Table(BaseModel):
    """The values a question needs."""

    tuples: list[Row]


class Judgement(BaseModel):
    """Whether an answer in prose says what the gold says."""

    same: bool
