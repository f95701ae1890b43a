#!/bin/sh
# Makes weir_VERSION_ARCH.deb of a built binary: packaging/debian/build.sh [BINARY] [DIRECTORY]
# BINARY: by default target/release/weir; its debugging symbols are left out. DIRECTORY: where the package goes, by default target.
set -eu
cd "$(dirname "$0")/../.."
binary=${1:-target/release/weir}
out=${2:-target}
[ -x "$binary" ] || { echo "there is no binary '$binary': cargo build --release" >&2; exit 1; }
command -v dpkg-deb >/dev/null || { echo "dpkg-deb is missing: apt-get install dpkg" >&2; exit 1; }
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
arch=$(dpkg --print-architecture)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
# The package has the mode of its own root, too.
chmod 0755 "$root"
umask 022

install -D -m 0755 "$binary" "$root/usr/bin/weir"
if command -v strip >/dev/null; then strip --strip-debug "$root/usr/bin/weir"; fi
install -D -m 0644 packaging/systemd/weir.service "$root/usr/lib/systemd/system/weir.service"
for unit in weir-backup.service weir-backup.timer; do
    install -D -m 0644 "packaging/systemd/$unit" "$root/usr/lib/systemd/system/$unit"
done
install -D -m 0644 packaging/weir.cnf "$root/etc/weir/weir.cnf"
install -D -m 0644 packaging/logrotate "$root/etc/logrotate.d/weir"
for doc in README.md NOTICE docs/operate.md; do
    install -D -m 0644 "$doc" "$root/usr/share/doc/weir/$(basename "$doc")"
done
for doc in docs/book/src/operate/*.md; do
    install -D -m 0644 "$doc" "$root/usr/share/doc/weir/${doc#docs/}"
done
install -D -m 0644 LICENSE "$root/usr/share/doc/weir/copyright"
for file in packaging/grafana/weir.json packaging/prometheus/weir.rules.yml; do
    install -D -m 0644 "$file" "$root/usr/share/weir/$(basename "$file")"
done

mkdir -p "$root/DEBIAN"
for script in postinst prerm postrm; do
    install -m 0755 "packaging/debian/$script" "$root/DEBIAN/$script"
done
printf '/etc/weir/weir.cnf\n/etc/logrotate.d/weir\n' >"$root/DEBIAN/conffiles"
cat >"$root/DEBIAN/control" <<END
Package: weir
Version: $version
Architecture: $arch
Maintainer: The Weir authors <weir@localhost>
Installed-Size: $(du -sk "$root" | cut -f 1)
Depends: libc6 (>= 2.36), libgcc-s1, passwd
Suggests: mariadb-client, logrotate
Conflicts: default-mysql-server, mariadb-server
Section: database
Priority: optional
Description: transactional database that speaks the MySQL protocol
 An embeddable storage engine and a server for MySQL's clients. Its flushing
 keeps throughput even at checkpoints, and commits are durable by default.
END
mkdir -p "$out"
dpkg-deb --build --root-owner-group "$root" "$out/weir_${version}_$arch.deb"
