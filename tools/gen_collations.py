#!/usr/bin/env python3
"""Generates crates/engine/src/row/collation/tables.rs. Run from the repository root.

general_ci: the weight of a code point is the simple upper case of the base letter of its canonical
decomposition. MySQL froze that rule at an early Unicode version and only for eleven pages of the
BMP, so the characters that later versions changed are listed below and keep their own weight.

latin1: the alphabets are written as groups of equal characters (Windows-1252 code points).
"""
import unicodedata

PAGES = [0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x1E, 0x1F, 0x21, 0x24, 0xFF]

# Letters whose upper-case partner or decomposition came after the freeze, and singletons.
IDENTITY = [
    (0x0180, 0x0180), (0x019A, 0x019A), (0x019E, 0x019E), (0x023C, 0x023C), (0x023F, 0x0240),
    (0x0242, 0x0242), (0x0247, 0x0247), (0x0249, 0x0249), (0x024B, 0x024B), (0x024D, 0x024D),
    (0x024F, 0x0252), (0x025C, 0x025C), (0x0261, 0x0261), (0x0265, 0x0266), (0x026A, 0x026C),
    (0x0271, 0x0271), (0x027D, 0x027D), (0x0282, 0x0282), (0x0287, 0x0287), (0x0289, 0x0289),
    (0x028C, 0x028C), (0x029D, 0x029E), (0x0340, 0x0341), (0x0343, 0x0344), (0x0371, 0x0371),
    (0x0373, 0x0374), (0x0377, 0x0377), (0x037B, 0x037E), (0x0385, 0x0385), (0x0387, 0x0387),
    (0x03D7, 0x03D7), (0x03D9, 0x03D9), (0x03F3, 0x03F3), (0x03F5, 0x03F5), (0x03F8, 0x03F8),
    (0x03FB, 0x03FB), (0x0419, 0x0419), (0x048B, 0x048B), (0x04C6, 0x04C6), (0x04CA, 0x04CA),
    (0x04CE, 0x04CF), (0x04F7, 0x04F7), (0x04FB, 0x04FB), (0x04FD, 0x04FD), (0x04FF, 0x04FF),
    (0x1EFB, 0x1EFB), (0x1EFD, 0x1EFD), (0x1EFF, 0x1EFF), (0x1FBB, 0x1FBB), (0x1FC1, 0x1FC1),
    (0x1FC9, 0x1FC9), (0x1FCB, 0x1FCB), (0x1FCD, 0x1FCF), (0x1FD3, 0x1FD3), (0x1FDB, 0x1FDB),
    (0x1FDD, 0x1FDF), (0x1FE3, 0x1FE3), (0x1FEB, 0x1FEB), (0x1FED, 0x1FEF), (0x1FF9, 0x1FF9),
    (0x1FFB, 0x1FFB), (0x1FFD, 0x1FFD), (0x2126, 0x2126), (0x212A, 0x212B), (0x214E, 0x214E),
    (0x2184, 0x2184), (0x219A, 0x219B), (0x21AE, 0x21AE), (0x21CD, 0x21CF),
] + [(c, c) for c in range(0x0501, 0x0530, 2)]

# Sharp s sorts as S; lunate sigma as Sigma; short i keeps its breve; oxia letters fold only case.
REMAP = {
    0x00DF: 0x0053, 0x03F2: 0x03A3, 0x0439: 0x0419, 0x1F71: 0x1FBB, 0x1F73: 0x1FC9,
    0x1F75: 0x1FCB, 0x1F77: 0x1FDB, 0x1F79: 0x1FF9, 0x1F7B: 0x1FEB, 0x1F7D: 0x1FFB,
}
KEEP = {c for a, b in IDENTITY for c in range(a, b + 1)}


def upper(c):
    t = chr(c).upper()
    return ord(t) if len(t) == 1 and ord(t) < 0x10000 else c


def base(c):
    while True:
        d = unicodedata.decomposition(chr(c))
        if not d or d.startswith("<"):
            return c
        c = int(d.split()[0], 16)


def weight(c):
    if c in REMAP:
        return REMAP[c]
    return c if c in KEEP else upper(base(upper(c)))


def letters(extra):
    """A..Z in order; each letter is followed by its own later groups, from `extra`."""
    for c in range(0x41, 0x5B):
        yield [c, c + 0x20]
        yield from extra.get(chr(c), [])


def pair(c):
    return [c, c + 0x20]


