"""`killed.py DIR ACK`: what `killed work` of killed.c does, by the Python package."""
import os
import sys

import weirdb

directory, ack = sys.argv[1:]
out = os.open(ack, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
conn = weirdb.connect(directory)
cursor = conn.cursor()
cursor.execute("CREATE DATABASE IF NOT EXISTS k")
cursor.execute("USE k")
cursor.execute("CREATE TABLE IF NOT EXISTS pairs (id BIGINT, side INT, pad VARCHAR(400), PRIMARY KEY (id, side), KEY (pad))")
cursor.execute("SELECT COALESCE(MAX(id), 0) + 1 FROM pairs")
number = int(cursor.fetchone()[0])
conn.commit()
while True:
    for side in range(2):
        cursor.execute("INSERT INTO pairs VALUES (?, ?, REPEAT('x', ? % 400))", (number, side, number * 7919))
    conn.commit()
    os.write(out, b"x")
    number += 1
