"""Browser contexts of members, and their pages, which tests use in turn."""

from .patience import PATIENCE

#: What a page shows while it loads does not pulse: drawing that takes a third of the CPU time of
#: a page load, and more on a busy machine.
STILL = """{
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(".boot { animation: none !important }");
  document.adoptedStyleSheets = [sheet];
}"""

#: Notes and tips stay for an hour: a busy machine may not look at one while it is shown.
#: A pressed arrow button would repeat after 380 ms, also when its release is delayed. The timers of a
#: connection are unchanged: a random pause of one in a thousand reconnections is 380 ms. A finger
#: that swipes (`fingers.py`) is not held for 350 ms, also when its first move is delayed.
PATIENT_TIMERS = """{
  const { setTimeout } = window;
  const isPatient = (delay) => delay === 380 ? !Error().stack.includes("core/environment.js")
    : delay === 350 ? window.isSwiped && Error().stack.includes("parts/press.js")
    : delay > 2500 && /parts.note|wheels.column-view/.test(Error().stack);
  window.setTimeout = (work, delay, ...rest) =>
    setTimeout(work, isPatient(delay) ? 3_600_000 : delay, ...rest);
}"""

#: Empties a page whose settings, and size of texts, are still those with which it was loaded;
#: whether they are.
EMPTIED = """(name) => {
  const kept = (key) => localStorage.getItem(`pickerd ${key}`);
  if (kept("name") !== name || kept("locale") !== null || kept("theme") !== null) return false;
  if (getComputedStyle(document.documentElement).fontSize !== "16px") return false;
  localStorage.clear();
  sessionStorage.clear();
  localStorage.setItem("pickerd name", name);
  document.getElementById("main").replaceChildren();
  return true;
}"""


def patient(place):
    """A context or a page whose waits end only if a process hangs."""
    place.set_default_timeout(1000 * PATIENCE)
    return place


class Contexts:
    """Contexts for members. A used one has a process and a cache: its pages open with less CPU.

    Every test has an empty storage, and new pages unless its file has the mark `used_pages`: then
    a page of an earlier test goes to the test's address, which takes a quarter of the CPU of a page
    load. Such a page is empty until then.
    """

    #: Unused contexts. Each has a process.
    UNUSED_MAX = 8

    def __init__(self, browser):
        self.browser = browser
        #: With what they were made; the one used last is at the end.
        self.unused = []
        self.made = {}
        #: The loaded page of an unused context, with its origin.
        self.loaded = {}

    def take(self, address, name, **options):
        """A context whose pages have the member's name; a page at `address` retains its process."""
        key = (name, options)
        origin = address[:address.index("/", len("http://"))]
        equal = [context for context, other in self.unused if other == key]
        if equal:
            # First one whose page is loaded from there.
            context = next((one for one in equal if self.loaded.get(one, ("",))[0] == origin), equal[0])
            self.unused.remove((context, key))
        else:
            context = patient(self.browser.new_context(**options))
            context.new_page().goto(address)
            context.add_init_script(PATIENT_TIMERS)
            context.add_init_script(STILL)
            context.add_init_script(f"localStorage.setItem('pickerd name', {name!r})")
            self.made[context] = key
        return context

    def page(self, context, origin):
        """The page of an earlier test at the origin, or a new one; whether it is loaded."""
        other, page = self.loaded.pop(context, (None, None))
        if other == origin:
            return page, True
        if page:
            page.close()
        return context.new_page(), False

    def give_back(self, context, origin=None):
        """With an origin, one page there is retained for another test."""
        context.set_offline(False)
        context.clear_cookies()
        _, *pages = context.pages
        for page in pages:
            if origin and context not in self.loaded and self.empty(context, page, origin):
                self.loaded[context] = origin, page
                continue
            if page.url.startswith("http"):
                page.evaluate("localStorage.clear()")
            page.close()
        self.unused.append((context, self.made[context]))
        if len(self.unused) > self.UNUSED_MAX:
            self.close(self.unused.pop(0)[0])

    def empty(self, context, page, origin):
        """Makes the page as it was before the test; whether that is possible."""
        (name, _) = self.made[context]
        if not page.url.startswith(f"{origin}/#/") or not page.evaluate(EMPTIED, name):
            return False
        page.emulate_media(color_scheme="light")
        page.mouse.up()
        page.mouse.move(0, 0)
        return True

    def close(self, context):
        del self.made[context]
        self.loaded.pop(context, None)
        context.close()
