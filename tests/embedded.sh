#!/usr/bin/env bash
# The library as a stranger has it: a crate outside of the workspace builds and runs with nothing of the server; a server opens the directory that it
# has made, and the program opens it behind the server again; the programs of the book's page run. WEIR: the server (default target/debug/weir).
set -euo pipefail
cd "$(dirname "$0")/.."
WEIR=$(readlink -f "${WEIR:-target/debug/weir}")
CARGO=${CARGO:-cargo}
WORK=$(mktemp -d)
pids=()
trap 'for p in "${pids[@]}"; do kill "$p" 2>/dev/null || true; done; rm -rf "$WORK"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }

# What the library links. The codecs of binary logs and of the protocol are parts of it (a replica's rows are written by the SQL layer), without I/O and
# without compression.
cargo tree -q -p weir --no-default-features -e normal --prefix none | awk '{ print $1 }' | sort -u >"$WORK/tree"
for other in rustls aws-lc-rs rcgen httparse clap signal-hook hdrhistogram zstd zstd-sys weir-login weir-server weir-replica weir-bench tikv-jemallocator; do
    ! grep -qx "$other" "$WORK/tree" || fail "the library links $other"
done
if grep -rn 'std::net\|os::unix::net' crates/weir/src --include=*.rs | grep -v '/cli/\|/serving.rs'; then fail "the library opens sockets"; fi

# In the workspace's own target folder, so that what is built already is used. Its lock file is the workspace's.
cp Cargo.lock tests/stranger/Cargo.lock
$CARGO build -q --manifest-path tests/stranger/Cargo.toml --target-dir target/stranger --offline
program=target/stranger/debug/stranger
"$program" "$WORK/data" >"$WORK/first"
printf '1 15.49\n2 25.00\n2000 rows more\n' | diff - "$WORK/first"

# A server on the same files.
port=$((20000 + RANDOM % 20000))
"$WEIR" serve --datadir="$WORK/data" --port=$port --socket="$WORK/s" >"$WORK/log" 2>&1 &
server=$!
pids+=("$server")
ask() { mariadb --no-defaults --host=127.0.0.1 --port=$port --user=root --skip-ssl -N -e "$1" shop; }
for _ in $(seq 100); do ask 'select 1' >/dev/null 2>&1 && break || sleep 0.1; done
[ "$(ask 'select count(*), sum(customer = 1) from orders')" = "2003	2" ] || fail "a server does not see the program's rows"
ask "insert into orders (customer, total) values (9, 1)"
# One process at a time, and the other is named.
if "$program" "$WORK/data" >/dev/null 2>"$WORK/refused"; then fail "two processes have one directory"; fi
grep -q "in use by another process (pid $server, weir)" "$WORK/refused" || fail "the server is not named: $(cat "$WORK/refused")"
kill "$server"
wait "$server" || fail "the server's end: $(tail -3 "$WORK/log")"
"$program" "$WORK/data" >"$WORK/second" || fail "the program behind the server"
printf '1 30.98\n2 50.00\n' | diff - <(head -2 "$WORK/second")
tail -1 "$WORK/second" | grep -qx '4001 rows more' || fail "the server's row is lost: $(tail -1 "$WORK/second")"
# The programs of docs/book/src/first-steps/program.md: that in Rust is compiled as one of the library's examples would be, those in C and Python run as they stand.
section() { awk -v lang="$1" '$0 == "```" lang { on = 1; next } /^```/ { on = 0 } on' docs/book/src/first-steps/program.md; }
section rust >"$WORK/page.rs"
deps=target/stranger/debug/deps
rustc --edition 2024 "$WORK/page.rs" -L dependency=$deps --extern weir="$(ls -t $deps/libweir-*.rlib | head -1)" -o "$WORK/page-rust"
mkdir "$WORK/page" && cd "$WORK/page"
[ "$("$WORK/page-rust")" = "1 9.99
2 25.00" ] || fail "the page's program in Rust"
cd - >/dev/null
if [ -e target/debug/libweir.so ]; then
    section c >"$WORK/page.c"
    section python >"$WORK/page.py"
    cc -Wall -Werror -I crates/capi/include "$WORK/page.c" -L target/debug -lweir -Wl,-rpath,"$PWD/target/debug" -o "$WORK/page-c"
    root=$PWD
    cd "$WORK/page"
    [ "$("$WORK/page-c")" = "1 from C" ] || fail "the page's program in C"
    [ "$(WEIRDB_LIBRARY=$root/target/debug/libweir.so PYTHONPATH=$root/bindings/python python3 -B "$WORK/page.py")" = 7 ] || fail "the page's program in Python"
    cd - >/dev/null
else
    echo "the page's programs in C and Python are not run: libweir is not built (tests/capi.sh builds it)"
fi
echo "the library outside of the workspace: passed"
