"""The numbered statements of the papers, and where each is in the ledger: its rows, or in words why it has none.

A number alone is what rows of the paper's files begin with; else the rows are named, or the reason is given. Equations of a paper that
only lead from one line of a proof to the next are left out.
"""

import re

_DEFINED = "a definition"
_PROBLEM = "states the problem"
_METHOD = "describes a method: tests hold the package against it"
_DRAWN = "curves of runs on random designs without seeds: another draw has other curves"

FGM = {
    **dict.fromkeys(f"Theorem 2.1 ({part})" for part in ("i", "ii", "iii", "iv", "v", "vi")),
    **dict.fromkeys(f"Theorem 3.1 ({part})" for part in ("i", "ii", "iii", "iv", "v", "vi")),
    **dict.fromkeys(f"Theorem 4.1 ({part})" for part in ("i", "ii", "iii", "iv")),
    **dict.fromkeys(f"Theorem 5.1 ({part})" for part in ("i", "ii", "iii")),
    **dict.fromkeys(("Corollary 5.1", "Proposition 3.1", "Proposition 3.2", "Proposition 4.1", "Proposition A.1", "Proposition A.2")),
    **dict.fromkeys(("Proposition A.3", "Proposition A.4", "Proposition A.5", "Proposition A.6", "Remark A.1", "Section 2.2")),
    "(1)": ("(1), (10) step length",), "(2)": _PROBLEM, "(3)": _PROBLEM, "(4)": _DEFINED, "(5)": _DEFINED,
    "(6)": "the normal equations", "(7)": _DEFINED, "(8)": ("gamma in [3/4, 1)",), "(9)": None, "(10)": ("(1), (10) step length",),
    "(11)": ("(1), (10) step length",), "(13)": None, "(14)": _DEFINED, "(15)": ("Section 2.2, sandwich", "Figure 3, end of the profile"),
    "(16)": _DEFINED, "(19)": _METHOD, "(20)": ("Proposition 3.1 (20)",), "(21)": _PROBLEM, "(22)": None, "(23)": None, "(24)": _PROBLEM,
    "(25)": None, "(26)": ("(25) descent",), "(27)": ("(13)",), "(28)": None, "(29)": None, "(30)": None,
    "(31)": ("Proposition A.2 (31)",), "(32)": ("Proposition A.2 (32)",), "(35)": ("Proposition A.4 (35)",),
    "(36)": ("Proposition A.4 (36)",), "(37)": ("Proposition 3.1 (37)", "Proposition 3.1 (37), any function"),
    "(38)": ("Theorem 3.1 (iv)",), "(39)": None, "(41)": None, "(42)": ("Remark A.1 (42)",), "(43)": ("Remark A.1 (43)",),
    "(44)": ("Proposition A.5 (44)",), "(45)": _DEFINED, "(47)": None, "(48)": ("Proposition A.6, (48)",),
    "(50)": ("Theorem 4.1 (iii)",), "(51)": ("Theorem 4.1 (iii)",), "(52)": None, "(53)": None,
    "(54)": ("Proposition A.6 (iii)", "(53) smallest"), "(55)": _PROBLEM, "(56)": None, "(57)": None, "A.4.5": None,
    "Figure 1": _DRAWN, "Figure 2": None, "Figure 3": None, "Figure 4": None, "Figure 5": _DRAWN, "Figure 6": ("Section 3, trade-off",),
    "Figure 7": ("Theorem 4.1 (iii)", "Theorem 4.1 (i)"), "Figure 8": ("Figure 2, one path on prostate", "Theorem 4.1 (i)"),
    "Figure 9": ("No model is below the Lasso of its l1 norm", "Section 2.2, sandwich"),
    "Figure 10": ("Remark A.1 (42)", "Remark A.1 (43)"), "Figure 11": _DRAWN, "Table B.1": None, "Table B.2": None,
}  # fmt: skip

RGBM = {
    **dict.fromkeys(("Theorem 4.1", "Theorem 4.2", "Example 1", "Example 2", "Example 3", "Proposition 2.1", "Proposition 3.1")),
    **dict.fromkeys(("Proposition 3.2", "Proposition 3.3", "Proposition 3.4", "Proposition 4.1", "Proposition 4.2", "Proposition 4.3")),
    **dict.fromkeys(("Proposition 4.4", "Proposition 4.5", "Proposition 4.6", "Proposition 4.7", "Remark 1.1", "Remark 2.2")),
    **dict.fromkeys(("Remark 3.3", "Remark 4.2", "Remark 4.3", "Remark 4.4")),
    "Assumption 1.1": "columns have unit norm: assumed by all rows", "Definition 3.1": _DEFINED, "Definition 3.2": _DEFINED,
    "Definition 3.3": _DEFINED, "Definition 3.4": _DEFINED, "Definition 4.1": _DEFINED, "Definition 4.2": _DEFINED,
    "(2)": _PROBLEM, "(5)": _DEFINED, "(6)": _PROBLEM, "(7)": _PROBLEM, "(8)": None, "(9)": ("Proposition 3.1",),
    "(10)": ("Proposition 3.2",), "(11)": _DEFINED, "(12)": ("Proposition 3.4",), "(13)": _DEFINED, "(14)": _DEFINED,
    "(15)": ("Proposition 4.2",), "(18)": ("Example 2 (18)", "(18), any rule"), "(20)": ("Example 3 (20)",), "(22)": ("Theorem 4.1",),
    "(24)": None, "(25)": None, "(26)": None, "Figure 1": "an experiment: rgbm_figure1", "Figure 2": None, "Figure 3": None,
    "Figure 4": ("Remark 4.2",), "Figure 5": "an experiment: rgbm_figure5", "Table 1": "sizes of data sets",
}  # fmt: skip

