#!/usr/bin/env bash
# weir bench: runs by every path, a planted inconsistency, bad input, a server that dies and comes back, the page in a browser.
cd "$(dirname "$0")/../.."
. tests/blackbox/lib.sh
WEIR=$(realpath "$WEIR")
cd "$WORK"

# bench_ok NAME args...: must succeed; the output is in $WORK/NAME.
bench_ok() {
    local name=$1
    shift
    "$WEIR" bench "$@" >"$name" 2>&1 || fail "weir bench $*: exit $?, $(tail -n 20 "$name")"
}
# bench_fails CODE PATTERN args...
bench_fails() {
    local code=$1 want=$2 got=0
    shift 2
    "$WEIR" bench "$@" >refused 2>&1 || got=$?
    [ "$got" = "$code" ] || fail "weir bench $*: exit $got instead of $code: $(tail -n 5 refused)"
    grep -qi -- "$want" refused || fail "weir bench $*: $(tail -n 5 refused)"
}
# figure FILE EXPRESSION: a number of a result.
figure() { python3 -c "import json,sys; r=json.load(open(sys.argv[1])); print($2)" "$1"; }

# --- embedded, from nothing ---------------------------------------------------------------------------------
bench_ok embedded tpcc run --warehouses=1 --users=4 --warmup=1 --duration="${SECONDS_EACH:-5}" --out=embedded
grep -q "12\. C_BALANCE + C_YTD_PAYMENT.*OK" embedded || fail "no consistency check: $(cat embedded)"
[ -z "$(ls -d weir-bench-data-* 2>/dev/null)" ] || fail "the fresh data directory is still there"
bench_ok engine tpcc run --warehouses=1 --users=4 --path=engine --duration="${SECONDS_EACH:-5}" --out=engine
grep -q "12\. C_BALANCE + C_YTD_PAYMENT.*OK" engine || fail "no consistency check: $(cat engine)"
echo "embedded: $(figure embedded.json "round(r['value'])") TpmC by SQL, $(figure engine.json "round(r['value'])") by the engine's calls, load $(figure embedded.json "round(r['load']['rows']/r['load']['seconds'])") rows/s"
# Both paths leave the same rows behind: one user, the same seed, the same number of transactions, all but the dates.
for path in sql engine; do
    bench_ok "same-$path.txt" tpcc run --prepare --target="embedded:$WORK/data" --warehouses=1 --users=1 --seed=7 --path="$path" --max-requests=500 --check --out="same-$path"
    start_server
    sql tpcc -e "
        select sum(w_ytd) from warehouse; select d_id, d_ytd, d_next_o_id from district;
        select sum(c_balance), sum(c_ytd_payment), sum(c_payment_cnt), sum(c_delivery_cnt), sum(crc32(c_data)) from customer;
        select count(*), sum(h_amount), sum(h_c_id), sum(crc32(h_data)) from history;
        select count(*), sum(no_o_id) from new_orders; select count(*), sum(o_c_id), sum(o_carrier_id), sum(o_ol_cnt), sum(o_all_local) from orders;
        select count(*), count(ol_delivery_d), sum(ol_i_id), sum(ol_quantity), sum(ol_amount), sum(crc32(ol_dist_info)) from order_line;
        select sum(s_quantity), sum(s_ytd), sum(s_order_cnt), sum(s_remote_cnt) from stock;" >"rows-$path"
    stop_server
    rm -rf "$WORK/data"
done
diff rows-sql rows-engine || fail "the paths leave different rows"
[ "$(head -c 4 embedded.png | tail -c 3)" = PNG ] || fail "no picture: $(ls -la embedded.*)"
for path in sql engine; do
    bench_ok "oltp-$path" oltp run --table-size=10000 --users=2 --path="$path" --duration=2s --out="oltp-$path"
done
echo "oltp: $(figure oltp-sql.json "round(r['value'])") transactions/s by SQL, $(figure oltp-engine.json "round(r['value'])") by the engine's calls"
bench_ok compare compare embedded.json engine.json --out=both
grep -q "ratio" compare && [ -s both.html ] || fail "compare: $(cat compare)"

# --- over TCP, in all styles --------------------------------------------------------------------------------
start_server
url="mysql://root@127.0.0.1:$PORT"
bench_fails 1 "prepare" tpcc run --target="$url" --duration=1
bench_ok prepare tpcc prepare --target="$url" --warehouses=1
bench_fails 1 "has 1 warehouses" tpcc run --target="$url" --warehouses=2 --duration=1
for style in standard tpcc-mysql dbt2; do
    bench_ok "$style" tpcc run --target="$url" --users=4 --style="$style" --duration="${SECONDS_EACH:-5}" --out="$style"
    echo "TCP, $style: $(figure "$style.json" "round(r['value'])") $(figure "$style.json" "r['metric']"), generator $(figure "$style.json" "round(r['machine']['generator_cpu_pct'])")% of a processor"
