#!/usr/bin/env bash
# release.sh BINARY FOLDER [COMPRESSION] : writes all files of a release to FOLDER, which must not
# exist: the source archive of HEAD, the Debian package, the backend kit for Python as one file, the
# bill of materials, what changed, in folders the packages for the registries npm, PyPI and Maven
# Central, and the checksums of all. PYTHON is a Python with the modules `build` and `flit_core`.
# With REHEARSAL=yes it only warns of addresses that nobody has chosen yet.
set -euo pipefail
binary=$(realpath "$1")
folder=$(realpath -m "$2")
compression=${3:-xz}
cd "$(dirname "$0")/.."
# The end of addresses that nobody has chosen yet, in documents and packages.
UNCHOSEN=pickerd.invalid

if [ -e "$folder" ]; then
  echo "release.sh: $folder exists; remove it, so that no file of another release stays in it" >&2
  exit 1
fi
version=$(cat VERSION)
if [ "$("$binary" --version)" != "$version" ]; then
  echo "release.sh: $binary is not of version $version; build it again" >&2
  exit 1
fi
found=$(git grep -nIF "$UNCHOSEN" HEAD -- . ':!Tests' ':!deploy/release.sh' |
  sed 's/^HEAD:/  /') || true
if [ -n "$found" ]; then
  printf 'release.sh: replace %s by an address of the project, in\n%s\n' \
    "$UNCHOSEN" "$found" >&2
  [ "${REHEARSAL:-}" = yes ] || exit 1
fi
changes=$(awk -v head="## [$version] - " \
  '/^## / { found = index($0, head) == 1 } found' CHANGELOG.md)
if [ -z "$changes" ]; then
  echo "release.sh: CHANGELOG.md has no section ## [$version] - DATE; write what changed" >&2
  exit 1
fi

mkdir -p "$folder"
echo "$changes" >"$folder/CHANGELOG-$version.md"
git archive --prefix="pickerd-$version/" --output="$folder/pickerd-$version.tar.gz" HEAD
deploy/debian/build.sh "$binary" "$folder" "$compression"
mkdir "$folder"/{npm,python,maven}
web/package.py "$folder/npm"
"${PYTHON:-python3}" web/package.py --python "$folder/python"
web/package.py --java "$folder/maven"
cp web/packages/server/pickerd.py "$folder"
deploy/sbom.py "$binary" >"$folder/pickerd-$version.cdx.json"
(cd "$folder" && find . -type f -printf '%P\0' | sort -z | xargs -0 sha256sum --) >"$folder.sums"
mv "$folder.sums" "$folder/SHA256SUMS"
echo "$folder"
