#!/bin/sh
# Installs Weir as a service, without a package manager: packaging/install.sh [--uninstall] [BINARY]
# BINARY: by default target/release/weir, or weir beside this script's directory. Run it as root. Data are never touched.
# PREFIX=DIR puts all files below DIR and runs no system command, to look at what would be installed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=${PREFIX:-}
run() { if [ -z "$root" ]; then "$@"; fi; }
has_systemd() { [ -z "$root" ] && [ -d /run/systemd/system ]; }

[ -n "$root" ] || [ "$(id -u)" = 0 ] || { echo "run it as root" >&2; exit 1; }
if [ "${1:-}" = --uninstall ]; then
    if has_systemd; then systemctl disable --now weir.service || true; fi
    rm -f "$root/usr/local/bin/weir" "$root/etc/systemd/system/weir.service" "$root/etc/logrotate.d/weir"
    if has_systemd; then systemctl daemon-reload; fi
    echo "removed; data are left in /var/lib/weir, options in /etc/weir, logs in /var/log/weir, and the account weir"
    exit 0
fi
binary=${1:-$here/../target/release/weir}
[ -x "$binary" ] || binary=$here/../weir
[ -x "$binary" ] || { echo "there is no binary; packaging/install.sh BINARY" >&2; exit 1; }

umask 022
install -D -m 0755 "$binary" "$root/usr/local/bin/weir.new"
# Renamed into place: a server that runs keeps its own file until it is started again.
mv "$root/usr/local/bin/weir.new" "$root/usr/local/bin/weir"
mkdir -p "$root/etc/systemd/system"
sed 's,/usr/bin/weir,/usr/local/bin/weir,' "$here/systemd/weir.service" >"$root/etc/systemd/system/weir.service"
install -D -m 0644 "$here/logrotate" "$root/etc/logrotate.d/weir"
# What somebody has written there stays.
[ -e "$root/etc/weir/weir.cnf" ] || install -D -m 0644 "$here/weir.cnf" "$root/etc/weir/weir.cnf"
if [ -z "$root" ] && ! getent passwd weir >/dev/null; then
    useradd --system --user-group --home-dir /var/lib/weir --no-create-home --shell /usr/sbin/nologin weir
fi
run install -d -m 0750 -o weir -g weir /var/lib/weir /var/log/weir
if has_systemd; then
    systemctl daemon-reload
    systemctl enable --now weir.service
    echo "running: mariadb --socket=/run/weir/weir.sock --user=root"
else
    echo "installed; without systemd: su -s /bin/sh weir -c 'weir serve --defaults-file=/etc/weir/weir.cnf'"
fi