done
# The transactions as stored procedures leave the same state behind: the conditions are checked below, over all runs.
bench_ok procedures tpcc run --target="$url" --users=4 --style=dbt2 --procedures --duration="${SECONDS_EACH:-5}" --out=procedures
echo "TCP, dbt2 by CALL: $(figure procedures.json "round(r['value'])") $(figure procedures.json "r['metric']")"
[ "$(figure procedures.json "round(r['value'])")" -gt 0 ] || fail "procedures: no New-Order"
grep -q "<Constraint Check>" tpcc-mysql && grep -q "NOTPM" dbt2 || fail "the styles' reports"
bench_ok check tpcc check --target="$url"
sql -e "update tpcc.customer set c_balance = c_balance + 1 where c_w_id = 1 and c_d_id = 3 and c_id = 7"
bench_fails 4 "10\. .*VIOLATED 1 times" tpcc check --target="$url"
grep -q "customer 7 of district 3 of warehouse 1" refused || fail "the violation's place: $(cat refused)"
bench_ok oltp oltp run --prepare --target="$url" --table-size=20000 --threads=4 --max-requests=2000 --out=oltp
grep -q "total number of events:              2000" oltp || fail "oltp: $(cat oltp)"
for mode in simple nontrx; do
    bench_ok "$mode" oltp run --target="$url" --mode="$mode" --threads=4 --max-requests=2000 --out="$mode"
done
bench_ok rate oltp run --target="$url" --mode=simple --threads=4 --rate=200 --duration=3 --dist=uniform --out=rate
rate=$(figure rate.json "round(r['transactions_per_second'])")
[ "$rate" -ge 150 ] && [ "$rate" -le 210 ] || fail "--rate=200 gave $rate/s"

# --- bad input ----------------------------------------------------------------------------------------------
bench_fails 1 "cannot reach" tpcc run --target=mysql://root@127.0.0.1:1 --duration=1
sql -e "create user bench@localhost identified by 'secret'; grant all on *.* to bench@localhost"
bench_fails 1 "Access denied" tpcc run --target="mysql://bench:wrong@127.0.0.1:$PORT" --duration=1
bench_ok password oltp run --target="mysql://bench:secret@127.0.0.1:$PORT" --mode=simple --max-requests=10 --out=password
bench_fails 1 "did you mean '--users'" tpcc run --usres=1
bench_fails 1 "has ids up to 20000" oltp run --target="$url" --table-size=50000

# --- Ctrl-C: a report of what was measured ------------------------------------------------------------------
"$WEIR" bench oltp run --target="$url" --threads=2 --duration=60 --out=interrupted >interrupted 2>&1 &
run=$!
sleep 3
kill -INT $run
code=0
wait $run || code=$?
[ $code = 3 ] && grep -q "PARTIAL RESULT: interrupted" interrupted || fail "interrupt: exit $code, $(cat interrupted)"

# --- the server dies and comes back -------------------------------------------------------------------------
"$WEIR" bench oltp run --target="$url" --threads=4 --duration=14 --out=outage >outage 2>&1 &
run=$!
sleep 3
kill_server
sleep 1
old=$PORT
: >"$WORK/log"
"$WEIR" serve --datadir="$WORK/data" --port="$old" >>"$WORK/log" 2>&1 &
SERVER=$!
wait $run || fail "a server that came back: $(cat outage)"
grep -q "Without connection from" outage || fail "the outage is not told: $(cat outage)"
last=$(figure outage.json "sum(r['intervals'][-3]['done'])")
first=$(figure outage.json "sum(r['intervals'][1]['done'])")
# Far slower than before would be plans made for tables that look empty.
[ $((last * 20)) -ge "$first" ] || fail "$last transactions/s after the server came back, $first before"
echo "killed and back: $(grep 'Without connection' outage)"
# Dead for good: the run ends in time, with what there is.
"$WEIR" bench oltp run --target="$url" --threads=4 --duration=6 --out=dead >dead 2>&1 &
run=$!
sleep 2
kill_server
code=0
wait $run || code=$?
[ $code = 3 ] && grep -q "PARTIAL RESULT: the server was gone" dead || fail "a server that stayed away: exit $code, $(cat dead)"

# --- a full disk --------------------------------------------------------------------------------------------
if [ "$(id -u)" = 0 ] && mkdir full && mount -t tmpfs -o size=400m tmpfs full 2>/dev/null; then
    got=0
    "$WEIR" bench tpcc run --prepare --target=embedded:full/data --warehouses=4 --users=2 --duration=5 --set innodb-redo-log-capacity=32M --out=full-disk >full-disk 2>&1 || got=$?
    umount full
    [ $got != 0 ] || fail "a full disk was not noticed"
    grep -qi "space\|full" full-disk || fail "a full disk: $(tail -n 5 full-disk)"
    echo "full disk: $(tail -n 1 full-disk)"
else
    echo "skipped: a full disk (no right to mount a small file system)"
fi

