#!/usr/bin/env python3
"""Generates the tables of the character sets, crates/engine/src/row/collation/charset/*.bin. Run from the repository root.

The mappings are those of Python's codecs, which were made from the vendors' and Unicode's published files. Where MySQL's
mapping is another one it is told below; that was found by comparing every code with a server (MariaDB 10.11, which has
MySQL's mappings).

single.bin: for each set of `SINGLE` 256 code points as 16-bit words, little-endian; FFFF: no character.
order.bin: for each of them 256 weights of its default collation, one byte each.
NAME.bin: for each set of `DOUBLE` the first lead byte, the last, the first trail byte, the last, then a word for each code.

Orders of the default collations of the single-byte sets: the characters that are equal are MySQL's (upper and lower case,
and in `BASE` letters with the same base letter, with the exceptions told in `GROUPS`). The order is derived: ASCII in the
order of its codes, the other Latin letters behind their base letter, then all else by code point.
docs/decisions/collations.md says so.
"""
import struct
import unicodedata

DIR = "crates/engine/src/row/collation/charset/"
NONE = 0xFFFF
GEORGIAN = "აბგდევზჱთიკლმნჲოპჟრსტჳუფქღყშჩცძწჭხჴჯჰჵ"
# What cp1252 has and geostd8 lacks.
GEO_LACKS = set(map(ord, "ƒˆŠŒŽ˜™šœžŸ"))
ARMENIAN = "".join(chr(0x531 + i) + chr(0x561 + i) for i in range(38))


def codec(name, changes=None):
    table = []
    for b in range(256):
        try:
            table.append(ord(bytes([b]).decode(name)))
        except UnicodeDecodeError:
            table.append(NONE)
    for b, c in (changes or {}).items():
        table[b] = c
    return table


def ascii_and(changes):
    table = list(range(0x80)) + [NONE] * 0x80
    for b, c in changes.items():
        table[b] = c
    return table


def at(first, text):
    return {first + i: ord(c) for i, c in enumerate(text)}


# DEC's multinational set: Latin-1 with some places empty and others taken.
DEC8 = {b: b for b in range(0x80, 0x100)} | {0xA8: 0xA4, 0xD7: 0x152, 0xDD: 0x178, 0xF7: 0x153, 0xFD: 0xFF}
for b in (0xA4, 0xA6, 0xAC, 0xAD, 0xAE, 0xAF, 0xB4, 0xB8, 0xBE, 0xD0, 0xDE, 0xF0, 0xFE, 0xFF):
    DEC8[b] = NONE
# The Kamenický brothers' Czech letters in cp437.
KEYBCS2 = {b: ord(bytes([b]).decode("cp437")) for b in range(0x80, 0x100)} | at(
    0x80, "ČüéďäĎŤčěĚĹÍľĺÄÁÉžŽôöÓůÚýÖÜŠĽÝŘťáíóúňŇŮÔšřŕŔ¼¡«»"
)

SINGLE = {
    "latin2": codec("iso8859_2"),
    "latin5": codec("iso8859_9"),
    "latin7": codec("iso8859_13"),
    "cp1250": codec("cp1250"),
    "cp1251": codec("cp1251"),
    # The first edition, without the letters of Urdu.
    "cp1256": codec("cp1256", dict.fromkeys([0x8A, 0x8F, 0x98, 0x9A, 0x9F, 0xAA, 0xC0, 0xFF], NONE)),
    "cp1257": codec("cp1257"),
    "cp850": codec("cp850"),
    "cp852": codec("cp852"),
    "cp866": codec("cp866", {0xFC: 0x207F, 0xFD: 0xB2}),
    # ISO 8859-7:1987.
    "greek": codec("iso8859_7", {0xA1: 0x2BD, 0xA2: 0x2BC, 0xA4: NONE, 0xA5: NONE, 0xAA: NONE}),
    "hebrew": codec("iso8859_8", {0xAF: 0x203E}),
    "koi8r": codec("koi8_r"),
    "koi8u": codec("koi8_u", {0x95: 0x2022}),
    "macroman": codec("mac_roman"),
    "macce": codec("mac_latin2"),
    "tis620": codec("tis_620", dict.fromkeys([0xA0, 0xDB, 0xDC, 0xDD, 0xDE, 0xFC, 0xFD, 0xFE, 0xFF], 0xFFFD)),
    "hp8": codec("hp_roman8"),
    "dec8": ascii_and(DEC8),
    "swe7": ascii_and({0x40: 0xC9, 0x60: 0xE9} | at(0x5B, "ÄÖÅÜ") | at(0x7B, "äöåü") | {0x7F: NONE}),
    "armscii8": ascii_and(
        {b: b for b in range(0x80, 0xA2)}
        | at(0xA1, "❁§։)(»«—.՝,-՟…՜՛՞")
        | at(0xB2, ARMENIAN)
        | {0xA0: 0xA0, 0xFE: 0x2019, 0xFF: 0x27}
    ),
    "keybcs2": ascii_and(KEYBCS2),
    "geostd8": ascii_and(
        {b: c for b, c in enumerate(codec("cp1252")) if 0x80 <= b < 0xC0 and c not in GEO_LACKS} | at(0xC0, GEORGIAN) | {0xFD: 0x2116}
    ),
}

