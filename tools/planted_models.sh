#!/usr/bin/env bash
# Which bugs on purpose (weir_engine::planted) the models of concurrency find: the second table of docs/planted-bugs.md.
# usage: tools/planted_models.sh [NAME ...]       default: those of the parts that have a model
set -euo pipefail
cd "$(dirname "$0")/.."
names=("$@")
[ ${#names[@]} -gt 0 ] || names=(
    hole-published durable-too-far commit-not-woken
    checkpoint-past-inflight checkpoint-reads-age-first age-at-end-of-group page-sync-forgotten
    dirty-lost-at-completion pinned-page-evicted evicted-while-written created-during-read load-not-woken latch-not-woken
    waiters-overtaken only-first-waiter-granted deadlock-of-three-missed
    view-not-registered view-stale-after-commit
    image-taken-twice unsynced-forgotten posted-leaves-first held-forgotten)
build=(cargo test --target-dir target/shuttle -p weir-engine --features planted --lib)
export RUSTFLAGS="--cfg shuttle"
"${build[@]}" --no-run 2>/dev/null
echo "| bug | found by | seconds |"
echo "|---|---|---|"
for name in "${names[@]}"; do
    begun=$(date +%s%N)
    out=$(RUST_BACKTRACE=0 WEIR_PLANT=$name "${build[@]}" model 2>/dev/null || true)
    took=$(((($(date +%s%N) - begun) + 50000000) / 100000000))
    found=$(grep -oE '^test .*model::[a-z_]+ \.\.\. FAILED' <<<"$out" | sed -E 's/.*model::([a-z_]+) .*/\1/' | tr '_' ' ' | paste -sd ';' || true)
    echo "| $name | ${found:-**not found**} | $((took / 10)).$((took % 10)) |"
done
