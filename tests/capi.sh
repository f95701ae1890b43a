#!/usr/bin/env bash
# The library for C: what it exports is what the header says; a program in C is compiled with the address sanitizer, where the compiler has
# it, and run: values, errors, bad input, streams, threads, interrupts, a fork, a full disk; the example of the header is compiled by pkg-config.
set -euo pipefail
cd "$(dirname "$0")/.."
TARGET=${CARGO_TARGET_DIR:-target}/debug
WORK=$(mktemp -d)
mounted=
cleanup() { [ -z "$mounted" ] || umount "$mounted" 2>/dev/null || true; rm -rf "$WORK"; }
trap cleanup EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }

# WEIR_LIBRARY_OF=--workspace: with the features that other programs of the workspace want, where those are built already.
${CARGO:-cargo} build -q ${WEIR_LIBRARY_OF:--p weir-capi}
HEADER=crates/capi/include/weir.h
grep -oE '\bweir_[a-z0-9_]+\(' "$HEADER" | grep -v '^weir_\(open\|connect\|exec\|prepare\|step\)($' | tr -d '(' | sort -u >"$WORK/declared"
printf '%s\n' weir_open weir_connect weir_exec weir_prepare weir_step >>"$WORK/declared"
sort -u -o "$WORK/declared" "$WORK/declared"
nm -D --defined-only "$TARGET/libweir.so" | awk '$2 == "T" && $3 ~ /^weir_/ { print $3 }' | sort -u >"$WORK/exported"
diff "$WORK/declared" "$WORK/exported" || fail "the header (<) and the library (>) have other functions"

# Installed as a package would, and found by pkg-config.
mkdir -p "$WORK/usr/lib/pkgconfig" "$WORK/usr/include"
cp "$TARGET/libweir.so" "$TARGET/libweir.a" "$WORK/usr/lib"
cp "$HEADER" "$WORK/usr/include"
sed -e "s|@PREFIX@|$WORK/usr|" -e "s|@VERSION@|$(grep -m1 '^version' Cargo.toml | cut -d'"' -f2)|" crates/capi/weir.pc.in >"$WORK/usr/lib/pkgconfig/weir.pc"
flags="-I$WORK/usr/include -L$WORK/usr/lib -lweir"
if command -v pkg-config >/dev/null; then
    flags=$(PKG_CONFIG_PATH="$WORK/usr/lib/pkgconfig" pkg-config --cflags --libs weir)
fi
sanitize="-fsanitize=address,undefined"
echo 'int main(void) { return 0; }' >"$WORK/empty.c"
cc $sanitize "$WORK/empty.c" -o "$WORK/empty" 2>/dev/null && "$WORK/empty" || { sanitize=""; echo "without sanitizers: the compiler has none"; }
cc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -g $sanitize tests/capi/test.c $flags -Wl,-rpath,"$WORK/usr/lib" -lpthread -o "$WORK/test"
# The header is one of C++, too.
if command -v c++ >/dev/null; then c++ -x c++ -fsyntax-only -Wall -Werror "$HEADER"; fi
# The static library alone makes a program.
cc -std=c11 -D_GNU_SOURCE -Wall -g tests/capi/test.c -I"$WORK/usr/include" "$WORK/usr/lib/libweir.a" -lpthread -ldl -lm -o "$WORK/static"

# Leaks are those that a process leaves: what the engine keeps for its life is not one.
export ASAN_OPTIONS=detect_leaks=1
timeout 120 "$WORK/test" all "$WORK/data"
timeout 120 "$WORK/static" all "$WORK/data-static"
# VALGRIND=1: lost memory and bytes that nobody has written, too, which takes minutes. What is kept for the life of the process (time zones, tables of names) is not
# lost, and a forked child keeps what is its parent's.
if [ -n "${VALGRIND:-}" ]; then
    WITHOUT_URING=1 timeout 900 valgrind -q --fair-sched=yes --child-silent-after-fork=yes --leak-check=full --show-leak-kinds=definite,indirect \
        --errors-for-leak-kinds=definite,indirect --error-exitcode=9 "$WORK/static" all "$WORK/data-valgrind"
fi
mkdir "$WORK/small"
if mount -t tmpfs -o size=80m tmpfs "$WORK/small" 2>/dev/null; then
    mounted=$WORK/small
    timeout 120 "$WORK/test" full "$WORK/small/data"
else
    echo "a full disk is not tried: no right to mount one"
fi
echo "the C interface: passed"
