"""One storm for tests/storm.sh: PORT CONNECTIONS STORM. All connections are open at the same moment. Prints how many commits were
acknowledged, how many had no answer that was waited for, and how many connections ended in each way."""
import asyncio
import collections
import random
import socket
import struct
import sys

PORT, CONNECTIONS, STORM = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
ENDS = ["quit", "close", "reset", "half", "transaction", "before_login", "waiting"]
draw = random.Random(STORM)
acknowledged = 0
unknown = 0
ended = collections.Counter()


async def packet(reader):
    head = await reader.readexactly(4)
    return await reader.readexactly(int.from_bytes(head[:3], "little"))


def send(writer, body, sequence=0):
    writer.write(len(body).to_bytes(3, "little") + bytes([sequence]) + body)


async def query(reader, writer, text):
    """The first packet of the answer; the rest of a result set is read and dropped."""
    send(writer, b"\x03" + text.encode())
    await writer.drain()
    first = await packet(reader)
    if first[0] in (0x00, 0xFF):
        return first
    ends = 0
    while ends < 2:
        body = await packet(reader)
        if body[0] == 0xFE and len(body) < 9:
            ends += 1
        elif body[0] == 0xFF:
            break
    return first


async def log_in(reader, writer):
    await packet(reader)
    # LONG_PASSWORD, LONG_FLAG, CONNECT_WITH_DB, PROTOCOL_41, TRANSACTIONS, SECURE_CONNECTION, PLUGIN_AUTH
    flags = 0x1 | 0x4 | 0x8 | 0x200 | 0x2000 | 0x8000 | 0x80000
    body = struct.pack("<IIB23x", flags, 1 << 24, 45) + b"root\0" + b"\0" + b"s\0" + b"caching_sha2_password\0"
    send(writer, body, 1)
    await writer.drain()
    answer = await packet(reader)
    if answer[0] == 0x01:
        answer = await packet(reader)
    if answer[0] != 0x00:
        raise RuntimeError(f"login: {answer!r}")


def reset(writer):
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


async def client(number, all_here):
    global acknowledged, unknown
    how = draw.choice(ENDS)
    reader, writer = await asyncio.open_connection("127.0.0.1", PORT)
    if how == "before_login":
        await all_here.wait()
        reset(writer)
        ended[how] += 1
        return
    await log_in(reader, writer)
    all_here.arrived()
    await all_here.wait()
    answer = await query(reader, writer, f"insert into ledger (storm, client) values ({STORM}, {number})")
    if answer[0] == 0x00:
        acknowledged += 1
    else:
        raise RuntimeError(f"insert: {answer!r}")
    await query(reader, writer, "select count(*) from hot")
    if how == "quit":
        send(writer, b"\x01")
        await writer.drain()
        writer.close()
    elif how == "close":
        writer.close()
    elif how == "reset":
        unknown += 1
        send(writer, b"\x03" + f"insert into ledger (storm, client) values ({STORM}, {number + CONNECTIONS})".encode())
        await writer.drain()
        reset(writer)
    elif how == "half":
        writer.write((1000).to_bytes(3, "little") + b"\0\x03select 1")
        await writer.drain()
        writer.close()
    else:
        # A transaction that is never committed. Those that wait queue for one row, and vanish while they wait.
        await query(reader, writer, "set innodb_lock_wait_timeout = 50")
        await query(reader, writer, "begin")
        await query(reader, writer, f"insert into ledger (storm, client) values ({STORM}, {number + 2 * CONNECTIONS})")
        if how == "waiting":
            send(writer, b"\x03update hot set n = n + 1 where id = 1")
            await writer.drain()
            await asyncio.sleep(draw.random() * 2)
        reset(writer)
    ended[how] += 1


class Meeting:
    """Opens when everybody has logged in, or gives up on those who could not."""

    def __init__(self):
        self.open = asyncio.Event()
        self.count = 0

    def arrived(self):
        self.count += 1

    async def wait(self):
        await self.open.wait()


async def main():
    meeting = Meeting()
    clients = []
    for number in range(CONNECTIONS):
        clients.append(asyncio.create_task(client(number, meeting)))
        if number % 50 == 0:
            await asyncio.sleep(0)
    before_login = 0
    for _ in range(1200):
        failed = [c for c in clients if c.done() and c.exception()]
        if failed:
            raise failed[0].exception()
        if meeting.count >= CONNECTIONS * 0.8 and meeting.count == before_login:
            break
        before_login = meeting.count
        await asyncio.sleep(0.5)
    meeting.open.set()
    await asyncio.gather(*clients)
    ends = " ".join(f"{how}={ended[how]}" for how in ENDS)
    print(f"{acknowledged} {unknown} logged_in={meeting.count} {ends}")


asyncio.run(main())
