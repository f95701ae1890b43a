#!/bin/bash
# Java: both Connector/J, HikariCP, DatabaseMetaData, Hibernate, Flyway, Liquibase, jOOQ's generator and Spring Batch's tables.
# Needs a JDK (17), Maven and a built server (WEIR, default target/release/weir).
set -euo pipefail
cd "$(dirname "$0")/../.."
command -v javac >/dev/null && command -v mvn >/dev/null || { echo "skipped: javac and mvn are not installed"; exit 0; }
WEIR=$(realpath "${WEIR:-target/release/weir}")
. tests/blackbox/lib.sh
OUT=$PWD/target/clients/java
mkdir -p "$OUT/classes"
mvn -q -f tests/clients/java/pom.xml dependency:copy-dependencies -DoutputDirectory="$OUT/lib" || { echo "skipped: the libraries cannot be fetched"; exit 0; }
javac -nowarn -d "$OUT/classes" -cp "$OUT/lib/*" tests/clients/java/src/*.java

start_server --local-infile=1
status=0
for program in Drivers Metadata Frameworks; do
    WEIR_PORT=$PORT timeout 120 java -cp "$OUT/classes:$OUT/lib/*" $program || status=1
done
exit $status
