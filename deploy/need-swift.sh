#!/usr/bin/env bash
# need-swift.sh : prints the folder of a Swift toolchain that can build pickerd. If there is none,
# prints what to install and fails.
set -euo pipefail

for folder in "$(dirname "$(command -v swift || echo /none/swift)")" \
  "$HOME/.local/share/swiftly/bin" /opt/swift/usr/bin /usr/libexec/swift/bin; do
  [ -x "$folder/swift" ] || continue
  release=$("$folder/swift" --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p')
  major=${release%%.*}
  minor=${release##*.}
  if [ -n "$release" ] && { [ "$major" -gt 6 ] || [ "$major" = 6 ] && [ "$minor" -ge 2 ]; }; then
    echo "$folder"
    exit 0
  fi
  found=$release
done

if [ -n "${found:-}" ]; then
  echo "pickerd requires Swift 6.2 or newer, but this is Swift $found:" \
    "install a newer toolchain (https://www.swift.org/install/linux) and put it first in PATH." >&2
else
  echo "pickerd requires Swift 6.2 or newer, but the command swift was not found:" \
    "install a toolchain (https://www.swift.org/install/linux) and put it in PATH." >&2
fi
exit 1