AGBM = {
    **dict.fromkeys(("Theorem 4.1", "Theorem 4.2", "Lemma C.1", "Lemma C.2", "Lemma C.3", "Lemma C.4", "Lemma C.5", "Lemma C.6")),
    "Remark C.1": None, "Remark 4.1": "orders of numbers of learners, without constants", "Remark 4.2": "the same",
    "Remark B.1": "an experiment: agbm_signs", "Remark B.2": "a hypothesis about test errors", "Assumption 2.1": _DEFINED,
    "Definition 4.1": _DEFINED, "Definition 4.2": _DEFINED, "Figure 1": "an experiment: agbm_figure1",
    "Figure 2": "an experiment: agbm_figure2", "Figure 3": "an experiment: agbm_figure3", "Figure 4": "an experiment: agbm_figure4",
    "Table 2": "an experiment: agbm_table2", "Table 3": "an experiment: agbm_table3",
}  # fmt: skip

RGB = {
    "Theorem 1": None, "Theorem 2": None, "Lemma 3": None, "Lemma 4": None, "(10)": ("RGB, Lemma 3",), "(11)": ("RGB, eq. (11)",),
    "Table 1": "an experiment: rgb_table1", "Table 2": "sizes of data sets",
}  # fmt: skip

SGLB = {
    "Lemma 1": None, "Lemma 2": None, "Statement 1": None, "Theorem 1": None, "Theorem 2": None, "Theorem 3": None,
    "Theorem 4": "borrowed from others, for Theorem 1",
    "Corollary 1": "an order, without constants", "Table 1": "an experiment: sglb_table1",
    "Table 2": "an experiment: sglb_table2", "Table 3": "an experiment: sglb_table3", "Table 4": "sizes of data sets",
}  # fmt: skip

#: Paper, how its files begin, what its rows begin with, its numbers.
PAPERS = (
    ("Freund, Grigas, Mazumder", "fgm", "", FGM),
    ("Lu, Mazumder", "rgbm", "", RGBM),
    ("Lu, Karimireddy, Ponomareva, Mirrokni", "agbm", "AGBM, ", AGBM),
    ("Cortes, Mohri, Storcheus", "rgb_", "RGB, ", RGB),
    ("Ustimenko, Prokhorenkova", "sglb", "SGLB, ", SGLB),
)


def found(rows):
    """Yield (paper, number, its rows, the reason why there are none) for every numbered statement; `rows` are those of a ledger."""
    for paper, prefix, words, numbers in PAPERS:
        ours = [row for row in rows if row.file.startswith(prefix)]
        for number, where in numbers.items():
            if isinstance(where, str):
                yield paper, number, [], where
            else:
                names = where or {row.statement for row in ours if begins(row.statement, words + number)}
                yield paper, number, [row for row in ours if row.statement in names], ""


def without(rows):
    """Sentences about numbers without a row or a reason, rows that are named and not there, rows whose number is not listed."""
    there = {row.statement for row in rows}
    lost = [f"{paper}, {number}: no row and no reason." for paper, number, some, why in found(rows) if not some and not why]
    named = {name for *_, numbers in PAPERS for where in numbers.values() if isinstance(where, tuple) for name in where}
    lost += [f"{name}: named for a number, but no row." for name in sorted(named - there)]
    return lost + [f"{row.statement} ({row.file}): a number that is not in the list." for row in rows if not _listed(row)]


def _listed(row):
    """Whether a row whose name begins with a number of its paper has it from the list."""
    kinds = r"(Theorem|Proposition|Lemma|Corollary|Remark|Example|Figure|Table|Statement|\() ?[A-Z]?\.?\d"
    return all(
        any(begins(row.statement, words + number) for number in numbers)
        for _, prefix, words, numbers in PAPERS
        if row.file.startswith(prefix) and re.match(words + kinds, row.statement)
    )


def begins(statement, number):
    """Whether the name of a row begins with a number: no letter, digit or further part of a number follows."""
    return re.match(rf"{re.escape(number)}(?![\w.])", statement) is not None
