#!/bin/bash
# Node: mysql2, mysql, mariadb, Knex, Sequelize, TypeORM and Drizzle. Needs node, npm and a built server (WEIR, default
# target/release/weir).
set -euo pipefail
cd "$(dirname "$0")/../.."
command -v npm >/dev/null || { echo "skipped: npm is not installed"; exit 0; }
WEIR=$(realpath "${WEIR:-target/release/weir}")
. tests/blackbox/lib.sh
OUT=$PWD/target/clients/node
mkdir -p "$OUT"
cp tests/clients/node/package.json "$OUT"
(cd "$OUT" && npm install --no-audit --no-fund --silent) >/dev/null 2>&1 || { echo "skipped: the packages cannot be fetched"; exit 0; }
cp tests/clients/node/*.js "$OUT"

start_server --local-infile=1
status=0
for program in drivers knex orms; do
    (cd "$OUT" && WEIR_PORT=$PORT timeout 60 node $program.js) || status=1
done
exit $status
