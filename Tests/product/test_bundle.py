"""The bundle of web/bundle.py: few files with budgets, cached forever, and a service worker."""

import gzip
import re
import shutil
from pathlib import Path

import pytest
from harness.definitions import CALENDAR, LISTS
from harness.pickerd import Pickerd, wait_until
from playwright.sync_api import Error, expect
from webpages import bundled

pytest_plugins = ["webpages"]

WEB = Path(__file__).resolve().parents[2] / "web"
#: KB of the files of the client, compressed with gzip.
BUDGETS = {"pickerd.js": 13, "define-calendar.js": 33, "define-availability.js": 38, "elements.js": 48}


@pytest.fixture(scope="module")
def site(bundle, tmp_path_factory):
    """A server of the bundle."""
    server = Pickerd(tmp_path_factory.mktemp("log") / "log", options=("--web", bundle))
    yield server
    server.stop()


def closure(path):
    """A file and those that it imports before it runs."""
    found = [path]
    for each in found:
        imports = re.findall(r"""(?:import|from)\s*"(\.[^"]+)\"""", each.read_text())
        found += [one for one in ((each.parent / name).resolve() for name in imports) if one not in found]
    return found


def size(*paths):
    return sum(len(gzip.compress(path.read_bytes(), 9)) for path in paths)


@pytest.mark.parametrize("name, budget", BUDGETS.items())
def test_the_client_is_within_its_budgets(bundle, name, budget):
    """English is included. A page in another language loads that, too: of `elements.js` it counts."""
    files = closure(bundle / "client/v1" / name)[1:]
    if name == "elements.js":
        languages = [next((bundle / "client/-").glob(f"{path.stem}.*.js")) for path in (WEB / "client/words/tables").iterdir()]
        files.append(max(languages, key=size))
    assert size(*files) <= budget * 1024


def test_a_link_needs_few_files_before_the_picker_is_drawn(bundle):
    page = (bundle / "demo/index.html").read_text()
    needed = set(re.findall(r'(?:src|href)="(demo/-/[^"]+)"', page))
    needed |= set(re.search(r'name="picker-modules" content="([^"]+)"', page)[1].split())
    assert len(needed) <= 6, needed
    assert size(*(bundle / path for path in needed)) <= 46 * 1024


def test_the_home_page_names_at_once_the_files_of_its_two_windows(bundle):
    """They were requested one after the other: the first days came after seven round trips."""
    page = (bundle / "demo/index.html").read_text()
    named = set(re.search(r'name="home-modules" content="([^"]+)"', page)[1].split())
    named |= set(re.findall(r'src="(demo/-/[^"]+)"', page))
    assert re.search(r'name="later-sheet" content="([^"]+)"', page)[1] in named
    for name in ("home", "home-en", "tour"):
        files = closure(next((bundle / "demo/-").glob(f"{name}.*.js")))
        assert {path.relative_to(bundle).as_posix() for path in files} <= named, name


@pytest.mark.parametrize("name", [
    "elements.js", "define-availability.js", "define-calendar.js", "define-wheels.js", "pickerd.js"])
def test_a_stable_address_imports_a_file_that_is_cached_forever(site, name):
    stable = site.get(f"/client/v1/{name}")
    assert stable.headers["cache-control"] == "public, max-age=3600" and stable.headers["etag"]
    hashed = re.search(r'"\.\./(-/[^"]+)"', stable.body.decode())[1]
    assert f'"./{hashed}"' in site.get(f"/client/{name}").body.decode()

    answer = site.get(f"/client/{hashed}")
    assert (answer.status, answer.type) == (200, "text/javascript")
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.headers["access-control-allow-origin"] == "*"
    source_map = re.search(r"sourceMappingURL=(\S+)", answer.body.decode())[1]
    assert site.get(f"/client/-/{source_map}").type == "application/json"


def test_the_tag_imports_stable_addresses_and_is_small(bundle):
    for folder in ("client/v1", "client"):
        file = bundle / folder / "embed.js"
        names = re.findall(r'import\("\./([^"]+)"\)', file.read_text())
        assert sorted(names) == ["define-availability.js", "define-calendar.js", "define-wheels.js"]
        assert all((bundle / folder / name).exists() for name in names)
        # A third of it are two texts in 19 languages.
        assert size(file) <= 2.8 * 1024


