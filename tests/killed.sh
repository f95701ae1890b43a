#!/usr/bin/env bash
# Programs in Rust, C and Python that have a database inside them are killed (kill -9) at random moments, their openings and recoveries included. After
# each: what was acknowledged is there, and every transaction as a whole or not at all. ROUNDS: how many times each (default 5); SEED: of the moments.
# Needs what tests/embedded.sh and tests/weirdb.sh build.
set -euo pipefail
cd "$(dirname "$0")/.."
TARGET=$(readlink -f "${CARGO_TARGET_DIR:-target}")
LIB=${LIB:-$TARGET/debug} ROUNDS=${ROUNDS:-5} SEED=${SEED:-$$}
export WEIRDB_LIBRARY=$LIB/libweir.so PYTHONPATH=bindings/python PYTHONDONTWRITEBYTECODE=1 RUST_MIN_STACK=8388608
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
fail() { echo "FAILED (SEED=$SEED): $*" >&2; exit 1; }

[ -e "$LIB/libweir.so" ] || fail "there is no $LIB/libweir.so: cargo build -p weir-capi"
cc -std=c11 -D_GNU_SOURCE -O1 -Wall -Wextra -Werror -I crates/capi/include tests/killed/killed.c -L "$LIB" -lweir -Wl,-rpath,"$LIB" -o "$WORK/killed"
declare -A program=([c]="$WORK/killed work" [python]="python3 tests/killed/killed.py")
rust=$TARGET/stranger/debug/killed
if [ -x "$rust" ]; then program[rust]=$rust; else echo "without the program in Rust: tests/embedded.sh builds it"; fi
RANDOM=$SEED
for language in "${!program[@]}"; do
    dir=$WORK/$language.data ack=$WORK/$language.ack unacknowledged=0
    : >"$ack"
    for round in $(seq "$ROUNDS"); do
        ${program[$language]} "$dir" "$ack" >"$WORK/out" 2>&1 &
        pid=$!
        # From the first millisecond, in which the directory is made, to a second of commits.
        sleep "$(printf '0.%03d' $((RANDOM % 1000)))"
        kill -9 $pid 2>/dev/null || fail "$language has ended by itself in round $round: $(cat "$WORK/out")"
        wait $pid 2>/dev/null || true
        # Every third time the next one recovers, and is killed in that.
        if [ $((round % 3)) -ne 0 ] || [ "$round" -eq "$ROUNDS" ]; then
            told=$("$WORK/killed" check "$dir" "$ack" 2>&1) || fail "$language, round $round: $told"
            unacknowledged=$((unacknowledged + $(echo "${told:-0 0}" | cut -d' ' -f2)))
        fi
    done
    echo "$language: killed $ROUNDS times, $(wc -c <"$ack") pairs there, $unacknowledged of them committed and not acknowledged"
done
echo "killed programs: passed"
