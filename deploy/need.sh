#!/usr/bin/env bash
# need.sh PURPOSE PACKAGE… : ensures that Debian packages are installed.
#
# Does nothing if they are installed. Otherwise installs the missing ones as root or with sudo. If
# that is not possible, prints the missing packages and fails. Services in newly installed packages
# (nginx for a test, for example) are neither started nor enabled.
set -euo pipefail

purpose=$1
shift

if ! command -v dpkg-query >/dev/null; then
  echo "This is not a Debian system: please install the equivalents of these packages: $*." >&2
  exit 0
fi

missing=()
for package in "$@"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

refuse() {
  echo "To $purpose, these Debian packages are required: ${missing[*]}. $1" \
    "Please install them: apt-get install ${missing[*]}" >&2
  exit 1
}

if [ "$(id -u)" = 0 ]; then
  as_root=()
elif command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
  as_root=(sudo)
else
  refuse "They are missing, and you are not permitted to install packages."
fi

echo "Installing packages to $purpose: ${missing[*]}"
quietly=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0
  -o DPkg::Lock::Timeout=600)
"${as_root[@]}" "${quietly[@]}" update ||
  echo "apt-get update failed; continuing with the existing package lists." >&2
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" install -m 755 /dev/stdin "$policy"
  trap '"${as_root[@]}" rm -f "$policy"' EXIT
fi
"${as_root[@]}" "${quietly[@]}" install -y --no-install-recommends "${missing[@]}" >/dev/null ||
  refuse "The installation failed."
for package in "${missing[@]}"; do
  if [ -e "/lib/systemd/system/$package.service" ]; then
    "${as_root[@]}" systemctl --quiet disable "$package.service" 2>/dev/null || true
  fi
done
