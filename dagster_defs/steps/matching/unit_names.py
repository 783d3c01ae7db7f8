"""What people call units, beyond the labels and symbols of the table of units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

# (label of a listed unit, how many of it, other names). Letters that are symbols keep their case.
OTHER_NAMES: Sequence[tuple[str, str, tuple[str, ...]]] = (
    ("milliarcsecond", "1000", ("arcsecond", "arcseconds", "arcsec")),
    ("degree", "1", ("deg",)),
    ("second", "1", ("sec", "secs")),
    ("minute", "1", ("mins",)),
    ("hour", "1", ("hr", "hrs")),
    ("week", "1", ("wks",)),
    ("year", "1", ("yrs", "y", "calendar years")),
    ("metre", "201.168", ("furlong", "furlongs")),
    ("light-year", "1", ("lightyear", "lightyears")),
    ("light-year", "3.26156377716743", ("parsec", "parsecs", "pc")),
    ("astronomical unit", "1", ("AU",)),
    ("cubic centimetre", "1", ("cc",)),
    ("kilometre per hour", "1", ("kph", "kmh")),
    ("pound", "1", ("lbs", "pounds")),
    ("tonne", "1", ("metric ton", "metric tons", "ton", "tons")),
    ("dalton", "1", ("amu", "u", "atomic mass unit", "atomic mass units", "unified atomic mass units")),
    ("kilowatt hour", "0.001", ("watt hour", "watt hours", "Wh")),
    ("joule", "4.184", ("calorie", "calories", "cal")),
    ("joule", "4184", ("kilocalorie", "kilocalories", "kcal")),
    ("electronvolt", "1", ("electron volt", "electron volts")),
    ("standard atmosphere", "1", ("atmosphere", "atmospheres")),
    ("pascal", "6894.757293168", ("psi",)),
    ("degree Celsius", "1", ("celsius", "centigrade", "degrees centigrade", "degrees C", "deg C")),
    ("degree Fahrenheit", "1", ("fahrenheit", "degrees F", "deg F")),
    ("kelvin", "1", ("degrees kelvin",)),
    ("percent", "1", ("pct", "percentage", "percentage point", "percentage points")),
    ("percent", "0.0001", ("ppm", "parts per million")),
    ("percent", "0.0000001", ("ppb", "parts per billion")),
    ("US dollar", "1", ("$", "US$", "dollar", "dollars", "american dollars", "united states dollars")),
    ("Australian dollar", "1", ("A$", "$", "dollar", "dollars")),
    ("Canadian dollar", "1", ("C$", "$", "dollar", "dollars")),
    ("Brazilian real", "1", ("R$", "reais")),
    ("Swiss franc", "1", ("francs",)),
    ("euro", "1", ("€",)),
    ("pound sterling", "1", ("£", "british pounds", "pounds")),
    ("Japanese yen", "1", ("¥", "yen")),
    ("renminbi", "1", ("¥", "yuan", "RMB")),
    ("Indian rupee", "1", ("₹", "rupees")),
    ("South Korean won", "1", ("₩", "won")),
    ("Russian ruble", "1", ("₽", "rubles", "roubles")),
)
# English words and letters that are symbols as well: units only where no word follows.
WORDLIKE = frozenset(("in", "a", "are", "ares", "as", "at", "e", "c", "d", "D", "A", "C", "I", "u", "t", "s", "h"))
# Names of the unit of a share.
PURE_NAMES = frozenset(("fraction", "ratio", "proportion", "share", "dimensionless", "unitless"))
# Words and their power: before the unit ("square mile") and after it ("metres squared").
POWERS_BEFORE: Mapping[str, int] = {"square": 2, "sq": 2, "cubic": 3, "cu": 3}
POWERS_AFTER: Mapping[str, int] = {"squared": 2, "cubed": 3}
# Prefix -> its symbol and power of ten, and the units that take one.
PREFIXES: Mapping[str, tuple[str, int]] = {
    "peta": ("P", 15),
    "tera": ("T", 12),
    "giga": ("G", 9),
    "mega": ("M", 6),
    "kilo": ("k", 3),
    "centi": ("c", -2),
    "milli": ("m", -3),
    "micro": ("μ", -6),
    "nano": ("n", -9),
    "pico": ("p", -12),
    "femto": ("f", -15),
}
PREFIXED: Mapping[str, str] = {
    "metre": "m",
    "gram": "g",
    "second": "s",
    "joule": "J",
    "electronvolt": "eV",
    "watt": "W",
    "watt hour": "Wh",
    "hertz": "Hz",
    "pascal": "Pa",
    "volt": "V",
    "ampere": "A",
    "litre": "L",
    "tonne": "t",
    "kelvin": "K",
    "dalton": "Da",
    "mole": "mol",
    "bar": "bar",
}
