#!/usr/bin/env bash
# The packages: the Debian package is built and looked into, systemd reads the unit, Prometheus' own tools read rules and metrics where they
# are installed, the installer puts its files in place, the container's entry point makes a first start, and a browser opens the live page.
# WEIR: the server (default target/debug/weir).
set -euo pipefail
cd "$(dirname "$0")/.."
WEIR=$(readlink -f "${WEIR:-target/debug/weir}")
WORK=$(mktemp -d)
pids=()
stop_all() { for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; wait "$pid" 2>/dev/null || true; done; pids=(); }
trap 'stop_all; rm -rf "$WORK"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }

for script in packaging/install.sh packaging/debian/build.sh packaging/debian/postinst packaging/debian/prerm packaging/debian/postrm; do sh -n "$script"; done
bash -n packaging/container/entrypoint.sh

# --- Debian -------------------------------------------------------------------------------------------------
if command -v dpkg-deb >/dev/null; then
    # A small program in place of the server: what is looked at is the package.
    packaging/debian/build.sh /bin/true "$WORK" >/dev/null
    deb=$(echo "$WORK"/weir_*.deb)
    dpkg-deb --contents "$deb" >"$WORK/contents"
    for path in ./usr/bin/weir ./usr/lib/systemd/system/weir.service ./etc/weir/weir.cnf ./etc/logrotate.d/weir ./usr/share/doc/weir/copyright \
        ./usr/share/doc/weir/operate.md ./usr/share/weir/weir.json; do
        grep -q " $path\$" "$WORK/contents" || fail "$path is not in the package"
    done
    grep -Eq '^-rwxr-xr-x root/root .* \./usr/bin/weir$' "$WORK/contents" || fail "the binary is not root's"
    dpkg-deb --ctrl-tarfile "$deb" | tar -t >"$WORK/control"
    for script in postinst prerm postrm conffiles; do grep -q "/$script\$" "$WORK/control" || fail "$script is not in the package"; done
    [ "$(dpkg-deb --field "$deb" Package)" = weir ] || fail "the package's name"
    echo "Debian package: $(dpkg-deb --field "$deb" Version)"
else
    echo "skipped: the Debian package (no dpkg-deb)"
fi

# --- The installer ------------------------------------------------------------------------------------------
PREFIX=$WORK/root packaging/install.sh "$WEIR" >/dev/null
grep -q '^ExecStart=/usr/local/bin/weir serve' "$WORK/root/etc/systemd/system/weir.service" || fail "the unit does not start what was installed"
echo "# mine" >>"$WORK/root/etc/weir/weir.cnf"
PREFIX=$WORK/root packaging/install.sh "$WEIR" >/dev/null
grep -q '^# mine' "$WORK/root/etc/weir/weir.cnf" || fail "a second installation replaces the options"
"$WORK/root/usr/local/bin/weir" version >/dev/null
PREFIX=$WORK/root packaging/install.sh --uninstall >/dev/null
[ ! -e "$WORK/root/usr/local/bin/weir" ] && [ -e "$WORK/root/etc/weir/weir.cnf" ] || fail "the uninstallation"
echo "installer: files put in place, kept and removed"

# --- The options --------------------------------------------------------------------------------------------
set +e
"$WEIR" doctor --no-write --json --defaults-file=packaging/weir.cnf --datadir="$WORK/none" >"$WORK/doctor.json"
code=$?
set -e
[ "$code" -le 2 ] || fail "weir doctor does not read packaging/weir.cnf: $(cat "$WORK/doctor.json")"
! grep -q '"subject": "settings"' "$WORK/doctor.json" || fail "packaging/weir.cnf: $(cat "$WORK/doctor.json")"

# --- The unit -----------------------------------------------------------------------------------------------
if command -v systemd-analyze >/dev/null; then
    # What the unit starts has to be there when it is read.
    sed "s,/usr/bin/weir,$WEIR,; s,^Documentation=.*,," packaging/systemd/weir.service >"$WORK/weir.service"
    systemd-analyze verify "$WORK/weir.service" 2>"$WORK/verify" || fail "systemd-analyze: $(cat "$WORK/verify")"
    ! grep "weir.service" "$WORK/verify" || fail "systemd-analyze: $(cat "$WORK/verify")"
    echo "unit: verified by systemd-analyze"
else
    echo "skipped: the unit (no systemd-analyze)"
fi
if command -v logrotate >/dev/null; then
    logrotate --debug --state "$WORK/state" packaging/logrotate >/dev/null 2>"$WORK/rotate" || fail "logrotate: $(cat "$WORK/rotate")"
    echo "logrotate: read"
fi

