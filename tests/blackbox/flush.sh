#!/usr/bin/env bash
# Flush control: published configurations as they stand, policies that change under load, the dirty limit held on a slow
# device, the matrices of bench/flush for a few seconds.
cd "$(dirname "$0")/../.."
. tests/blackbox/lib.sh
WEIR=$(realpath "$WEIR")
REPO=$PWD
cd "$WORK"

figure() { python3 -c "import json,sys; r=json.load(open(sys.argv[1])); print($2)" "$1"; }

# --- a configuration of 2009, pasted ------------------------------------------------------------------------
cat >v4.cnf <<'END'
innodb_buffer_pool_size=64M
innodb_log_file_size=32M
innodb_flush_log_at_trx_commit=2
innodb_flush_method=O_DIRECT
innodb_io_capacity=1000
innodb_read_io_threads=4
innodb_write_io_threads=4
innodb_max_dirty_pages_pct=20 or 80
innodb_ibuf_max_pct_of_buffer=10
innodb_doublewrite=0
innodb_ibuf_flush_pct=40
skip_innodb_ibuf_reads_sync
innodb_check_max_dirty_foreground
innodb_adaptive_checkpoint
innodb_thread_concurrency=0
innodb_file_per_table
allow_view_trigger_sp_subquery
END
start_server --defaults-file="$WORK/v4.cnf" --weir-profile=v4-5037
have=$(sql -e "select concat_ws(' ', @@weir_flush_policy, @@innodb_io_capacity, @@innodb_max_dirty_pages_pct, @@innodb_doublewrite)")
[ "$have" = "google-v4 1000 20.000000 0" ] || fail "the pasted configuration gives '$have'"
sql -e "set global innodb_random_read_ahead = on; show warnings" | grep -q "no effect" || fail "an option without effect is not told"
sql -e "set global innodb_ibuf_flush_pct = 30; show warnings" | grep -q "no effect" && fail "an option of the policy in charge is told to have no effect"
sql -e "set global weir_flush_policy = 'nonsense'" 2>refused && fail "a policy that is not there was accepted"
grep -q "1231" refused || fail "$(cat refused)"

# --- every policy takes over under load ---------------------------------------------------------------------
sql -e "create database f; create table f.t (id int primary key auto_increment, pad varchar(200))"
( while [ ! -e done ]; do sql f -e "insert into t (pad) select repeat(char(97 + rand() * 20), 200) from information_schema.columns limit 500; delete from t order by id limit 100"; done ) 2>load.err &
load=$!
for policy in stock-5.0 google-v4 mysql-5.4 xtradb-none xtradb-reflex xtradb-estimate xtradb-keep-average plugin-1.0.4 mysql-5.5 mysql-8.0 mariadb-10.6 weir; do
    sql -e "set global weir_flush_policy = '$policy'"
    for try in $(seq 1 100); do
        # A batch of the one before may have to end first. The status of a published build has that build's lines, and no policy's name.
        case "$(sql -e "show engine innodb status\G") $(sql -e "select concat('Policy ', policy, '.') from information_schema.weir_flush_history order by ended desc limit 1")" in
        *"Policy $policy"*) break ;;
        esac
        [ "$try" -lt 100 ] || fail "$policy is not in charge after ten seconds"
        sleep 0.1
    done
    sleep 0.3
done
sleep 1
touch done
wait $load
[ ! -s load.err ] || fail "under changing policies: $(head -n 3 load.err)"
[ "$(sql -e "check table f.t" | awk '{print $NF}')" = OK ] || fail "the table is damaged: $(sql -e "check table f.t")"
rows=$(sql -e "select count(*) from information_schema.weir_flush_history where pages_written >= 0")
[ "$rows" -ge 4 ] || fail "information_schema.weir_flush_history has $rows rows"
stop_server

# --- a killed server leaves its flight recorder -------------------------------------------------------------
start_server
sleep 12
kill_server
start_server
sleep 2
have=$(sql -e "select concat_ws(' ', max(run), sum(run = 2 and seconds = 1) >= 8) from information_schema.weir_flush_history")
[ "$have" = "3 1" ] || fail "after the kill the flight recorder shows '$have': $(sql -e "select run, seconds, count(*) from information_schema.weir_flush_history group by 1, 2")"
[ "$(sql -e "select @@weir_pressure <= 1000")" = 1 ] || fail "pressure: $(sql -e "select @@weir_pressure")"
sql -e "set global weir_write_budget = 5; set global weir_write_budget_daily = 1"
sql -e "set global weir_flight_recorder = OFF"
stop_server

