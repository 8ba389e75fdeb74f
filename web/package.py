#!/usr/bin/env python3
"""package.py FOLDER : packs the npm packages @pickerd/client, react and server; prints their paths.
package.py --python FOLDER : builds the backend kit for Python, a wheel and an sdist.
package.py --java FOLDER : builds the client for Java, the files of a Maven repository.
package.py --types : writes the types of the protocol, client/core/protocol.d.ts.

An archive for npm has the modules as they are, with types. Those of the client (.d.ts) are from the
JSDoc comments, by tsc; its custom-elements.json, for editors, is from the tables of the README. The
version is that of the file VERSION. Equal sources make equal files. `--python` needs the modules
`build` and `flit_core`, `--java` a JDK, Kotlin, and the two libraries of the client.
"""

import gzip
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

WEB = Path(__file__).resolve().parent
CLIENT = WEB / "client"
ELEMENTS = {"pickerd-availability": ("AvailabilityElement", "./define-availability.js"),
            "pickerd-calendar": ("CalendarElement", "./define-calendar.js"),
            "pickerd-wheels": ("WheelsElement", "./define-wheels.js")}
#: What the client for Java is compiled with, of Debian.
JARS = ":".join(f"/usr/share/java/{name}.jar" for name in ("com.android.json", "okhttp", "okio"))
TYPES = {"allowJs": True, "declaration": True, "emitDeclarationOnly": True, "strict": True,
         "target": "ES2022", "module": "ES2022", "moduleResolution": "node", "types": [],
         "lib": ["ES2022", "DOM", "DOM.Iterable"]}


def type_of(schema):
    """The TypeScript type of a JSON schema, as far as a type can say it."""
    if "$ref" in schema:
        return schema["$ref"].rsplit("/", 1)[1][0].upper() + schema["$ref"].rsplit("/", 1)[1][1:]
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " | ".join(json.dumps(one) for one in schema["enum"])
    kinds = schema.get("type")
    if isinstance(kinds, list):
        return " | ".join(type_of({**schema, "type": kind}) for kind in kinds)
    if kinds == "object" and "properties" in schema:
        fields = [f"{name}{'' if name in schema.get('required', ()) else '?'}: {type_of(one)}"
                  for name, one in schema["properties"].items()]
        return "{ " + "; ".join(fields) + " }"
    for choice in ("oneOf", "anyOf"):
        if choice in schema:
            return " | ".join(type_of(one) for one in schema[choice])
    if kinds == "array":
        places = schema.get("prefixItems")
        if places and len(places) == schema.get("minItems"):
            return f"[{', '.join(type_of(one) for one in places)}]"
        return f"({type_of(schema.get('items') or {})})[]"
    if kinds == "object":
        return "{ [name: string]: " + type_of(schema.get("additionalProperties") or {}) + " }"
    return {"integer": "number", "number": "number", "string": "string", "boolean": "boolean",
            "null": "null"}.get(kinds, "any")


def named(part, schemas):
    """The names of the schemas that a document's part refers to, directly or not, in this order."""
    found = {}
    waiting = [part]
    while waiting:
        for name in re.findall(r'"\$ref": "[^"]*#/components/schemas/([\w.]+)"', json.dumps(waiting.pop(0))):
            if name not in found:
                found[name] = None
                waiting.append(schemas[name])
    return list(found)


def protocol_types():
    """The types of the protocol's messages, from the AsyncAPI document and the schemas it names."""
    http, components = (
        json.loads((CLIENT / f"api/{name}.json").read_text())["components"] for name in ("openapi", "asyncapi"))
    schemas = http["schemas"] | components["schemas"]
    lines = ["// The messages of the protocol. Made by `package.py --types` from ../api/asyncapi.json.", ""]
    for name in named(components, schemas):
        # The commands have a name as messages.
        if "." not in name:
            lines.append(f"export type {name[0].upper()}{name[1:]} = {type_of(schemas[name])};")
    sides = {"client": [], "server": []}
    for name, message in components["messages"].items():
        side, kind = name.split(".")
        title = f"{kind[0].upper()}{kind[1:]}" + ("Command" if side == "client" else "Message")
        sides[side].append(title)
        schema = message["payload"]["schema"]
        if side == "client" and "$ref" in schema:
            schema = schemas[schema["$ref"].rsplit("/", 1)[1]]
        lines.append(f"export type {title} = {type_of(schema)};")
    for side, titles in sides.items():
        lines.append(f"export type {side.capitalize()}Message = {' | '.join(titles)};")
    return "\n".join(lines) + "\n"