# --- The container's entry point ----------------------------------------------------------------------------
port=$((20000 + RANDOM % 20000))
http=$((port + 1))
if command -v mariadb >/dev/null; then
    mkdir -p "$WORK/bin" "$WORK/init"
    ln -s "$WEIR" "$WORK/bin/weir"
    echo 'create table from_init (a int primary key); insert into from_init values (7);' >"$WORK/init/a.sql"
    small=(--port="$port" --innodb-buffer-pool-size=16M --innodb-redo-log-capacity=16M)
    # Becomes the entry point, so that its process is the server's.
    entry() {
        exec env PATH="$WORK/bin:$PATH" WEIR_DATADIR="$WORK/data" WEIR_SOCKET="$WORK/weir.sock" WEIR_INIT="$WORK/init" WEIR_HTTP_PORT="$http" "$@"
    }
    if (entry packaging/container/entrypoint.sh "${small[@]}") >"$WORK/log" 2>&1; then fail "it starts without a password"; fi
    grep -q MYSQL_ROOT_PASSWORD "$WORK/log" || fail "nothing says which variable is missing: $(cat "$WORK/log")"
    entry MYSQL_ROOT_PASSWORD="it's \\ secret" MYSQL_DATABASE=shop MYSQL_USER=app MYSQL_PASSWORD=pw \
        packaging/container/entrypoint.sh "${small[@]}" >"$WORK/log" 2>&1 &
    pids+=($!)
    ready() { (exec 3<>"/dev/tcp/127.0.0.1/$http" && printf 'GET /ready HTTP/1.0\r\n\r\n' >&3 && read -r _ status _ <&3 && [ "$status" = 200 ]) 2>/dev/null; }
    for _ in $(seq 300); do ready && break; sleep 0.1; done
    ready || fail "the container's server is not ready: $(cat "$WORK/log")"
    app=(mariadb --no-defaults --host=127.0.0.1 --port="$port" --user=app --password=pw --skip-column-names)
    [ "$("${app[@]}" shop -e 'select a from from_init')" = 7 ] || fail "the init directory was not run"
    root=(mariadb --no-defaults --host=127.0.0.1 --port="$port" --user=root --skip-column-names)
    "${root[@]}" --password="it's \\ secret" -e 'select 1' >/dev/null || fail "root's password"
    ! "${root[@]}" -e 'select 1' 2>/dev/null || fail "root without a password"
    echo "container: first start with a password, a database, an account and an init file"
else
    echo "skipped: the container's entry point (no mariadb client)"
    "$WEIR" serve --datadir="$WORK/data" --socket="$WORK/weir.sock" --port="$port" --http-port="$http" \
        --innodb-buffer-pool-size=16M --innodb-redo-log-capacity=16M >"$WORK/log" 2>&1 &
    pids+=($!)
    for _ in $(seq 300); do grep -q "live page" "$WORK/log" && break; sleep 0.1; done
fi

# --- Prometheus ---------------------------------------------------------------------------------------------
if command -v promtool >/dev/null; then
    promtool check rules packaging/prometheus/weir.rules.yml
    curl -sf "http://127.0.0.1:$http/metrics" | promtool check metrics || fail "promtool does not like the metrics"
else
    echo "skipped: promtool (not installed)"
fi

# --- The live page in a browser -----------------------------------------------------------------------------
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [ -z "$browser" ]; then
    echo "skipped: the live page in a browser (no chromium)"
    exit 0
fi
if command -v mariadb >/dev/null; then
    # One session waits for another while the page is looked at.
    (echo 'begin; update from_init set a = 8;'; sleep 40) | "${app[@]}" shop &
    pids+=($!)
    sleep 1
    echo 'update from_init set a = 9' | "${app[@]}" shop >/dev/null 2>&1 &
    pids+=($!)
fi
sleep 4
chrome=(timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$WORK/chromium" --hide-scrollbars)
"${chrome[@]}" --enable-logging=stderr --virtual-time-budget=6000 --dump-dom "http://127.0.0.1:$http/" >"$WORK/dom" 2>"$WORK/console" ||
    fail "chromium: $(tail -n 5 "$WORK/console")"
grep -Eq 'data-samples="([3-9]|[1-9][0-9]+)"' "$WORK/dom" || fail "the page shows no seconds: $(head -c 2000 "$WORK/dom")"
grep -q '>ready</p>' "$WORK/dom" || fail "the page does not say that the server is ready"
[ "$(grep -o 'aria-label="[^"]*: [a-z0-9]' "$WORK/dom" | wc -l)" -ge 10 ] || fail "charts without words"
! grep "CONSOLE" "$WORK/console" || fail "the page writes to the console"
if command -v mariadb >/dev/null; then
    grep -q 'has what these wait for' "$WORK/dom" || fail "the page does not show who waits for whom"
    grep -q 'SELECT.*FROM.*from_init' "$WORK/dom" || fail "the page shows no statements"
    ! grep -q "secret" "$WORK/dom" || fail "the page shows literals"
fi
for size in 400,3600 1300,1500; do
    "${chrome[@]}" --virtual-time-budget=6000 --window-size="$size" --screenshot="$WORK/page-${size%,*}.png" "http://127.0.0.1:$http/" >/dev/null 2>&1
    [ "$(stat -c %s "$WORK/page-${size%,*}.png" 2>/dev/null || echo 0)" -gt 10000 ] || fail "no screenshot of $size"
done
[ -z "${KEEP_SCREENSHOT:-}" ] || cp "$WORK"/page-*.png "$KEEP_SCREENSHOT/"
echo "the live page: seconds, statements and waits shown, nothing on the console"