# Letters count as their base letters.
BASE = {"latin2", "latin5", "cp1250", "cp1257", "cp852", "greek", "keybcs2", "macce", "macroman", "dec8"}
# Only the letters of ASCII have two cases.
ASCII_CASE = {"hp8", "armscii8"}
# Equal characters that the rule does not give, a group each; a character leaves its group of the rule.
GROUPS = {
    "cp1250": "LlĹĺĽľŁł Źź Zz ŹźŻżŽž Ss§ßŞş ŚśŠš Ćć Čč CcÇç",
    "cp1257": "OoÓÕÖØóõöøŌō LlĻļŁł SsßŚśŠš AaÄÅÆäåæĀāĄą",
    "cp852": "Nn ŃńŇň DdĎďĐđ LlĹĺĽľŁł",
    "cp1256": "تظ",
    "cp850": "Ii ı",
    "cp866": "J j",
    "dec8": "OoÒÓÔÕòóôõ \\ÄÆäæ [Åå ]Öö Œ œ UuÙÚÛùúû YyÜüÿŸ AaÀÁÂÃàáâã",
    "greek": "¨ ΅",
    "keybcs2": "Σ σ",
    "latin5": "Öö Ğğ Gg Ssß Şş Üü UuÙÚÛùúû Çç Cc OoÒÓÔÕØòóôõø Iı AaÀÁÂÃÄÅÆàáâãäåæ iÌÍÎÏìíîïİ",
    # All but letters is one.
    "latin2": "Đ×ßđ÷˘§¨°˛´ˇ¸˝˙¤\xa0\xad\x7f" + "".join(map(chr, range(0x80, 0xA0)))
    + " Ąą Łł Śś Šš Źź Žž Żż ÁÂĂÄáâăä Ćć Čč Ęę Ńń Óó",
    "macce": "SsßŚśŠš LlĹĺĻļĽľŁł MNmnŃńŅņŇň ≠ =",
    "macroman": "Œ œ Ffƒ Ssß OoÒÓÔÕÖØòóôõöø ≠ =",
    "swe7": "EeÉé YyÜü",
}


def upper(c):
    t = c.upper()
    return t if len(t) == 1 else c


def base(c):
    while True:
        d = unicodedata.decomposition(c)
        if not d or d.startswith("<"):
            return c
        c = chr(int(d.split()[0], 16))


def place(c):
    """Where a group of equal characters stands: of its smallest member."""
    b = base(upper(c))
    return (ord(b), ord(c)) if ord(b) < 0x80 else (ord(upper(c)), ord(c))


def weights(name, table):
    chars = [chr(c) if c != NONE else chr(0xF700 + b) for b, c in enumerate(table)]

    def rule(c):
        if name in ASCII_CASE:
            return c.upper() if c < "\x80" else c
        return upper(base(upper(c))) if name in BASE else upper(c)

    group = {}
    for b, c in enumerate(chars):
        group.setdefault(("rule", rule(c)), set()).add(b)
    for i, letters in enumerate(GROUPS.get(name, "").split(" ")):
        members = {b for b, c in enumerate(chars) if c in letters}
        for g in group.values():
            g -= members
        if members:
            group[("group", i)] = members
    groups = [g for g in group.values() if g]
    groups.sort(key=lambda g: min(place(chars[b]) for b in g))
    out = [0] * 256
    for w, g in enumerate(groups):
        for b in g:
            out[b] = w
    assert out[0x20] == 0x20 and out.count(0x20) == 1, name
    return bytes(out)


def private(first_lead, last_lead, trails, start):
    codes = [(lead, trail) for lead in range(first_lead, last_lead + 1) for trail in trails]
    return {lead << 8 | trail: start + i for i, (lead, trail) in enumerate(codes)}


def decoded(code, codec_name):
    """The one character of a code; nothing where there is none. Without "strict" a codec gives the ASCII that it finds in it."""
    try:
        text = code.decode(codec_name, "strict")
    except UnicodeDecodeError:
        return ""
    return text if len(text) == 1 and ord(text) < 0x10000 else ""