def write_types(folder):
    project = folder / "tsconfig.json"
    project.write_text(json.dumps({
        "compilerOptions": TYPES, "include": ["**/*.js", "**/*.d.ts"], "exclude": ["frameworks"]}))
    subprocess.run(["tsc", "--project", project], check=True, stdout=sys.stderr)
    project.unlink()
    for path in folder.rglob("*.d.ts"):
        # Node's resolution of modules needs the extension.
        text = re.sub(r'"(\.\.?/(?:[\w.]+/)*(?:types|tags|protocol))"', r'"\1.js"', path.read_text())
        path.write_text(text)


def table(readme, heading):
    """The rows of a table of the README, as (names, text)."""
    rows = readme.split(f"\n| {heading} |")[1].split("\n\n")[0].splitlines()[2:]
    for row in rows:
        first, text = re.split(r"(?<!\\) \| ", row.strip("| "), maxsplit=1)
        yield re.findall(r"`([^`]+)`", first), text.strip()


def manifest():
    """The elements, as https://github.com/webcomponents/custom-elements-manifest describes."""
    readme = (CLIENT / "README.md").read_text()

    def entries(heading):
        return [{"name": name, "description": text}
                for names, text in table(readme, heading) for name in names]

    modules = []
    for tag, (name, path) in ELEMENTS.items():
        declaration = {
            "kind": "class", "customElement": True, "name": name, "tagName": tag,
            "superclass": {"name": "HTMLElement"}, "attributes": entries("attribute"), "slots": entries("slot"),
            "cssProperties": entries("custom property"), "cssParts": entries("`::part(…)`")}
        define = {"kind": "custom-element-definition", "name": tag, "declaration": {"name": name}}
        modules.append({"kind": "javascript-module", "path": path, "declarations": [declaration],
                        "exports": [define]})
    return {"schemaVersion": "1.0.0", "modules": modules}


def pack(folder, path):
    """Writes the archive as npm does, with equal bytes for equal files."""
    with gzip.GzipFile(path, "wb", mtime=0) as out, tarfile.open(fileobj=out, mode="w") as archive:
        for each in sorted(folder.rglob("*")):
            if not each.is_file():
                continue
            entry = tarfile.TarInfo(f"package/{each.relative_to(folder)}")
            entry.size, entry.mode = each.stat().st_size, 0o644
            archive.addfile(entry, io.BytesIO(each.read_bytes()))


def describe_client(folder):
    write_types(folder)
    # Bundlers find modules by their names; Vite ignores templates in node_modules.
    tags = sorted(path.stem for path in (folder / "words/tables").glob("*.js"))
    loads = ", ".join(f'"{tag}": () => import("./tables/{tag}.js")' for tag in tags)
    words, template = folder / "words/words.js", "import(`./tables/${tag}.js`)"
    assert template in words.read_text()
    words.write_text(words.read_text().replace(template, f"({{ {loads} }})[tag]()"))
    text = json.dumps(manifest(), indent=2, ensure_ascii=False)
    (folder / "custom-elements.json").write_text(text + "\n")


def write_version(path, version):
    description = json.loads(path.read_text())
    peers = description.get("peerDependencies", {})
    peers |= {name: version for name in peers if name.startswith("@pickerd/")}
    text = json.dumps({**description, "version": version}, indent=2, ensure_ascii=False)
    path.write_text(text + "\n")


