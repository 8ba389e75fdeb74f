#!/usr/bin/env bash
# need.sh PURPOSE PACKAGE… : sees to it that these Debian packages are installed.
#
# Quick and silent when they are. Installs what is missing as root or through sudo; where it may
# not, it says in one sentence what is needed, and fails.
set -euo pipefail

purpose=$1
shift

if ! command -v dpkg-query >/dev/null; then
  echo "This is no Debian: please see to it that what these packages hold is there: $*." >&2
  exit 0
fi

missing=()
for package in "$@"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

refuse() {
  echo "To $purpose, these Debian packages are needed: ${missing[*]}. $1" \
    "Please have them installed: apt-get install ${missing[*]}" >&2
  exit 1
}

if [ "$(id -u)" = 0 ]; then
  as_root=()
elif command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
  as_root=(sudo)
else
  refuse "They are not here, and you may not install packages."
fi

echo "To $purpose, installing: ${missing[*]}"
quietly=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0)
"${as_root[@]}" "${quietly[@]}" update ||
  echo "apt-get update failed; trying with the lists that are there." >&2
"${as_root[@]}" "${quietly[@]}" install -y --no-install-recommends "${missing[@]}" >/dev/null ||
  refuse "Installing them failed."
