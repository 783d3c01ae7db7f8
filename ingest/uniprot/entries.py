"""UniProtKB entries as rows; pure functions from bytes."""

from __future__ import annotations

import datetime
from typing import Final, Literal, NamedTuple

import msgspec

from ingest.http.body import BodyError, decode
from ingest.numbers import ABSENT, number
from ingest.rows import Row

# Features that say what of the sequence is left in the working protein; the others are not landed.
PROCESSING: Final = frozenset(
    {"Initiator methionine", "Signal", "Transit peptide", "Propeptide", "Chain", "Peptide", "Disulfide bond"}
)
_INACTIVE: Final = {"DELETED": "deleted", "MERGED": "merged", "DEMERGED": "demerged"}


class Entry(Row, frozen=True):
    """One accession. An active entry has a sequence; an inactive accession has ``moved_to`` at most.

    ``entry_kind``: reviewed, unreviewed, merged (into another entry, ``moved_to``), demerged (into several), deleted.
    ``length`` counts residues, ``mass_da`` is in daltons, both of the whole canonical sequence as translated, signal
    and propeptides included; both are whole numbers in the source.
    """

    accession: str
    entry_kind: str
    moved_to: tuple[str, ...]
    inactive_reason: str | None
    entry_name: str | None = None
    protein_name: str | None = None
    gene_name: str | None = None
    organism: str | None = None
    taxon_id: int | None = None
    protein_existence: str | None = None
    annotation_score_text: str | None = None
    annotation_score: float | None = None
    is_precursor: bool | None = None
    is_fragment: bool | None = None
    sequence: str | None = None
    length_text: str | None = None
    length: float | None = None
    mass_da_text: str | None = None
    mass_da: float | None = None
    sequence_md5: str | None = None
    secondary_accessions: tuple[str, ...] = ()
    entry_version: int | None = None
    sequence_version: int | None = None
    sequence_updated_on: datetime.date | None = None
    annotated_on: datetime.date | None = None


class Feature(Row, frozen=True):
    """One processing feature of an entry's sequence; positions count from 1, ends included.

    A position is NULL where the source does not know it; ``*_modifier`` is EXACT, OUTSIDE, UNSURE or UNKNOWN.
    """

    accession: str
    feature_kind: str
    feature_id: str | None
    start_position: int | None
    start_modifier: str
    end_position: int | None
    end_modifier: str
    description: str | None


class Parsed(NamedTuple):
    """Rows of one answer."""

    entries: list[Entry]
    features: list[Feature]


class _Named(msgspec.Struct):
    value: str


class _Name(msgspec.Struct):
    fullName: _Named | None = None


class _Description(msgspec.Struct):
    recommendedName: _Name | None = None
    submissionNames: list[_Name] = []
    alternativeNames: list[_Name] = []
    flag: str | None = None


class _Gene(msgspec.Struct):
    geneName: _Named | None = None
    orderedLocusNames: list[_Named] = []
    orfNames: list[_Named] = []


class _Organism(msgspec.Struct):
    scientificName: str | None = None
    taxonId: int | None = None


class _Audit(msgspec.Struct):
    entryVersion: int | None = None
    sequenceVersion: int | None = None
    lastSequenceUpdateDate: datetime.date | None = None
    lastAnnotationUpdateDate: datetime.date | None = None


class _Sequence(msgspec.Struct):
    value: str
    length: msgspec.Raw
    molWeight: msgspec.Raw
    md5: str | None = None


class _Position(msgspec.Struct):
    value: int | None = None
    modifier: str = "UNKNOWN"


class _Location(msgspec.Struct):
    start: _Position
    end: _Position


class _Feature(msgspec.Struct):
    type: str
    location: _Location
    description: str | None = None
    featureId: str | None = None


class _Reason(msgspec.Struct):
    inactiveReasonType: Literal["DELETED", "MERGED", "DEMERGED"]
    mergeDemergeTo: list[str] = []
    deletedReason: str | None = None


