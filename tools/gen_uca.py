#!/usr/bin/env python3
"""Generates the weight tables of the Unicode collations, crates/engine/src/row/collation/uca/*.bin.

    python3 tools/gen_uca.py 9.0.0 allkeys-9.0.0.txt crates/engine/src/row/collation/uca/900.bin
    python3 tools/gen_uca.py levels allkeys-9.0.0.txt crates/engine/src/row/collation/uca/900levels.bin
    python3 tools/gen_uca.py 5.2.0 allkeys-5.2.0.txt crates/engine/src/row/collation/uca/520.bin
    python3 tools/gen_uca.py 4.0.0 measured-4.0.0.tsv crates/engine/src/row/collation/uca/400.bin

The input is the Default Unicode Collation Element Table of that version, which Unicode publishes as
https://www.unicode.org/Public/UCA/<version>/allkeys.txt (terms of use:
https://www.unicode.org/terms_of_use.html), or a table measured at a server that has the collation: lines of
code point, tab, weights, both in hexadecimal. The table of 4.0.0 was made from such a measurement,

    SELECT HEX(seq), HEX(WEIGHT_STRING(CONVERT(CHAR(seq USING utf32) USING utf8mb4) COLLATE utf8mb4_unicode_ci))
    FROM seq_0_to_65535 WHERE seq NOT BETWEEN 0xD800 AND 0xDFFF

on MariaDB 10.11, whose table is MySQL's. It was not compared with Unicode's file of that version; U+FDFA, of 18
elements in the later files, has implicit weights there.

What MySQL takes from the file: primary weights of single characters. Contractions are left out, variable
elements are elements like any other, and a character keeps at most eight elements.

Output, little-endian 16-bit words: number of pages; for each of the 0x1100 blocks of 256 code points the page
or FFFF (all implicit); the pages, 256 entries each; the lists. An entry is 0 (no weight), FFFF (implicit
weights), a weight below 8000, or 8000 + offset in the lists; a list is its length and its weights.
"""
import re
import struct
import sys

IMPLICIT = 0xFFFF
BLOCKS = 0x1100


def old_implicit(c):
    base = 0xFB80 if 0x3400 <= c <= 0x4DB5 else 0xFB40 if 0x4E00 <= c <= 0x9FA5 else 0xFBC0
    return [base + (c >> 15), c & 0x7FFF | 0x8000]


def measured(lines):
    table = {}
    for line in lines:
        c, _, weights = line.strip("\n").partition("\t")
        c = int(c, 16)
        weights = [int(weights[i : i + 4], 16) for i in range(0, len(weights), 4)]
        if c < 0x10000 and weights != old_implicit(c):
            table[c] = weights
    return table


def allkeys(lines, version):
    table = {}
    for line in lines:
        line = line.partition("#")[0].strip()
        if not line or line.startswith("@"):
            continue
        chars, _, elements = line.partition(";")
        if " " in chars.strip():
            continue
        weights = [int(p, 16) for p in re.findall(r"\[[.*]([0-9A-F]+)", elements)]
        # 9.0.0 counts elements, the older version counts weights.
        weights = [w for w in weights[:8] if w] if version == "9.0.0" else [w for w in weights if w][:8]
        table[int(chars, 16)] = weights
    return table


def levels(lines):
    """Secondary and tertiary weights of each element, as one number."""
    table = {}
    for line in lines:
        line = line.partition("#")[0].strip()
        if not line or line.startswith("@"):
            continue
        chars, _, elements = line.partition(";")
        if " " in chars.strip():
            continue
        all_levels = re.findall(r"\[[.*]([0-9A-F]+)\.([0-9A-F]+)\.([0-9A-F]+)", elements)
        found = []
        for first, second, third in [map(lambda w: int(w, 16), e) for e in all_levels[:8]]:
            # What keys rely on when they leave out the common weights; the second half of an ideograph has none.
            assert (first != 0) == (second == 0x20) or first >= 0x8000 and second == 0, chars
            assert (second != 0) == (third != 0) and third < 32 and (second == 0 or second >= 0x20), chars
            if second:
                found.append(second << 5 | third)
        table[int(chars, 16)] = found
    return table


def pack(table):
    lists, places = [], {}

    def entry(weights):
        if weights is None:
            return IMPLICIT
        if not weights:
            return 0
        if len(weights) == 1 and weights[0] < 0x8000:
            return weights[0]
        key = tuple(weights)
        if key not in places:
            places[key] = len(lists)
            lists.extend([len(weights), *weights])
        assert places[key] < 0x7FFF
        return 0x8000 | places[key]

    pages, numbers, index = [], {}, []
    for block in range(BLOCKS):
        page = tuple(entry(table.get(block * 256 + i)) for i in range(256))
        if all(e == IMPLICIT for e in page):
            index.append(IMPLICIT)
            continue
        if page not in numbers:
            numbers[page] = len(pages)
            pages.append(page)
        index.append(numbers[page])
    return [len(pages), *index, *(e for page in pages for e in page), *lists]


def main():
    version, source, target = sys.argv[1:]
    with open(source, encoding="utf-8") as f:
        lines = f.readlines()
    if version == "levels":
        table = levels(lines)
    else:
        table = weights(lines, version)
    words = pack(table)
    with open(target, "wb") as f:
        f.write(struct.pack("<%dH" % len(words), *words))


def weights(lines, version):
    return measured(lines) if "\t" in lines[0] else allkeys(lines, version)


if __name__ == "__main__":
    main()