# --- who waits for whom -------------------------------------------------------------------------------------
start_server
sql -e "insert into f.t (id, pad) values (1000000, 'x')"
mkfifo holder.in
mariadb --host=127.0.0.1 --port="$PORT" --user=root --unbuffered --skip-column-names <holder.in >holder.out 2>&1 &
exec 7>holder.in
echo "begin; update f.t set pad = 'y' where id = 1000000; select connection_id();" >&7
for _ in $(seq 1 100); do [ -s holder.out ] && break; sleep 0.05; done
holder=$(cat holder.out)
( sql -e "update f.t set pad = 'z' where id = 1000000" ) &
waiter=$!
sleep 5
have=$(sql -e "select concat_ws('|', cause, object, blocker, statement, ended is null) from information_schema.weir_stalls")
want="row lock|f.t.PRIMARY|$holder|update f.t set pad = 'z' where id = 1000000|1"
[ "$have" = "$want" ] || fail "in the stall weir_stalls has '$have', not '$want'"
[ "$(sql -e "select count(*) from information_schema.weir_waits where under_way = 'YES' and blocker = $holder")" = 1 ] || fail "weir_waits: $(sql -e "select * from information_schema.weir_waits")"
echo "commit;" >&7
exec 7>&-
wait $waiter
have=$(sql -e "select cause from information_schema.weir_stall_report where ended > now() - interval 10 second and object = 'f.t.PRIMARY' and blocker = $holder group by cause having sum(session_seconds) > 3")
[ "$have" = "row lock" ] || fail "the report says '$have'"
[ "$(grep -c 'nothing has been committed' "$WORK/log")" = 1 ] || fail "told $(grep -c 'nothing has been committed' "$WORK/log") times"
stop_server

# --- the dirty limit on a slow device -----------------------------------------------------------------------
"$WEIR" bench tpcc run --warehouses=1 --users=8 --warmup=5 --duration=10 --no-live --set innodb_buffer_pool_size=32M \
    --set innodb_flush_log_at_trx_commit=2 --set innodb_doublewrite=OFF --set weir_throttle_iops=2000 \
    --set innodb_max_dirty_pages_pct=20 --out=limit >limit.txt 2>&1 || fail "$(tail -n 5 limit.txt)"
worst=$(figure limit.json "max(i['server']['dirty_pct'] for i in r['intervals'] if i['server'])")
python3 -c "import sys; sys.exit(float('$worst') > 21.0)" || fail "a dirty share of $worst % with the limit at 20"
echo "dirty limit 20 %: at most $worst %, $(figure limit.json "round(r['value'])") TpmC on a device of 2,000 requests a second"

# --- the matrices -------------------------------------------------------------------------------------------
for name in disk-bound in-memory; do
    sed -e 's/duration = "[^"]*"/duration = "2s"/; s/warmup = "[^"]*"/warmup = "1s"/; s/warehouses = [0-9]*/warehouses = 1/' \
        -e 's/"4G"/"256M"/; s/"8G"/"1G"/' "$REPO/bench/flush/$name.toml" >"$name.toml"
    # Ctrl-C ends it with what was measured: after the first run, however long that takes on a busy machine.
    "$WEIR" bench matrix "$name.toml" >"$name.txt" 2>&1 &
    matrix=$!
    for _ in $(seq 240); do
        if grep -q "TpmC$" "$name.txt" || ! kill -0 "$matrix" 2>/dev/null; then break; fi
        sleep 0.5
    done
    kill -INT "$matrix" 2>/dev/null || true
    wait "$matrix" || true
    runs=$(grep -c "TpmC$" "$name.txt" || true)
    [ "$runs" -ge 1 ] || fail "matrix $name: $(tail -n 10 "$name.txt")"
    echo "matrix $name: stopped after $runs runs"
done
echo "flush: OK"
