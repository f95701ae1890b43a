#!/usr/bin/env python3
"""Generates what languages change in the weights of UCA 9.0.0: crates/engine/src/row/collation/uca/900languages.bin and
900zh.bin.

    python3 tools/gen_uca_languages.py measured-languages.tsv crates/engine/src/row/collation/uca

The rules are those of CLDR 30 (Unicode's data, see NOTICE) as MySQL reads them; what it makes of them was measured with
MySQL 8.0.33's own library of collations, which its clients and its server share. The input has lines of a language, characters, and weights,
with tabs between them:

- `da <tab> E6 <tab> weights`: what is HEX(WEIGHT_STRING('æ' COLLATE utf8mb4_da_0900_as_cs)), levels with 0000 between them, for
  each character whose weights are not those of utf8mb4_0900_as_cs. Left out are the characters that weigh what the language's order of
  scripts makes of their weights (`language.rs`), the kanji of JIS X 0208, and Danish characters that differ by the case only;
- `hu <tab> 63+73 <tab> weights`: the same of characters that weigh as one where they stand together;
- `ja <tab> 304B|30FC <tab> weights`: of the second character where it stands behind the first;
- `zh <tab> order <tab> characters`: the ideographs in the order of pinyin, each of which weighs one more than the one before.

Japanese was measured in utf8mb4_ja_0900_as_cs_ks, which has a fourth level.

900languages.bin, little-endian 16-bit words: for each of LANGUAGES where its characters begin and how many there are, the same of its
sequences, and of its pairs with a context; these tables, in order; the lists. A character is its low and its high half and its list; a sequence is its length,
four characters and its list; a pair is its characters and its list. A list begins with the numbers of weights of each level, four bits each, the first
level lowest. Places are counted from the beginning of the file. 900zh.bin is the order of pinyin in UTF-16.
"""
import struct
import sys

# As in language.rs. Galician is as Spanish, Bokmål as Nynorsk, Serbian and Bosnian as Croatian.
LANGUAGES = ["de_pb", "is", "lv", "ro", "sl", "pl", "et", "es", "sv", "tr", "cs", "da", "lt", "sk", "es_trad", "la", "eo", "hu", "hr", "vi", "nn", "ja", "zh"]
PLACE_ZH = 0x1C47


def split(text):
    levels = [[]]
    for i in range(0, len(text), 4):
        weight = int(text[i : i + 4], 16)
        if weight == 0 and len(levels) < 4:
            levels.append([])
        else:
            levels[-1].append(weight)
    return tuple(tuple(level) for level in levels + [[]] * (4 - len(levels)))


def read(lines):
    found = {name: ([], [], []) for name in LANGUAGES}
    order = []
    for line in lines:
        language, chars, weights = line.rstrip("\n").split("\t")
        if chars == "order":
            order = [int(c, 16) for c in weights.split("+")]
            continue
        kind = 2 if "|" in chars else 1 if "+" in chars else 0
        sequence = tuple(int(c, 16) for c in chars.replace("|", "+").split("+"))
        found[language][kind].append((sequence, split(weights)))
    places = {c: ((PLACE_ZH + i,), (0x20,), (2,), ()) for i, c in enumerate(order)}
    zh = found["zh"]
    zh[0][:] = [(s, w) for s, w in zh[0] if places.get(s[0]) != w]
    return found, order


def pack(found):
    lists, places = [], {}

    def place(levels):
        assert all(len(level) < 16 for level in levels)
        words = [sum(len(level) << 4 * i for i, level in enumerate(levels)), *(w for level in levels for w in level)]
        if levels not in places:
            places[levels] = len(lists)
            lists.extend(words)
        return places[levels]

    entries, head = [], []
    for name in LANGUAGES:
        tables = [sorted(t) for t in found[name]]
        made = [[], [], []]
        for (c,), levels in tables[0]:
            made[0] += [c & 0xFFFF, c >> 16, place(levels)]
        for sequence, levels in tables[1]:
            made[1] += [len(sequence), *sequence, *[0] * (4 - len(sequence)), place(levels)]
        for (before, c), levels in tables[2]:
            made[2] += [before, c, place(levels)]
        for table, words in zip(tables, made):
            head += [len(entries), len(table)]
            entries += words
    # Places in the lists come last, so that they are known once all else has its place.
    start, end = len(head), len(head) + len(entries)
    for name, spans in zip(LANGUAGES, zip(*[iter(zip(head[::2], head[1::2]))] * 3)):
        for (begin, n), stride in zip(spans, [3, 6, 3]):
            for i in range(n):
                entries[begin + i * stride + stride - 1] += end
    head = [h + start if i % 2 == 0 else h for i, h in enumerate(head)]
    words = head + entries + lists
    assert max(words) < 0x10000 and end + len(lists) < 0x10000, (end, len(lists))
    return words


def main():
    source, target = sys.argv[1:]
    with open(source, encoding="ascii") as f:
        found, order = read(f)
    words = pack(found)
    with open(f"{target}/900languages.bin", "wb") as f:
        f.write(struct.pack("<%dH" % len(words), *words))
    with open(f"{target}/900zh.bin", "wb") as f:
        f.write("".join(map(chr, order)).encode("utf-16-le"))


if __name__ == "__main__":
    main()
