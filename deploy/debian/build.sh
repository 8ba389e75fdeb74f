#!/usr/bin/env bash
# build.sh BINARY FOLDER [COMPRESSION] : makes a Debian package of a pickerd binary in FOLDER and
# prints its path.
set -euo pipefail
binary=$(realpath "$1")
folder=$(realpath "$2")
compression=${3:-xz}
cd "$(dirname "$0")/../.."

# The modification time of every file in the package, so that equal sources make equal packages: the
# commit's, or in an unpacked source archive that of CHANGELOG.md.
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$({
  git ls-files --error-unmatch CHANGELOG.md >/dev/null &&
    git -c log.showSignature=false log -1 --format=%ct
} 2>/dev/null || date -r CHANGELOG.md +%s)}

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
chmod 755 "$stage"
umask 022

root=$stage/root
make --no-print-directory -s install-files BINARY="$binary" DESTDIR="$root" PREFIX=/usr >&2
install -D -m 644 deploy/debian/default "$root/etc/default/pickerd"
install -D -m 644 deploy/debian/copyright "$root/usr/share/doc/pickerd/copyright"
install -D -m 644 -t "$root/usr/share/doc/pickerd/examples" \
  deploy/nginx.conf deploy/haproxy.cfg deploy/Caddyfile deploy/postgres.sql deploy/monitoring/*
gzip -9n <CHANGELOG.md >"$root/usr/share/doc/pickerd/CHANGELOG.md.gz"

# Debian sorts ~ before everything, so that a prerelease is older than its release.
version=$("$binary" --version | sed 's/-/~/g')
architecture=$(dpkg --print-architecture)

# Debian's own changelog.
maintainer=$(sed -n 's/^Maintainer: //p' deploy/debian/control.in)
printf 'pickerd (%s) stable; urgency=medium\n\n  * See CHANGELOG.md.gz.\n\n -- %s  %s\n' \
  "$version" "$maintainer" "$(LC_ALL=C date -uR -d "@$SOURCE_DATE_EPOCH")" |
  gzip -9n >"$root/usr/share/doc/pickerd/changelog.gz"

# The libraries that the binary is linked with. dpkg-shlibdeps insists on a source package.
mkdir "$stage/debian"
printf 'Source: pickerd\n\nPackage: pickerd\nArchitecture: any\n' >"$stage/debian/control"
libraries=$(cd "$stage" && dpkg-shlibdeps -O root/usr/bin/pickerd 2>/dev/null |
  sed 's/^shlibs:Depends=//')

# As dpkg-gencontrol counts it, whatever the blocks of the file system.
size=$(find "$root" -printf '%y %s\n' |
  awk '{ size += $1 == "f" ? int(($2 + 1023) / 1024) : 1 } END { print size }')

install -d "$root/DEBIAN"
sed -e "s/@VERSION@/$version/" -e "s/@ARCHITECTURE@/$architecture/" \
  -e "s/@LIBRARIES@/$libraries/" -e "s/@SIZE@/$size/" \
  deploy/debian/control.in >"$root/DEBIAN/control"
echo /etc/default/pickerd >"$root/DEBIAN/conffiles"
install -m 755 -t "$root/DEBIAN" deploy/debian/{postinst,prerm,postrm}
(cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)

# Copies keep the times and modes of the checkout.
chmod -R u+rwX,go=rX "$root"
find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +

package=$folder/pickerd_${version}_$architecture.deb
dpkg-deb --root-owner-group -Z"$compression" --build "$root" "$package" >/dev/null
echo "$package"
