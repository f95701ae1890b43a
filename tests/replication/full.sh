#!/bin/bash
# A full device under the binary log: commits wait, reads go on, nothing that was acknowledged is lost, and with room all goes on. Needs root,
# for the device is a small tmpfs.
set -u
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" = 0 ] || skip "only root mounts a tmpfs"
mkdir "$work/source"
mount -t tmpfs -o size=${SIZE:-192m} none "$work/source" 2>/dev/null || skip "a tmpfs cannot be mounted"
trap 'kill -9 "${pids[@]}" 2>/dev/null; sleep 0.3; umount -l "$work/source"; rm -rf "$work"' EXIT
start_source --innodb-redo-log-capacity=16M --innodb-buffer-pool-size=16M
source_pid=${pids[-1]}
ask "$port" -e "create database d; create table d.t (n int primary key, v mediumtext)"
# Room that is given back later, and all the rest but some.
dd if=/dev/zero of="$work/source/ballast" bs=1M count=40 2>/dev/null
client() {
  local n=0
  while [ ! -e "$work/enough" ]; do
    n=$((n + 1))
    ask "$port" d -e "insert into t values ($n, repeat(md5($n), 4000)); delete from t where n = $n - 3" 2>>"$work/refused" && echo $n >>"$work/acked"
  done
}
touch "$work/acked"
client & pids+=($!)
before=-1
# Stands still: the same number of acknowledgements over three seconds.
for _ in $(seq 300); do
  now=$(wc -l <"$work/acked")
  [ "$now" = "$before" ] && break
  before=$now
  sleep 3
done
say "$before acknowledged until the device was full: $(df -h "$work/source" | tail -1 | awk '{ print $4 }') are left"
[ "$before" -gt 20 ] || fail "it stood still too soon"
timeout 10 mysql -h127.0.0.1 -P"$port" -uroot -N -e 'select count(*) from d.t' >/dev/null || fail "reads do not go on"
grep -q 'no room for the binary log' "$work/source.log" || say "its log says: $(tail -2 "$work/source.log")"
if [ "${KILL:-0}" = 1 ]; then
  kill -9 "$source_pid"; wait "$source_pid" 2>/dev/null
  rm "$work/source/ballast"
  start_source --innodb-redo-log-capacity=16M --innodb-buffer-pool-size=16M
else
  rm "$work/source/ballast"
fi
for _ in $(seq 100); do [ "$(wc -l <"$work/acked")" -gt $((before + 5)) ] && break; sleep 0.3; done
[ "$(wc -l <"$work/acked")" -gt $((before + 5)) ] || fail "it does not go on when there is room: $(tail -2 "$work/source.log")"
touch "$work/enough"
sleep 1
last=$(tail -1 "$work/acked")
[ "$(ask "$port" -N -e "select count(*) from d.t where n = $last")" = 1 ] || fail "the last acknowledged row is not there"
# The log has each acknowledged insert once.
for f in $(ask "$port" -N -e 'show binary logs' | cut -f1); do ask "$port" -N -e "show binlog events in '$f'" | cut -f3; done >"$work/kinds"
writes=$(grep -c Write_rows "$work/kinds")
[ "$writes" -ge "$(wc -l <"$work/acked")" ] || fail "$writes inserts in the log, $(wc -l <"$work/acked") acknowledged"
say "$(wc -l <"$work/acked") acknowledged, $writes in the log, $(sort -u "$work/refused" | head -2 | tr '\n' ' ')"
finish