# --- published measurements on a computed machine -----------------------------------------------------------
# reproduce_fails CODE PATTERN args...
reproduce_fails() {
    local code=$1 want=$2 got=0
    shift 2
    "$WEIR" reproduce "$@" >refused 2>&1 || got=$?
    [ "$got" = "$code" ] || fail "weir reproduce $*: exit $got instead of $code: $(tail -n 5 refused)"
    grep -qi -- "$want" refused || fail "weir reproduce $*: $(tail -n 5 refused)"
}
"$WEIR" reproduce list >list || fail "weir reproduce list"
grep -q "raid5-2009" list && grep -q "commit-1" list || fail "the list: $(cat list)"
"$WEIR" reproduce sysbench-commit --run=commit-0 --run=commit-1 --doc=page/reproduction.md >reproduced 2>&1 || fail "weir reproduce: $(tail -n 5 reproduced)"
grep -q "A sync for each commit is 76 times slower | put in" reproduced || fail "not reproduced: $(cat reproduced)"
grep -q "not decidable" reproduced || fail "a run that was not made is judged: $(cat reproduced)"
[ -s page/reproduction.md ] && [ -s page/reproduction/sysbench-commit-1.svg ] || fail "no page: $(ls -R page)"
# What is done is kept: the second time nothing is run, and the page is the same.
"$WEIR" reproduce sysbench-commit --run=commit-0 --run=commit-1 --doc=again/reproduction.md >again.txt 2>&1 || fail "weir reproduce again"
grep -q "2 of 2 runs are kept" again.txt && cmp page/reproduction.md again/reproduction.md || fail "the kept runs: $(head -n 3 again.txt)"
reproduce_fails 1 "no experiment 'nothing'; there are tpcc-disk-bound" nothing
reproduce_fails 1 "sim or real" all --world=moon
reproduce_fails 1 "there is no machine 'abacus'" all --machine=abacus
reproduce_fails 1 "no run 'v4-7'" all --run=v4-7
reproduce_fails 3 "innodb-io-capacity" sysbench-commit --run=commit-0 --set innodb_io_capacitty=7
reproduce_fails 1 "dir=/proc/nowhere" sysbench-commit --run=commit-0 --world=real --dir=/proc/nowhere
reproduce_fails 3 "MiB free" sysbench-commit --run=commit-0 --world=real --dir=/proc
reproduce_fails 1 "choose one of them" sysbench-commit --world=real --machine=nvme
# Interrupted: it says so, and keeps what is done.
"$WEIR" reproduce tpcc-in-memory --out=cut >cut.txt 2>&1 & cut=$!
sleep 2
kill -INT "$cut"
got=0
wait "$cut" || got=$?
[ "$got" = 3 ] && grep -q "the same command goes on" cut.txt || fail "interrupted: exit $got, $(tail -n 3 cut.txt)"
echo "weir reproduce: figures, kept runs, bad input, an interruption"

# --- the page in a browser ----------------------------------------------------------------------------------
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [ -z "$browser" ]; then
    echo "skipped: the page in a browser (no chromium)"
    exit 0
fi
for page in embedded both; do
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$WORK/chromium" \
        --enable-logging=stderr --virtual-time-budget=3000 --dump-dom "file://$WORK/$page.html" >"$page.dom" 2>"$page.console" \
        || fail "chromium: $(tail -n 5 "$page.console")"
    charts=$(grep -o '<div class="chart"' "$page.dom" | wc -l)
    drawn=$(grep -o 'data-charts="[0-9]*"' "$page.dom" | grep -o '[0-9]*' | head -n 1)
    [ "$charts" -ge 5 ] && [ "$drawn" = "$charts" ] || fail "$page.html: $drawn of $charts charts drawn"
    [ "$(grep -o '<canvas' "$page.dom" | wc -l)" = "$charts" ] || fail "$page.html: charts without a canvas"
    # Errors of the page, and requests: the page's policy forbids them and would complain here.
    ! grep "CONSOLE" "$page.console" || fail "$page.html writes to the console"
done
timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$WORK/chromium" --hide-scrollbars \
    --virtual-time-budget=3000 --window-size=1200,2600 --screenshot="$WORK/page.png" "file://$WORK/embedded.html" >/dev/null 2>&1
[ "$(stat -c %s page.png 2>/dev/null || echo 0)" -gt 20000 ] || fail "no screenshot"
[ -z "${KEEP_SCREENSHOT:-}" ] || cp page.png "$KEEP_SCREENSHOT"
# What the buttons save, without leaving the page.
sed 's/a\.click();/document.documentElement.dataset.saved = (document.documentElement.dataset.saved || "") + name + ":" + url.length + " ";/' embedded.html >saves.html
echo '<script>document.querySelectorAll("[data-save]").forEach((b) => b.click());</script>' >>saves.html
timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$WORK/chromium" \
    --virtual-time-budget=3000 --dump-dom "file://$WORK/saves.html" 2>/dev/null | grep -o 'data-saved="[^"]*"' >saved || true
grep -Eq 'throughput.png:[0-9]{4,} throughput.svg:[0-9]{4,} ' saved || fail "the buttons save '$(cat saved)'"
echo "the page: all charts drawn, nothing on the console"