def test_equal_sources_have_equal_names(bundle, tmp_path):
    bundled(tmp_path / "web")
    names = [sorted(path.relative_to(folder) for path in folder.rglob("*"))
             for folder in (bundle, tmp_path / "web")]
    assert names[0] == names[1]


def test_a_link_is_opened_used_and_loads_one_language(site, window):
    session = site.session(CALENDAR)
    requests = []
    bo = window(site, session, name="Bo", locale="de", path="#/", waits=False)
    bo.page.on("request", lambda request: requests.append(request.url))
    bo.page.goto(f"http://127.0.0.1:{site.port}/?new#/s/{session.id}")
    bo.day("2018-12-20").click()
    expect(bo.day("2018-12-20")).to_have_attribute("aria-selected", "true")
    bo.invite()
    expect(bo.invitation).to_contain_text("Andere einladen")

    languages = {name for url in requests for name in re.findall(r"-/(\w\w(?:-\w+)?)\.[0-9A-F]{10}\.", url)}
    assert languages == {"de"}
    assert not [url for url in requests if re.search(r"/(client|demo)/(?!-/|pickers)", url)]


def test_wheels_are_loaded_for_the_kinds_that_have_them(site, window):
    session = site.session(LISTS)
    ana = window(site, session)
    ana.row(0, "Windows").click()
    expect(ana.selected(0)).to_have_text("Windows")


def test_the_availability_is_loaded_with_its_texts(site, window):
    session = site.session({"kind": "availability", "dates": {"from": "2018-11-26", "through": "2018-11-30"}})
    ana = window(site, session, name="Ana", locale="de")
    expect(ana.page.locator(".grade-name")).to_have_text(["Ja", "Vielleicht", "Nein"])
    ana.cell(2).click()
    expect(ana.page.locator(".window")).to_have_count(1)


def test_the_page_is_there_while_the_server_is_not(bundle, start, opened):
    server = start(options=("--web", bundle))
    session = server.session(CALENDAR)
    ana = opened(f"http://127.0.0.1:{server.port}/#/s/{session.id}")
    ana.is_loaded()
    ana.page.evaluate("navigator.serviceWorker.ready.then(() => undefined)")
    server.kill()

    ana.page.reload()
    assert ana.connection.get_attribute("data-connection") != "live"
    ana.page.goto(f"http://127.0.0.1:{server.port}/s/{session.id}#token=t")
    ana.lacks_connection("live")
    expect(ana.page).to_have_url(f"http://127.0.0.1:{server.port}/#/s/{session.id}")
    # Only the page itself is stored.
    with pytest.raises(Error, match="ERR_CONNECTION_REFUSED"):
        ana.page.goto(f"http://127.0.0.1:{server.port}/?other")


def test_modules_replace_a_bundle_of_the_same_address(bundle, start, opened, tmp_path):
    folder = tmp_path / "web"
    shutil.copytree(bundle, folder)
    server = start(options=("--web", folder))
    page = opened(f"http://127.0.0.1:{server.port}/").page
    page.evaluate("navigator.serviceWorker.ready.then(() => undefined)")
    folder.rename(tmp_path / "bundle")
    shutil.copytree(WEB, folder)

    def has_gone():
        return page.evaluate("""async () => {
            const worker = await navigator.serviceWorker.getRegistration();
            await worker?.update().catch(() => {});
            return !worker;
        }""")

    # A page that is loaded while its worker goes may wait for it for ever.
    wait_until(has_gone, what="the end of the worker")
    page.reload()
    assert page.locator('script[src="demo/demo.js"]').count() == 1


def test_without_esbuild_the_modules_are_served(start, tmp_path):
    folder = tmp_path / "web"
    assert "esbuild is not installed" in bundled(folder, PATH=str(tmp_path)).stderr
    server = start(options=("--web", folder))
    assert server.get("/client/elements.js").body == (WEB / "client/elements.js").read_bytes()
    server.logged("is not bundled: pages load more slowly")
    server.stop()
    assert server.log.read_text().count("is not bundled") == 1
