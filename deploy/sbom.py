#!/usr/bin/env python3
"""sbom.py BINARY [ROOT] : prints a software bill of materials of a pickerd binary, CycloneDX 1.6.

Swift packages are those of Package.resolved, with the licences of their checkouts; they and the
Swift runtime are linked statically. Debian libraries are those of this machine that the binary
loads, or of the system in the folder ROOT, such as an image's; BINARY is a path in it then, and
chroot needs root. The same inputs give the same output.
"""

import hashlib
import json
import re
import subprocess
import sys
import uuid
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
#: Loaded or read at run time, without being linked.
AT_RUN_TIME = ["libwebsockets-evlib-uv", "libcurl4", "libpq5", "tzdata"]
#: Loaded with their own libraries, by `pickerd deliver` and for a PostgreSQL store.
LOADED = ["libcurl.so.4", "libpq.so.5"]
#: Packages whose copyright file is not machine-readable.
PROSE = {"libc6": "LGPL-2.1-or-later", "libgcc-s1": "GPL-3.0-or-later WITH GCC-exception-3.1",
         "libstdc++6": "GPL-3.0-or-later WITH GCC-exception-3.1",
         "libgnutls30": "LGPL-2.1-or-later", "librtmp1": "LGPL-2.1-or-later",
         "libtasn1-6": "LGPL-2.1-or-later", "libgssapi-krb5-2": "MIT", "libk5crypto3": "MIT",
         "libkrb5-3": "MIT", "libkrb5support0": "MIT"}
SWIFT = "Apache-2.0 WITH Swift-exception"


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class System:
    """This machine, or that of a folder."""

    def __init__(self, root=None):
        self.root = root or "/"
        self.inside = ["chroot", root] if root else []

    def output(self, *command):
        """What a command of the system prints."""
        return output(*self.inside, *command)

    def path(self, name):
        return Path(self.root, name.lstrip("/"))


def swift_license(folder):
    """The SPDX expression of a checkout's licence file."""
    text = next(folder.glob("LICENSE*")).read_text()
    if "Apache License" in text:
        return SWIFT if "Runtime Library Exception" in text else "Apache-2.0"
    if "Permission is hereby granted, free of charge" in text:
        return "MIT"
    sys.exit(f"sbom.py: the licence in {folder} is unknown; add it to swift_license")


def swift_packages():
    pins = json.loads((REPOSITORY / "Package.resolved").read_text())["pins"]
    for pin in pins:
        location = pin["location"].removesuffix(".git")
        path, state = location.split("://")[-1], pin["state"]
        name = path.rsplit("/", 1)[-1]
        yield {
            "type": "library", "bom-ref": f"swift:{name}", "name": name,
            "version": state["version"], "purl": f"pkg:swift/{path}@{state['version']}",
            "licenses": [{"expression": swift_license(REPOSITORY / ".build/checkouts" / name)}],
            "externalReferences": [{"type": "vcs", "url": location}],
            "properties": [{"name": "pickerd:revision", "value": state["revision"]}]}


def swift_runtime():
    version = re.search(r"Swift version (\S+)", output("swift", "--version"))[1]
    return {
        "type": "framework", "bom-ref": "swift:runtime", "version": version,
        "name": "Swift runtime, Dispatch, and Foundation with ICU",
        "licenses": [{"expression": f"{SWIFT} AND Unicode-3.0"}]}


def debian_names(system, binary):
    """The Debian packages of the libraries that the binary loads."""
    names = set(AT_RUN_TIME)
    cache = system.output("/sbin/ldconfig", "-p")
    loaded = [re.search(rf"{re.escape(name)} \(.*=> (/\S+)", cache)[1] for name in LOADED]
    links = "".join(system.output("ldd", path) for path in [binary, *loaded])
    # A debug build loads the Swift runtime, which has its own component.
    paths = {path for path in re.findall(r"=> (/\S+)", links) if "/lib/swift/" not in path}
    # dpkg knows the paths before and after the merge of /lib into /usr/lib. Each of its runs reads
    # the lists of all packages.
    candidates = {path: (path, "/usr" + path, path.removeprefix("/usr")) for path in paths}
    found = subprocess.run(
        [*system.inside, "dpkg", "-S", *(each for known in candidates.values() for each in known)],
        capture_output=True, text=True).stdout
    owners = {line.rpartition(": ")[2]: line.split(":")[0] for line in found.splitlines()}
    for path, known in candidates.items():
        name = next((owners[each] for each in known if each in owners), None)
        if not name:
            sys.exit(f"sbom.py: no Debian package has {path}")
        names.add(name)
    return sorted(names)


def debian_license(system, name):
    """The licence of the paragraph `Files: *` of a package's copyright file."""
    if name in PROSE:
        return {"expression": PROSE[name]}
    text = system.path(f"/usr/share/doc/{name}/copyright").read_text()
    found = re.search(r"(?m)^Files:\s*\*[^\n]*\n(?:.+\n)*?License: *(\S[^\n]*)", text)
    if not found:
        sys.exit(f"sbom.py: no licence in the copyright file of {name}")
    return {"license": {"name": found[1]}}


def debian_packages(system, binary):
    for name in debian_names(system, binary):
        version, architecture = system.output(
            "dpkg-query", "-W", "-f=${Version} ${Architecture}\n", name).splitlines()[0].split()
        yield {
            "type": "data" if name == "tzdata" else "library", "bom-ref": f"deb:{name}",
            "name": name, "version": version,
            "purl": f"pkg:deb/debian/{name.replace('+', '%2B')}@{version.replace('+', '%2B')}"
                    f"?arch={architecture}",
            "licenses": [debian_license(system, name)]}


def document(binary, root=None):
    system = System(root)
    path = system.path(binary) if root else Path(binary)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    version = (REPOSITORY / "VERSION").read_text().strip()
    components = [*swift_packages(), swift_runtime(), *debian_packages(system, binary)]
    return {
        "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, digest)}",
        "metadata": {"component": {
            "type": "application", "bom-ref": "pickerd", "name": "pickerd", "version": version,
            "licenses": [{"expression": "Apache-2.0"}],
            "hashes": [{"alg": "SHA-256", "content": digest}]}},
        "components": components,
        "dependencies": [
            {"ref": "pickerd", "dependsOn": [each["bom-ref"] for each in components]}]}


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    print(json.dumps(document(*sys.argv[1:]), indent=2, ensure_ascii=False))
