"""What the benchmarks that run queries on several servers have in common: Weir and MariaDB started for them, a MySQL that runs already, processor
time of a server's process by its clock, and answers that compare.

The unit is processor time, least of the repeats: what else runs on the machine counts for less than in wall time.
"""
import hashlib
import math
import os
import re
import signal
import socket
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Server:
    def __init__(self, name, port, pid, process=None):
        self.name, self.port, self.pid, self.process = name, port, pid, process

    def client(self, *args, **options):
        command = ["mariadb", "--no-defaults", "--host=127.0.0.1", f"--port={self.port}", "--user=root",
                   "--local-infile=1", "--default-character-set=utf8mb4", "--batch",
                   "--skip-column-names", *args]
        return subprocess.run(command, capture_output=True, text=True, **options)

    def sql(self, text, database=""):
        r = self.client(database, "-e", text) if database else self.client("-e", text)
        if r.returncode != 0:
            sys.exit(f"{self.name}: {text[:200]}\n{r.stderr}")
        return r.stdout

    def wait(self):
        for _ in range(600):
            if self.process and self.process.poll() is not None:
                sys.exit(f"{self.name} ended while starting")
            if self.client("-e", "select 1").returncode == 0:
                return self
            time.sleep(0.1)
        sys.exit(f"{self.name} was not ready within a minute")

    def cpu(self):
        # The clock of the process (MAKE_PROCESS_CPUCLOCK of Linux): threads that have ended count, whose time a sum over /proc/PID/task loses.
        return time.clock_gettime((~int(self.pid) << 3) | 2)

    def run(self, query, database, limit):
        """Answer or none, seconds of processor time, and seconds."""
        before, begin = self.cpu(), time.monotonic()
        try:
            # The server ends the statement by itself: killing the client would leave it at work.
            r = self.client(database, "-e", self.limited(query, limit), timeout=limit * 3 + 10)
        except subprocess.TimeoutExpired:
            return None, math.inf, math.inf
        took = time.monotonic() - begin
        return (r.stdout if r.returncode == 0 else None), self.cpu() - before, took

    def limited(self, query, limit):
        if self.name == "mariadb":
            return f"set session max_statement_time = {limit}; {query}"
        return f"set session max_execution_time = {int(limit * 1000)}; {query}"

    def stop(self):
        if self.process:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait()


def rows(answer):
    """Rows in any order, with numbers to ten digits."""
    def cell(text):
        return f"{float(text):.10g}" if re.fullmatch(r"-?\d+\.\d+(e[+-]?\d+)?", text) else text.strip()
    return sorted("\t".join(cell(c) for c in line.split("\t")) for line in answer.splitlines())


def digest(answer):
    found = rows(answer)
    return f"{len(found)} {hashlib.sha256(chr(10).join(found).encode()).hexdigest()[:24]}"


def start(a, work):
    log = lambda name: open(os.path.join(work, name + ".log"), "w")
    servers, port = [], free_port()
    out = log("weir")
    process = subprocess.Popen([a.weir, "serve", f"--datadir={work}/weir", f"--port={port}", f"--innodb-buffer-pool-size={a.pool}",
                                "--innodb-flush-log-at-trx-commit=0"], stdout=out, stderr=out)
    servers.append(Server("weir", port, process.pid, process).wait())
    if not a.alone:
        data, port, out = os.path.join(work, "mariadb"), free_port(), log("mariadb")
        subprocess.run(["mariadb-install-db", "--no-defaults", f"--datadir={data}", "--auth-root-authentication-method=normal",
                        "--skip-test-db"], check=True, capture_output=True)
        user = ["--user=root"] if os.geteuid() == 0 else []
        process = subprocess.Popen(["mariadbd", "--no-defaults", f"--datadir={data}", f"--port={port}", "--bind-address=127.0.0.1",
                                    f"--socket={work}/m.sock", f"--innodb-buffer-pool-size={a.pool}", "--skip-log-bin",
                                    "--innodb-flush-log-at-trx-commit=0", "--local-infile=1", *user], stdout=out, stderr=out)
        servers.append(Server("mariadb", port, process.pid, process).wait())
    if a.mysql:
        port, _, pid = a.mysql.partition(":")
        servers.append(Server("mysql", int(port), pid or owner(int(port))).wait())
    return servers


def owner(port):
    """The process that listens on a port."""
    out = subprocess.run(["ss", "-ltnpH", f"sport = :{port}"], capture_output=True, text=True).stdout
    found = re.search(r"pid=(\d+)", out)
    return found.group(1) if found else sys.exit(f"nobody listens on port {port}, or its process cannot be seen: --mysql=PORT:PID")
