#!/usr/bin/env bash
# release.sh BINARY FOLDER [COMPRESSION] : writes all files of a release to FOLDER, which must not
# exist: the source archive of HEAD, the Debian package, the packages for npm, the backend kit for
# Python, the bill of materials, and their checksums.
set -euo pipefail
binary=$(realpath "$1")
folder=$(realpath -m "$2")
compression=${3:-xz}
cd "$(dirname "$0")/.."

if [ -e "$folder" ]; then
  echo "release.sh: $folder exists; remove it, so that no file of another release stays in it" >&2
  exit 1
fi
version=$(cat VERSION)
if [ "$("$binary" --version)" != "$version" ]; then
  echo "release.sh: $binary is not of version $version; build it again" >&2
  exit 1
fi
mkdir -p "$folder"
git archive --prefix="pickerd-$version/" --output="$folder/pickerd-$version.tar.gz" HEAD
deploy/debian/build.sh "$binary" "$folder" "$compression"
web/package.py "$folder"
cp web/packages/server/pickerd.py "$folder"
deploy/sbom.py "$binary" >"$folder/pickerd-$version.cdx.json"
(cd "$folder" && sha256sum -- *) >"$folder.sums"
mv "$folder.sums" "$folder/SHA256SUMS"
echo "$folder"