class _Entry(msgspec.Struct):
    entryType: str
    primaryAccession: str
    uniProtkbId: str | None = None
    secondaryAccessions: list[str] = []
    inactiveReason: _Reason | None = None
    proteinDescription: _Description | None = None
    genes: list[_Gene] = []
    organism: _Organism | None = None
    proteinExistence: str | None = None
    annotationScore: msgspec.Raw = ABSENT
    entryAudit: _Audit | None = None
    sequence: _Sequence | None = None
    features: list[_Feature] = []


def parse_entry(body: bytes, asked: str | None = None) -> Parsed:
    """Rows of one entry.

    Where ``asked`` was merged into the entry, as UniProt answers for old accessions, it has a row of its own.

    Raises:
        BodyError: no entry, or an entry that ``asked`` does not lead to.
    """
    entry = decode(body, _Entry)
    parsed = Parsed([_row(entry)], _features(entry))
    if asked is None or asked == entry.primaryAccession:
        return parsed
    if entry.sequence is None or asked not in entry.secondaryAccessions:
        raise BodyError(f"the answer was the entry {entry.primaryAccession}, which {asked} is no part of", again=False)
    return Parsed([Entry(asked, "merged", (entry.primaryAccession,), "MERGED"), *parsed.entries], parsed.features)


def _row(entry: _Entry) -> Entry:
    reason = entry.inactiveReason
    if reason is not None:
        kind = _INACTIVE[reason.inactiveReasonType]
        # A deletion may say why, in words of the source's own.
        said = reason.deletedReason or reason.inactiveReasonType
        return Entry(entry.primaryAccession, kind, tuple(reason.mergeDemergeTo), said)
    sequence, audit = entry.sequence, entry.entryAudit or _Audit()
    if sequence is None:
        raise BodyError(f"the answer was the entry {entry.primaryAccession} without a sequence", again=False)
    organism, description = entry.organism or _Organism(), entry.proteinDescription or _Description()
    length, mass, score = number(sequence.length), number(sequence.molWeight), number(entry.annotationScore)
    flag = description.flag or ""
    return Entry(
        accession=entry.primaryAccession,
        entry_kind=_kind(entry),
        moved_to=(),
        inactive_reason=None,
        entry_name=entry.uniProtkbId,
        protein_name=_protein_name(description),
        gene_name=_gene_name(entry.genes),
        organism=organism.scientificName,
        taxon_id=organism.taxonId,
        protein_existence=entry.proteinExistence,
        annotation_score_text=score.text,
        annotation_score=score.num,
        is_precursor="Precursor" in flag,
        is_fragment="Fragment" in flag,
        sequence=sequence.value,
        length_text=length.text,
        length=length.num,
        mass_da_text=mass.text,
        mass_da=mass.num,
        sequence_md5=sequence.md5,
        secondary_accessions=tuple(entry.secondaryAccessions),
        entry_version=audit.entryVersion,
        sequence_version=audit.sequenceVersion,
        sequence_updated_on=audit.lastSequenceUpdateDate,
        annotated_on=audit.lastAnnotationUpdateDate,
    )


def _kind(entry: _Entry) -> str:
    """The section of UniProtKB. "unreviewed" contains "reviewed", so it is looked for first."""
    for kind in ("unreviewed", "reviewed"):
        if f" {kind} " in f" {entry.entryType} ":
            return kind
    raise BodyError(
        f"the answer was the entry {entry.primaryAccession} of the unknown type {entry.entryType!r}", again=False
    )


def _protein_name(description: _Description) -> str | None:
    names = [description.recommendedName, *description.submissionNames, *description.alternativeNames]
    return next((name.fullName.value for name in names if name is not None and name.fullName is not None), None)


def _gene_name(genes: list[_Gene]) -> str | None:
    """The first gene's name; where it has none, the name of its locus or reading frame."""
    for gene in genes:
        for name in (gene.geneName, *gene.orderedLocusNames, *gene.orfNames):
            if name is not None:
                return name.value
    return None


def _features(entry: _Entry) -> list[Feature]:
    return [
        Feature(
            accession=entry.primaryAccession,
            feature_kind=feature.type,
            feature_id=feature.featureId,
            start_position=feature.location.start.value,
            start_modifier=feature.location.start.modifier,
            end_position=feature.location.end.value,
            end_modifier=feature.location.end.modifier,
            description=feature.description or None,
        )
        for feature in entry.features
        if feature.type in PROCESSING
    ]
