#!/usr/bin/env python3
"""bundle.py FOLDER : writes the web pages and the browser client as pickerd serves them best.

FOLDER gets a copy of this folder, with few files instead of many modules, made by esbuild:

    client/v1/elements.js   stable addresses, which import files from client/-/
    client/elements.js      the same at the addresses without a version
    client/embed.js         what imports them when they are needed
    client/-, demo/-        files with a hash of their content in their names, cached forever
    demo/index.html         the page with these files
    demo/worker.js          the service worker, with the list of the page's files
    docs/                   the documentation, which MkDocs makes of web/docs (mkdocs.yml)

Without esbuild it is a plain copy, which works as well, but loads more slowly; without mkdocs there
is no documentation.
"""

import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import quote

WEB = Path(__file__).resolve().parent
#: Modules of the page that another one loads when they are needed. A module that both use is in the
#: file of the one that is there first, and not in a file of its own, which would be one of many.
LOADED_AFTER = {"demo/picker-page.js": "./demo.js", "demo/home.js": "./demo.js", "demo/around.js": "./demo.js",
                "demo/panels.js": "./picker-page.js", "demo/wheels.js": "./picker-page.js",
                "demo/availability.js": "./picker-page.js", "demo/find-dialog.js": "./home.js",
                "demo/tour.js": "./picker-page.js", "demo/sale.js": "./picker-page.js",
                "demo/closed-page.js": "./picker-page.js",
                "demo/share.js": "./picker-page.js", "demo/name-sheet.js": "./picker-page.js",
                "client/availability/painting.js": "../../demo/availability.js",
                "client/calendar/later.js": "../../demo/picker-page.js",
                "client/wheels/finder.js": "../../demo/wheels.js",
                "client/parts/banner.js": "../../demo/picker-page.js",
                "client/parts/speaker.js": "../../demo/picker-page.js",
                "client/parts/stock.js": "../../demo/picker-page.js"}
#: The same for the client, by its stable addresses.
CLIENT_LOADED_AFTER = {
    "elements.js": {"client/availability/painting.js": "../elements.js",
                    "client/calendar/later.js": "../elements.js", "client/parts/speaker.js": "../elements.js",
                    "client/parts/stock.js": "../elements.js", "client/wheels/finder.js": "../elements.js"},
    "define-availability.js": {"client/availability/painting.js": "../define-availability.js",
                               "client/parts/speaker.js": "../define-availability.js",
                               "client/parts/stock.js": "../define-availability.js"},
    "define-calendar.js": {"client/calendar/later.js": "../define-calendar.js",
                           "client/parts/speaker.js": "../define-calendar.js",
                           "client/parts/stock.js": "../define-calendar.js"},
    "define-wheels.js": {"client/parts/speaker.js": "../define-wheels.js",
                         "client/parts/stock.js": "../define-wheels.js",
                         "client/wheels/finder.js": "../define-wheels.js"}, "pickerd.js": {}}
FLAGS = ["--minify", "--charset=utf8", "--log-level=warning"]


def esbuild(folder, *arguments, text=None):
    done = subprocess.run(["esbuild", *FLAGS, *arguments], cwd=folder, input=text, check=True,
                          stdout=subprocess.PIPE, text=True)
    return done.stdout


def minify_sheets(folder):
    """Minifies the style sheets in modules, which are strings for esbuild."""
    def minified(match):
        return f"{match[1]}(`{esbuild(folder, '--loader=css', text=match[2]).strip()}`)"

    for path in [folder / "client/embed.js", *folder.glob("client/*/*.js")]:
        path.write_text(re.sub(r"\b(sheetOf|replaceSync)\(`([^`\\$]*)`\)", minified, path.read_text()))


def hash_of(*parts):
    return hashlib.sha256(b"".join(parts)).hexdigest()[:10].upper()


def write_tables(folder, words, prefix, *into):
    """Writes the texts of each language as a file with one hash for all of them, so that a bundle
    does not have the name of each, and lets the module `words` import these."""
    tables = {path.stem: path.read_text() for path in sorted((folder / words).glob("tables/*.js"))}
    name = f"{prefix}%s.{hash_of(*(text.encode() for text in tables.values()))}.js"
    for tag, text in tables.items():
        small = esbuild(folder, text=text)
        for one in into:
            (folder / one).mkdir(exist_ok=True)
            (folder / one / (name % tag)).write_text(small)
    module = folder / words / "words.js"
    imports = re.compile(r"import\(`\./tables/(\$\{\w+\})\.js`\)")
    text, count = imports.subn(lambda match: f"import(`./{name % match[1]}`)", module.read_text())
    assert count == 1, f"{words}/words.js imports the tables {count} times"
    module.write_text(text)


class Outputs:
    """The files that esbuild has written, with paths relative to the page."""

    def __init__(self, meta):
        self.files = json.loads(meta.read_text())["outputs"]

    def of(self, source):
        """The file of a module, and all that it imports before it runs."""
        found = [path for path, one in self.files.items() if one.get("entryPoint") == source]
        for each in found:
            found += [one["path"] for one in self.files[each]["imports"]
                      if one["kind"] == "import-statement" and one["path"] not in found]
        return found


def bundled(folder, temporary, source, loaded_after):
    """Bundles a module; its file and those that it loads later are in the folder `-` beside it."""
    meta = Path(temporary) / "meta.json"
    texts = {folder / path: (folder / path).read_text() for path in loaded_after}
    for path, before in loaded_after.items():
        (folder / path).write_text(f'{texts[folder / path]}import "{before}";\n')
    esbuild(folder, "--bundle", "--format=esm", "--splitting", "--entry-names=-/[name].[hash]",
            "--chunk-names=-/[name].[hash]", "--sourcemap", f"--metafile={meta}",
            f"--outdir={Path(source).parent}", source)
    for path, text in texts.items():
        path.write_text(text)
    return Outputs(meta)


