#!/bin/bash
# Go: go-sql-driver/mysql with its own tests, and GORM. Needs go and a built server (WEIR, default target/release/weir).
# SUITES=1 also runs the own tests of xorm, GORM 1, gorp, goqu and sqlx (minutes).
set -euo pipefail
cd "$(dirname "$0")/../.."
command -v go >/dev/null || { echo "skipped: go is not installed"; exit 0; }
WEIR=$(realpath "${WEIR:-target/release/weir}")
. tests/blackbox/lib.sh
OUT=$PWD/target/clients/go
HERE=$PWD/tests/clients/go
mkdir -p "$OUT"
export GOFLAGS="-buildvcs=false -mod=mod"

# suite MODULE VERSION: a copy of the module, whose tests are run where they stand.
suite() {
    local dir
    dir=$(cd "$HERE" && go mod download -json "$1@$2" 2>/dev/null | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
    [ -n "$dir" ] || { echo "skipped: $1 cannot be fetched"; return 1; }
    rm -rf "$OUT/suite"
    cp -r "$dir" "$OUT/suite"
    chmod -R u+w "$OUT/suite"
}

# tests NAME COMMAND: runs it in the copy and reports how many tests passed.
tests() {
    local name=$1
    shift
    (cd "$OUT/suite" && "$@") >"$OUT/$name.log" 2>&1 || true
    echo "$name: $(grep -c -e '--- PASS' "$OUT/$name.log" || true) passed," \
        "$(grep -c -e '--- FAIL' "$OUT/$name.log" || true) failed, $(grep -c -e '--- SKIP' "$OUT/$name.log" || true) skipped"
    ! grep -q -e '--- FAIL' -e '^panic' -e 'build failed' "$OUT/$name.log" || { grep -e '--- FAIL' -e '^panic' "$OUT/$name.log"; return 1; }
}

start_server --local-infile=1
sql -e "create database gotest; create database gorm; create database gorm1; create database xorm; create database gorp; create database goqu; create database sqlx"
ADDR=127.0.0.1:$PORT
status=0

if suite github.com/go-sql-driver/mysql v1.9.3; then
    # This one needs an address that swallows packets.
    export MYSQL_TEST_USER=root MYSQL_TEST_PASS="" MYSQL_TEST_ADDR=$ADDR MYSQL_TEST_CONCURRENT=1
    tests go-sql-driver go test -skip TestConnectorReturnsTimeout -v . || status=1
fi
(cd "$HERE" && WEIR_DSN="root@tcp($ADDR)/gorm?parseTime=true&charset=utf8mb4" go run .) || status=1

if [ -n "${SUITES:-}" ]; then
    if suite xorm.io/xorm v1.4.3; then
        # The driver of another database cannot be fetched everywhere.
        sed -i '/gitee.com/d' "$OUT/suite/tests/engine_test.go"
        tests xorm go test ./tests -v -db=mysql -conn_str="root:@tcp($ADDR)/xorm?charset=utf8mb4" || status=1
    fi
    if suite github.com/jinzhu/gorm v1.9.16; then
        GORM_DIALECT=mysql GORM_DSN="root@tcp($ADDR)/gorm1?charset=utf8&parseTime=True" tests gorm-1 go test -v . || status=1
    fi
    if suite github.com/go-gorp/gorp/v3 v3.1.0; then
        GORP_TEST_DIALECT=mysql GORP_TEST_DSN="root@tcp($ADDR)/gorp?parseTime=true" tests gorp go test -v . || status=1
    fi
    if suite github.com/doug-martin/goqu/v9 v9.19.0; then
        MYSQL_URI="root@tcp($ADDR)/goqu?parseTime=true" tests goqu go test -v ./dialect/mysql || status=1
    fi
    if suite github.com/jmoiron/sqlx v1.4.0; then
        SQLX_MYSQL_DSN="root@tcp($ADDR)/sqlx?parseTime=true" SQLX_POSTGRES_DSN=skip SQLX_SQLITE_DSN=skip tests sqlx go test -v . || status=1
    fi
fi
exit $status