def latin1_general():
    accented = {
        "A": [pair(c) for c in range(0xC0, 0xC7)],
        "C": [pair(0xC7)],
        "D": [pair(0xD0)],
        "E": [pair(c) for c in range(0xC8, 0xCC)],
        "I": [pair(c) for c in range(0xCC, 0xD0)],
        "N": [pair(0xD1)],
        "O": [pair(c) for c in (0xD2, 0xD3, 0xD4, 0xD5, 0xD6, 0xD8)],
        "S": [[0xDF]],
        "U": [pair(c) for c in range(0xD9, 0xDD)],
        "Y": [pair(0xDD), [0xFF]],
        "Z": [pair(0xDE)],
    }
    tail = [*range(0x5B, 0x61), *range(0x7B, 0x7F), 0xD7, 0xF7, 0x7F, *range(0x80, 0xC0)]
    groups = [[c] for c in range(0x41)] + list(letters(accented)) + [[c] for c in tail]
    table = [None] * 256
    for rank, group in enumerate(groups):
        for c in group:
            assert table[c] is None
            table[c] = rank
    assert None not in table
    return table


def latin1_swedish():
    same = {
        0x41: [*range(0xC0, 0xC5), *range(0xE0, 0xE5)],
        0x43: pair(0xC7),
        0x44: pair(0xD0),
        0x45: [*range(0xC8, 0xCC), *range(0xE8, 0xEC)],
        0x49: [*range(0xCC, 0xD0), *range(0xEC, 0xF0)],
        0x4E: pair(0xD1),
        0x4F: [*range(0xD2, 0xD6), *range(0xF2, 0xF6)],
        0x55: [*range(0xD9, 0xDC), *range(0xF9, 0xFC)],
        0x59: pair(0xDC) + pair(0xDD),
        0x5B: pair(0xC5),  # after Z: Å, then Ä and Æ, then Ö
        0x5C: pair(0xC4) + pair(0xC6),
        0x5D: pair(0xD6),
        0xD8: pair(0xD8),
        0xDE: pair(0xDE),
    }
    table = list(range(256))
    for c in range(0x41, 0x5B):
        table[c + 0x20] = c
    for w, members in same.items():
        for c in members:
            table[c] = w
    return table


def cp1252():
    """Code point of each byte; the five holes of Windows-1252 map to the C1 control of that number."""
    out = []
    for b in range(256):
        try:
            out.append(ord(bytes([b]).decode("cp1252")))
        except UnicodeDecodeError:
            out.append(b)
    return out


def rows(values, width, fmt):
    for i in range(0, len(values), width):
        yield "    " + ", ".join(fmt % v for v in values[i : i + width]) + ","


def main():
    out = ["//! Collation weights. Written by `tools/gen_collations.py`; do not edit.", ""]
    out += ["/// Weights of `general_ci`: one row of 256 for each page in [`GENERAL_CI_PAGES`].", "#[rustfmt::skip]"]
    out.append("pub(super) const GENERAL_CI: [[u16; 256]; %d] = [" % len(PAGES))
    for p in PAGES:
        out.append("[")
        out += list(rows([weight(p * 256 + i) for i in range(256)], 16, "0x%x"))
        out.append("],")
    out += ["];", ""]
    index = [PAGES.index(p) if p in PAGES else 255 for p in range(256)]
    out += ["/// Page of the BMP -> row in [`GENERAL_CI`]; 255: every code point is its own weight.", "#[rustfmt::skip]"]
    out.append("pub(super) const GENERAL_CI_PAGES: [u8; 256] = [")
    out += list(rows(index, 32, "%d")) + ["];", ""]
    for name, doc, table in (
        ("LATIN1_GENERAL", "Weights of `latin1_general_ci`.", latin1_general()),
        ("LATIN1_SWEDISH", "Weights of `latin1_swedish_ci`.", latin1_swedish()),
    ):
        out += ["/// " + doc, "#[rustfmt::skip]", "pub(super) const %s: [u8; 256] = [" % name]
        out += list(rows(table, 16, "0x%x")) + ["];", ""]
    out += ["/// Windows-1252 byte -> code point.", "#[rustfmt::skip]", "pub(super) const CP1252: [u16; 256] = ["]
    out += list(rows(cp1252(), 16, "0x%x")) + ["];", ""]
    with open("crates/engine/src/row/collation/tables.rs", "w") as f:
        f.write("\n".join(out))


if __name__ == "__main__":
    main()