def bundle_client(folder, temporary):
    """Hashed files for each stable address, so that a page waits for two rounds of requests."""
    files = {name: bundled(folder, temporary, f"client/{name}", CLIENT_LOADED_AFTER[name]).of(f"client/{name}")
             for name in CLIENT_LOADED_AFTER}
    for name, paths in files.items():
        # What is loaded later needs some of the modules, too, which are in a file of their own: the
        # browser gets it at the same time.
        entry, *others = (path.removeprefix("client/") for path in paths)
        for stable, up in ((folder / "client/v1" / name, ".."), (folder / "client" / name, ".")):
            lines = [*(f'import "{up}/{path}";' for path in others), f'export * from "{up}/{entry}";']
            stable.write_text("\n".join(lines) + "\n")
    # It imports the addresses beside it, later.
    embed = esbuild(folder, "client/embed.js")
    for path in ("client/v1/embed.js", "client/embed.js"):
        (folder / path).write_text(embed)


def write_sheet(folder, name, *paths):
    """Bundles style sheets; returns the path of the file."""
    imports = "".join(f'@import "./{one}";\n' for one in paths)
    css = esbuild(folder, "--bundle", "--loader=css", text=imports)
    path = f"demo/-/{name}.{hash_of(css.encode())}.css"
    (folder / path).write_text(css)
    return path


def bundle_page(folder, temporary):
    """Bundles the demo page; returns the files that it is made of, relative to `folder`."""
    page = (folder / "demo/index.html").read_text()
    first, *others = re.findall(r'<link rel="stylesheet" href="([^"]+)">', page)
    outputs = bundled(folder, temporary, "demo/demo.js", LOADED_AFTER)
    # A bundle of its own, because it reloads a page whose other files cannot be loaded.
    start, = bundled(folder, temporary, "demo/start.js", {}).of("demo/start.js")
    # What the first paint does not need comes later.
    sheet, later = write_sheet(folder, "page", first), write_sheet(folder, "later", *others)

    entry, script = outputs.of("demo/demo.js")
    # Of the home page also its style sheet and its two windows, which would be asked for one after the other.
    needed = {name: " ".join(dict.fromkeys(path for source in sources for path in outputs.of(f"demo/{source}.js")
                                           if path != script))
              for name, sources in (("picker", ["picker-page"]), ("home", ["home", "words/home-en", "tour"]))}
    needed["home"] = f"{later} {needed['home']}"
    lines = [f'<link rel="stylesheet" href="{sheet}">',
             f'<script type="module" src="{script}"></script>',
             f'<meta name="later-sheet" content="{later}">',
             *(f'<meta name="{name}-modules" content="{paths}">'
               for name, paths in needed.items()),
             # The last one: it may change the address, to which the other URLs are relative.
             f'<script type="module" src="{start}" async></script>']
    loads = r'  <(?:link rel="(?:stylesheet|preload)"|script type="module")[^\n]*\n'
    head = "".join(f"  {each}\n" for each in lines)
    page = re.sub(loads, "", page).replace("</head>", head + "</head>")
    icon = "data:image/svg+xml," + quote((folder / "demo/icon.svg").read_text().strip(), " /:=()")
    page = page.replace('src="demo/icon.svg"', f'src="{icon}"'.replace("'", "%27"))
    (folder / "demo/index.html").write_text(page)

    languages = {path for path, one in outputs.files.items()
                 if "/words/" in one.get("entryPoint", "")} - {*outputs.of("demo/home.js")}
    scripts = [path for path in outputs.files
               if path.endswith(".js") and path not in {*languages, entry}]
    return ["./", "demo/icon.svg", "demo/pickers.json", sheet, later, start, *scripts]


def write_worker(folder, files):
    contents = [(folder / path.replace("./", "demo/index.html")).read_bytes() for path in files]
    shell = json.dumps({"version": hash_of(*contents), "files": files})
    esbuild(folder, f"--define:SHELL={shell}", "--allow-overwrite", "--outfile=demo/worker.js",
            "demo/worker.js")


def write_docs(folder):
    """Begins to write the documentation; returns the process, or None without MkDocs."""
    if shutil.which("mkdocs"):
        return subprocess.Popen(["mkdocs", "build", "--quiet", "--config-file", WEB / "docs/mkdocs.yml",
                                 "--site-dir", folder])
    print("bundle.py: mkdocs is not installed, so there is no documentation under /docs/", file=sys.stderr)
    return None


def main():
    folder = Path(sys.argv[1]).absolute()
    if not shutil.which("esbuild"):
        print("bundle.py: esbuild is not installed, so the pages are separate modules, which load"
              " more slowly", file=sys.stderr)
    with tempfile.TemporaryDirectory(dir=folder.parent) as temporary:
        # Moved at the end, so that a running server never has half of it.
        new = Path(temporary) / "web"
        shutil.copytree(WEB, new, ignore=shutil.ignore_patterns(
            "bundle.py", "package.py", "__pycache__", "react", "packages", "examples", "docs"))
        docs = write_docs(new / "docs")
        if shutil.which("esbuild"):
            minify_sheets(new)
            write_tables(new, "client/words", "", "client/-", "demo/-", "client/words")
            write_tables(new, "demo/words", "page-", "demo/-")
            write_worker(new, bundle_page(new, temporary))
            bundle_client(new, temporary)
        if docs and docs.wait():
            raise SystemExit("bundle.py: mkdocs has not made the documentation")
        if folder.exists():
            folder.rename(Path(temporary) / "old")
        new.rename(folder)


if __name__ == "__main__":
    main()