KANJI = range(0xA1, 0xFF)
# Codes of two or three bytes that are characters of ASCII: the JIS standards have these signs in one width only.
ASCII_TWINS = {("sjis", 0x815F): 0x5C, ("ujis", 0xA1C0): 0x5C, ("jisx0212", 0xA2B7): 0x7E}
# Unicode's first table of Big5 had these as characters with two codes.
BIG5 = dict.fromkeys([0xA15A, 0xA1C3, 0xA1C5, 0xA1FE, 0xA240, 0xA2CC, 0xA2CE], 0xFFFD)
# Seven characters of ETEN's.
BIG5 |= at(0xF9D6, "碁銹裏墻恒粧嫺")
# Microsoft's reading of EUC-JP: full width signs, NEC's row 13, IBM's characters behind JIS X 0212.
MS = private(0xF5, 0xFE, KANJI, 0xE000) | {0xA1C1: 0xFF5E, 0xA1C2: 0x2225, 0xA1DD: 0xFF0D, 0xA1F1: 0xFFE0}
MS |= {0xA1F2: 0xFFE1, 0xA2CC: 0xFFE2}
NEC = [bytes([0x87, t]) for t in [*range(0x40, 0x7F), *range(0x80, 0x9F)]]
MS |= {0xADA1 + i: ord(c) for i, b in enumerate(NEC) if (c := decoded(b, "cp932"))}
TRAILS = [*range(0x40, 0x7F), *range(0x80, 0xFD)]
IBM = [decoded(bytes([lead, t]), "cp932") for lead in (0xFA, 0xFB, 0xFC) for t in TRAILS]
IN_0212 = {c for c in IBM if c and c != "№" and c.encode("euc_jp", "ignore")}
BEHIND = [c for c in IBM if c and c not in IN_0212 and c not in "￢￤∵"]
MS_0212 = private(0xF5, 0xFE, KANJI, 0xE3AC) | {0xA2B7: 0xFF5E, 0xA2C3: 0xFFE4}
MS_0212 |= {0xF3F3 + i if i < 12 else 0xF4A1 + i - 12: ord(c) for i, c in enumerate(BEHIND)}
# name: codec, lead bytes, trail bytes, prefix of the codes, differences.
DOUBLE = {
    "gbk": ("gbk", (0x81, 0xFE), (0x40, 0xFE), b"", {}),
    "gb2312": ("gb2312", (0xA1, 0xF7), (0xA1, 0xFE), b"", {}),
    # The edition of 2005, which newer versions of Python have as well.
    "gb18030": ("gb18030", (0x81, 0xFE), (0x40, 0xFE), b"", {0xA8BC: 0x1E3F}),
    "big5": ("big5", (0xA1, 0xF9), (0x40, 0xFE), b"", BIG5),
    "euckr": ("cp949", (0x81, 0xFE), (0x41, 0xFE), b"", {}),
    "sjis": ("shift_jis", (0x81, 0xFC), (0x40, 0xFC), b"", {0x815F: 0x5C}),
    "cp932": ("cp932", (0x81, 0xFC), (0x40, 0xFC), b"", {}),
    "ujis": ("euc_jp", (0xA1, 0xFE), (0xA1, 0xFE), b"", private(0xF5, 0xFE, KANJI, 0xE000) | {0xA1C0: 0x5C}),
    "eucjpms": ("euc_jp", (0xA1, 0xFE), (0xA1, 0xFE), b"", MS),
    "jisx0212ms": ("euc_jp", (0xA1, 0xFE), (0xA1, 0xFE), b"\x8f", MS_0212),
    "jisx0212": ("euc_jp", (0xA1, 0xFE), (0xA1, 0xFE), b"\x8f", private(0xF5, 0xFE, KANJI, 0xE3AC)),
}


def double(name, codec_name, leads, trails, prefix, changes):
    words = []
    for lead in range(leads[0], leads[1] + 1):
        for trail in range(trails[0], trails[1] + 1):
            text = decoded(prefix + bytes([lead, trail]), codec_name)
            word = changes.get(lead << 8 | trail, ord(text) if text else NONE)
            assert word >= 0x80 or ASCII_TWINS.get((name, lead << 8 | trail)) == word, (name, lead, trail)
            words.append(word)
    return bytes([*leads, *trails]) + struct.pack("<%dH" % len(words), *words)


def main():
    with open(DIR + "single.bin", "wb") as f, open(DIR + "order.bin", "wb") as g:
        for name, table in SINGLE.items():
            assert len(table) == 256, name
            f.write(struct.pack("<256H", *table))
            g.write(weights(name, table))
    for name, how in DOUBLE.items():
        with open(DIR + name + ".bin", "wb") as f:
            f.write(double(name, *how))


if __name__ == "__main__":
    main()