def build_python(target, version):
    """The kit is one file to copy; as a package it has a folder, in which `py.typed` says that it has
    types."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        module = folder / "pickerd"
        module.mkdir()
        text = (WEB / "packages/server/pickerd.py").read_text()
        (module / "__init__.py").write_text(f'{text}\n\n__version__ = "{version}"\n')
        (module / "py.typed").touch()
        for path in (WEB / "packages/python/pyproject.toml", WEB / "packages/server/README.md", WEB.parent / "LICENSE"):
            shutil.copy(path, folder)
        # As early as a zip archive can say.
        subprocess.run([sys.executable, "-m", "build", "--no-isolation", "--outdir", target, folder],
                       env={**os.environ, "SOURCE_DATE_EPOCH": "315532800"}, stdout=sys.stderr, check=True)
    return [target / f"pickerd-{version}-py3-none-any.whl", target / f"pickerd-{version}.tar.gz"]


def write_jar(path, folder, manifest):
    """Writes what a folder has as an archive, with equal bytes for equal files."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        def add(name, data):
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, data)

        add("META-INF/MANIFEST.MF", "".join(f"{name}: {value}\r\n" for name, value in manifest.items()) + "\r\n")
        add("META-INF/LICENSE", (WEB.parent / "LICENSE").read_bytes())
        for each in sorted(folder.rglob("*")):
            if each.is_file():
                add(str(each.relative_to(folder)), each.read_bytes())


def build_java(target, version):
    """The files of a Maven repository, without Maven: it would need a repository with its plugins."""
    java, kotlin = (WEB / "packages/java/src/main" / name for name in ("java", "kotlin"))
    files = sorted(java.rglob("*.java"))
    place = target / "org/pickerd/pickerd-client" / version
    place.mkdir(parents=True)
    paths = [place / f"pickerd-client-{version}{end}" for end in (".jar", "-sources.jar", "-javadoc.jar", ".pom")]
    manifest = {"Manifest-Version": "1.0", "Automatic-Module-Name": "org.pickerd.client",
                "Implementation-Title": "pickerd-client", "Implementation-Version": version}
    with tempfile.TemporaryDirectory() as temporary:
        classes, documentation = Path(temporary) / "classes", Path(temporary) / "documentation"
        options = ["--release", "11", "-encoding", "UTF-8", "-classpath", JARS]
        subprocess.run(["javac", *options, "-Xlint:all", "-Werror", "-d", classes, *files], check=True)
        subprocess.run(["kotlinc", "-Werror", "-jvm-target", "1.8", "-module-name", "pickerd-client",
                        "-classpath", f"{JARS}:{classes}", "-d", Path(temporary) / "kotlin", *kotlin.rglob("*.kt")],
                       stdout=sys.stderr, check=True)
        shutil.copytree(Path(temporary) / "kotlin", classes, dirs_exist_ok=True)
        sources = shutil.copytree(java, Path(temporary) / "sources")
        shutil.copytree(kotlin, sources, dirs_exist_ok=True)
        subprocess.run(["javadoc", *options, "-Xdoclint:all", "-Werror", "-quiet", "-notimestamp",
                        "-d", documentation, *files], stdout=sys.stderr, check=True)
        for path, folder in zip(paths, (classes, sources, documentation)):
            write_jar(path, folder, manifest)
    pom = (WEB / "packages/java/pom.xml").read_text()
    paths[-1].write_text(pom.replace("<version>0</version>", f"<version>{version}</version>"))
    for path in paths:
        for name in ("md5", "sha1"):
            path.with_name(f"{path.name}.{name}").write_text(hashlib.new(name, path.read_bytes()).hexdigest())
    return paths


def main():
    if sys.argv[1] == "--types":
        (CLIENT / "core/protocol.d.ts").write_text(protocol_types())
        return
    version = (WEB.parent / "VERSION").read_text().strip()
    builders = {"--python": build_python, "--java": build_java}
    if sys.argv[1] in builders:
        print(*builders[sys.argv[1]](Path(sys.argv[2]).absolute(), version), sep="\n")
        return
    target = Path(sys.argv[1])
    for source in ("client", "react", "packages/server"):
        name = Path(source).name
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary) / "package"
            shutil.copytree(WEB / source, folder, ignore=shutil.ignore_patterns(
                "api", "v1", "*.py", "__pycache__"))
            shutil.copy(WEB.parent / "LICENSE", folder)
            if name == "client":
                describe_client(folder)
            write_version(folder / "package.json", version)
            path = target / f"pickerd-{name}-{version}.tgz"
            pack(folder, path)
            print(path)


if __name__ == "__main__":
    main()
