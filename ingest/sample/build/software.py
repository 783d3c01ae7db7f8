"""Software in which vulnerabilities were found, and who makes it: kind, language, licence, year of first release.

A product's id is that of NVD's product dictionary without its part (`cpe:apache:log4j`), a developer's the vendor of
it, or the SEC's number where the sample's companies have that.
"""

from __future__ import annotations

from typing import Final

from ingest.sample.build.model import Fact, Item, Ref
from ingest.sample.build.typed_table import Names, cells, country_id, date_value, read_table, typed_id

SOFTWARE: Final = "Q7397"
ORGANIZATION: Final = "Q43229"
COMPANY_PREFIX: Final = "cik:"
# What is left of these names in an id would be that of C.
LANGUAGES: Final = {"C++": "c plus plus", "C#": "c sharp"}


def build() -> tuple[list[Item], list[Fact]]:
    """The products of typed/software_products.csv and the developers of typed/software_vendors.csv.

    Raises ValueError for a product of an unlisted developer, or one that no vulnerability was found in.
    """
    names = Names()
    names.add(Item(SOFTWARE, "software"))
    names.add(Item(ORGANIZATION, "organization"))
    facts = _developers(names)
    developers = {row["vendor"] for row in read_table("software_vendors")}
    affected = {row["product"] for row in read_table("vulnerabilities")}
    kinds = set()
    for row in read_table("software_products"):
        if row["vendor"] not in developers or row["product"] not in affected:
            raise ValueError(
                f"{row['product']}: its vendor needs a row in software_vendors.csv, itself one in vulnerabilities.csv."
            )
        kind = names.typed("class", row["kind"]).id
        kinds.add(kind)
        product = names.add(Item(product_id(row["product"]), row["name"], classes=(kind,))).id
        facts.append(Fact(product, "P178", Ref(row["vendor"])))
        facts += [Fact(product, "P277", names.add(_language(name))) for name in cells(row["languages"])]
        if row["licence"]:
            facts.append(Fact(product, "P275", names.typed("licence", row["licence"])))
        if row["released"]:
            facts.append(Fact(product, "P571", date_value(row["released"])))
    return names.items(), facts + [Fact(kind, "P279", Ref(SOFTWARE)) for kind in sorted(kinds)]


def product_id(product: str) -> str:
    """The id of a product: vendor and product of its name in NVD's dictionary, `apache:log4j`."""
    return f"cpe:{product}"


def _language(name: str) -> Item:
    return Item(typed_id("programming-language", LANGUAGES.get(name, name)), name)


def _developers(names: Names) -> list[Fact]:
    """A listed company has its facts in the file companies; of it, only the id is used here."""
    facts: list[Fact] = []
    for row in read_table("software_vendors"):
        if row["vendor"].startswith(COMPANY_PREFIX):
            continue
        developer = names.add(Item(row["vendor"], row["name"], classes=(ORGANIZATION,))).id
        if row["country"]:
            facts.append(Fact(developer, "P17", Ref(country_id(row["country"]))))
        if row["founded"]:
            facts.append(Fact(developer, "P571", date_value(row["founded"])))
    return facts
