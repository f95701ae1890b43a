#!/bin/bash
# go-mysql: the own tests of its reader of binary logs and of canal, which takes a dump and then follows. Needs go, and for canal MySQL's
# mysqldump (MYSQLDUMP, mysqldump by default), which is asked for options that MariaDB's does not have.
set -u
. "$(dirname "$0")/lib.sh"
command -v go >/dev/null || skip "go is not installed"
bin=$cache/go-mysql
if [ ! -x "$bin/canal.test" ]; then
  mkdir -p "$bin"
  dir=$(cd "$work" && go mod download -json github.com/go-mysql-org/go-mysql@v1.13.0 2>/dev/null | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
  [ -n "$dir" ] || skip "go-mysql cannot be fetched"
  cp -r "$dir" "$work/go-mysql" && chmod -R u+w "$work/go-mysql"
  # The ports of its tests are fixed.
  sed -i 's/port uint16 = 3306/port uint16 = 23306/' "$work/go-mysql/replication/replication_test.go"
  sed -i 's/:3306"/:23306"/' "$work/go-mysql/mysql/const.go"
  (cd "$work/go-mysql" && GOFLAGS='-buildvcs=false -mod=mod' GOTOOLCHAIN=local go test -c -o "$bin/" ./replication ./canal) 2>"$work/build" || skip "go-mysql cannot be built: $(tail -1 "$work/build")"
fi
port=23306
start_source
# Its tests take for granted that there are two transactions at least.
ask "$port" -e "create database test; create table test.any (a int)"
mkdir "$work/bin"
# By its whole path: the name alone would be the one that is put before it.
dump=${MYSQLDUMP:-$(command -v mysqldump)}
printf '#!/bin/bash\nexec %s "$@"\n' "$dump" >"$work/bin/mysqldump" && chmod +x "$work/bin/mysqldump"
export PATH=$work/bin:$PATH
tests() {
  (cd "$work" && timeout 180 "$bin/$1.test" -host 127.0.0.1 -port "$port" -test.v -test.run "$2") >"$work/$1.log" 2>&1
  say "$1: $(grep -c -e '--- PASS: .*/' "$work/$1.log") passed, $(grep -c -e '--- FAIL: .*/' "$work/$1.log") failed, $(grep -c -e '--- SKIP: .*/' "$work/$1.log") skipped"
  grep -e '--- FAIL: .*/' -e '^panic' "$work/$1.log" && failed=1
}
tests replication 'TestSyncerSuite'
if [ -n "$dump" ] && $dump --version 2>/dev/null | grep -qv MariaDB; then tests canal 'TestCanalSuite'; else say "skipped canal: MySQL's mysqldump is not installed"; fi
finish
