#!/usr/bin/env python3
"""Measures the languages' orders of sets of one byte for each character from a running server of MySQL's family, whose tables are MySQL's:
the weight of each byte, as WEIGHT_STRING() tells it. Writes crates/engine/src/row/collation/languages.bin.

    tools/measure_orders.py --host=127.0.0.1 --port=3307 --user=root      # arguments of the mariadb client
"""
import subprocess
import sys

COLLATIONS = [
    "latin2_hungarian_ci", "latin2_croatian_ci", "cp1250_croatian_ci", "cp1250_polish_ci", "cp1251_bulgarian_ci",
    "cp1251_ukrainian_ci", "cp1251_general_cs", "cp1257_lithuanian_ci", "latin7_estonian_cs", "latin7_general_cs",
]


def weights(collation):
    charset = collation.split("_")[0]
    ask = "select hex(weight_string(_%s x'%02X' collate %s));"
    text = "\n".join(ask % (charset, byte, collation) for byte in range(256))
    run = subprocess.run(["mariadb", "-N", "-B", *sys.argv[1:]], input=text, capture_output=True, text=True, check=True)
    found = bytes(int(line, 16) for line in run.stdout.split())
    assert len(found) == 256, collation
    return found


with open("crates/engine/src/row/collation/languages.bin", "wb") as out:
    out.write(b"".join(weights(c) for c in COLLATIONS))
