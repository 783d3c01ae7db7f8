"""Which English words a rewrite may add or drop, and which say what is asked, how, and in which direction.

The list is closed on purpose: a word that is in none of these sets is taken to bear on the answer.
"""

from __future__ import annotations

from collections.abc import Mapping


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# They join words; they may come and go anywhere.
FUNCTION = _words(
    """a an the of in on at to for from by with as and or that this these those it its they them their there one ones is
    are was were be been being do does did has have had having would will can could should may if when while where then
    so also all every between among amongst out within across over into which what who whose whom how many much such any
    than got s i"""
)
# They carry a question along. They may come and go, unless the original's scope or attribute is made of them.
FILLER = _words(
    """name names called given give find determine identify calculate calculated compute computed consider considering
    suppose supposing supposed assume assuming imagine considered case regard regarding respect terms term value values
    number numbers amount count counted counting result figure group groups grouped grouping category categories
    compare compared comparing comparison according measured expressed stated provided possess possesses account
    accounts accounting found occur occurs occurring appear appears exist exists located situated members member
    recorded ordered order sorted arranged taken take takes looking look become becomes following please whichever
    each belong"""
)
TESTING = _words(
    """significance significant significantly statistical statistically test tests tested testing judged judging judge
    assessed evaluated evidence conclude concluded consistent follow follows followed following tell far relationship
    relation related relate relates correlated correlate correlates correlation associated association associate
    depend depends dependent dependence linked link connection together go goes show shows exhibit exhibits distribution
    distributed data often two both rankings differ differs difference different differently as said"""
)
# "former": a supposed change is always made to what is named first, which `check` holds.
SUPPOSING = _words("added add adds adding together hypothetically event scenario condition took make makes former")
# They lead from a clue to the next, and to the task.
TELLING = _words("true known hold holds apply applies following follows something thing clue clues fact facts also")
# Operation -> words that go with it.
BESIDE: Mapping[str, frozenset[str]] = {"range": _words("far"), "median": _words("middle")}
# At most these many numbers in words; the others are protected like digits.
TWO = _words("two both either")

NUMBER_WORDS = _words(
    """zero three four five six seven eight nine ten eleven twelve thirteen fifteen twenty thirty forty fifty sixty
    seventy eighty ninety hundred hundreds thousand thousands million millions billion billions trillion dozen half
    halves third thirds quarter quarters twice double doubled triple thrice once percent percentage"""
)
# Polarity, counted one by one: none may be lost, gained or turned into another.
NEGATIONS: Mapping[str, frozenset[str]] = {
    "not": _words("not no n't never neither nor none cannot non nobody nothing"),
    "without": _words("without lacking lack lacks"),
    "except": _words("except excepting excluding exclude excludes besides other unless"),
    "outside": _words("outside"),
    "still": _words("still"),
}
# Direction: whether each is there has to stay as it is.
UP = _words(
    """more most greater greatest higher highest larger largest longer longest later latest bigger biggest exceed
    exceeds exceeding exceeded above past outnumber outnumbers outnumbered surpass surpasses surpassing beyond commonest
    additional extra further maximum max"""
)
DOWN = _words(
    """fewer fewest less least lower lowest smaller smallest shorter shortest earlier earliest below under beneath
    minimum min rarest"""
)
RISE = _words("rose rise rises risen rising increase increases increased increasing grew grow grows grown gain gained")
FALL = _words(
    """fell fall falls fallen falling decrease decreases decreased decreasing dropped drop drops declined decline shrank
    shrink reduced reduce lost lose"""
)
# What stands between the changed quantity and what it is held against.
COMPARING = _words("exceed exceeds exceeding above past outnumber outnumbers surpass surpasses surpassing beyond than")
CHANGING = RISE | FALL | _words("by added gained")
MORE = _words("more additional extra further")
SUPERLATIVES = _words(
    """most greatest highest largest longest latest biggest fewest least lowest smallest shortest earliest commonest
    maximum minimum rarest"""
)
DIRECTIONS: Mapping[str, frozenset[str]] = {"more": UP, "fewer": DOWN, "rise": RISE, "fall": FALL}

# What is computed or tested: whether each is there has to stay as it is, apart from what `operations_of` leaves out.
OPERATIONS: Mapping[str, frozenset[str]] = {
    "mean": _words("mean means average averages averaged averaging"),
    "median": _words("median medians"),
    "sum": _words("sum sums total totals totalled added combined together altogether summed"),
    "range": _words("difference apart range gap exceed exceeds"),
    "count": _words("many number numbers count counted"),
    "fraction": _words("fraction fractions share proportion ratio"),
    "distinct": _words("different distinct unique"),
    "distribution": _words("distributed distribution breakdown each"),
    "variance": _words("variance variances variability dispersion spread"),
    "normal": _words("normal normally gaussian"),
    "uniform": _words("uniform uniformly evenly equally even"),
    "linear": _words("linear linearly"),
    "monotonic": _words("monotonic monotonically monotone rank ranks ranked ranking rankings"),
    "differ": _words("differ differs difference different differently"),
    "shared": _words("share shares shared common"),
    "common": _words("common commonest"),
}
# Operation or method -> what of the above its questions say.
_ASKED: Mapping[str, frozenset[str]] = {
    "mean": _words("mean"),
    "median": _words("median"),
    "sum": _words("sum"),
    "range": _words("range"),
    "count": _words("count"),
    "distinct": _words("distinct count"),
    "share": _words("fraction"),
    "distribution": _words("distribution"),
    "shared_value": _words("shared"),
    "levene": _words("variance differ"),
}
# What may be said or left unsaid, by operation or method: the word means something else there.
_UNSAID: Mapping[str, frozenset[str]] = {
    "mean": _words("range count differ distribution common distinct"),
    "median": _words("range count differ distribution common distinct"),
    "sum": _words("range count differ distribution common distinct"),
    "range": _words("differ count distribution common distinct"),
    "count": _words("sum distribution common range shared differ"),
    "share": _words("distribution common range shared count differ"),
    "distinct": _words("sum distribution common range differ"),
    "distribution": _words("count uniform common shared range variance"),
    "shared_value": _words("common fraction range distribution differ count distinct"),
    "test": _words("range count distribution common differ fraction distinct shared"),
    "levene": _words("range count distribution common fraction distinct shared"),
    "chisquare": _words("range count distribution common differ fraction distinct shared variance"),
}
_COMPARED = _words("count range distribution common shared differ fraction distinct")


def operations_of(operation: str, method: str | None) -> tuple[frozenset[str], frozenset[str]]:
    """(what must be said, what may be said or not) of `OPERATIONS` in a question of this operation and test."""
    key = method if method in _ASKED or method in _UNSAID else operation
    return _ASKED.get(str(key), frozenset()), _UNSAID.get(str(key), _COMPARED)
