"""What a member's screen shows: the fold of the messages it heard, checked at every step."""

from . import calendar

ORDER = ["definition", "reload", "row", "months", "range", "bands", "status", "result"]
WINDOW = 200


class Screen:
    """Columns or calendar, status and members of one session, as a client folds them."""

    def __init__(self):
        #: Whoever comes back in another locale shows texts of both until it reloads.
        self.has_other_texts = False
        self.definition = None
        self.status = None
        self.result = None
        self.columns = []
        self.months = None
        self.range = None
        self.weekdays = None
        self.revision = None
        self.epoch = None
        self.members = {}
        self.touching = {}
        self.views = {}

    # Whole states

    def show(self, snapshot):
        """Forgets what was there and shows `snapshot`."""
        self.has_other_texts = False
        self.definition = snapshot["definition"]
        self.status = snapshot["status"]
        self.result = snapshot["result"]
        self.columns = [dict(column) for column in snapshot.get("columns", [])]
        for column in self.columns:
            check_window(column)
            column["key"], column["text"] = selected(column)
        if "calendar" in snapshot:
            self.months = dict(snapshot["calendar"]["months"])
            check_list(self.months)
            self.range = snapshot["calendar"]["range"]
            self.weekdays = snapshot["calendar"]["weekdays"]
            self.check_range()
        self.views = {}

    def show_months(self, message):
        """Shows the months that the member looks at from now on."""
        self.views = {}
        for view in message["months"]:
            month = view["month"]
            days = calendar.grid(month, *self.grid_rules)
            assert [cell["date"] for cell in view["cells"]] == [day.isoformat() for day in days], (
                f"the cells of {month} are whole weeks from firstWeekday on")
            for cell in view["cells"]:
                assert cell.get("outside", False) == (cell["date"][:7] != month), (
                    f"outside says whether a cell is of {month}: {cell}")
            self.views[month] = {"cells": view["cells"], "bands": view["bands"]}
        self.check_bands()

    # Changes

    def apply(self, delta, with_bands=True):
        """Applies a delta's changes and asserts what every delta must hold to."""
        changes = delta["changes"]
        ranks = [(ORDER.index(c["change"]), c.get("column", -1)) for c in changes]
        columns_once = [rank for rank in ranks if rank[0] < 3]
        assert ranks == sorted(ranks) and len(set(columns_once)) == len(columns_once), (
            f"changes come in their order, a column once: {changes}")
        keys_before = [column["key"] for column in self.columns]
        for change in changes:
            getattr(self, "_" + change["change"])(change)
        self.check_moved(changes, keys_before)
        if with_bands:
            self.check_bands()
        elif any(change["change"] in ("range", "months") for change in changes):
            self.views = {}

    def _definition(self, change):
        before = self.grid_rules
        self.definition = change["definition"]
        self.weekdays = change.get("weekdays", self.weekdays)
        if self.grid_rules != before:
            self.views = {}  # They are sent again.

    def _reload(self, change):
        index = change["column"]
        if change.get("removed"):
            assert change["count"] == 0 and change["row"] is None, f"a removed column: {change}"
            self.columns = self.columns[:index]
            return
        if index == len(self.columns):
            self.columns.append({"generation": change["generation"] - 1})
        column = self.columns[index]
        assert change["generation"] == column["generation"] + 1, (
            f"a reload is one more generation: had {column['generation']}, heard {change}")
        column.update({k: change[k] for k in ("generation", "count", "from", "rows", "row")})
        check_window(column)
        column["key"], column["text"] = selected(column)

    def _row(self, change):
        column = self.columns[change["column"]]
        assert 0 <= change["row"] < column["count"], f"no such row to move to: {change}"
        at = change["row"] - column["from"]
        if 0 <= at < len(column["rows"]):
            shown = column["rows"][at]
            assert shown["key"] == change["key"], f"the row on the screen is {shown}: {change}"
            assert shown["text"] == change["text"] or self.has_other_texts, (
                f"the row on the screen is {shown}: {change}")
        column.update({k: change[k] for k in ("row", "key", "text")})

    def _months(self, change):
        assert self.months != {k: change[k] for k in ("first", "last", "count")}, (
            f"only what changed is pushed: {change}")
        self.months = {k: change[k] for k in ("first", "last", "count")}
        check_list(self.months)

    def _range(self, change):
        kept = ("start", "end", "hits", "by", "reach")
        self.range = {k: change[k] for k in kept if k in change} if change["start"] else None
        self.check_range()

    def _bands(self, change):
        view = self.views.get(change["month"])
        assert view is not None, f"bands go only to members who look at that month: {change}"
        assert view["bands"] != change["bands"], f"only changed bands are pushed: {change}"
        view["bands"] = change["bands"]

    def _status(self, change):
        self.status = change["status"]
        if "result" in change:
            assert self.status == "confirmed", f"only a confirmation has its result: {change}"
            assert self.result == change["result"], (
                f"what is confirmed is the result {self.result}: {change}")

    def _result(self, change):
        assert self.result != change["result"], f"only another result is sent: {change}"
        self.result = change["result"]

    def stands(self, change):
        """A refusal says where the wheels really stand: as they are shown, if all was heard."""
        if self.definition is None:
            return
        if change["change"] == "range":
            right = self.range or {"start": None, "end": None, "hits": 0}
            assert {k: change.get(k) for k in right} == right, f"range is {right}, said {change}"
            return
        column = self.columns[change["column"]]
        fields = ("row", "key", "text")
        if change["change"] == "reload":
            check_window(change)
            fields = ("generation", "count", "row")
        for field in fields:
            assert change[field] == column[field], f"{field} is {column[field]}, said {change}"

    # What must hold

    @property
    def grid_rules(self):
        return self.definition.get("firstWeekday", 1), self.definition.get("weeks", "six")

    def check_moved(self, changes, keys_before):
        """A `row` follows where the selected key changed, and only there."""
        moved = {c["column"] for c in changes if c["change"] == "row"}
        for number, (before, column) in enumerate(zip(keys_before, self.columns)):
            if number in moved:
                assert column["key"] != before, f"column {number} has not moved: {changes}"
            elif column["key"] is not None:
                assert column["key"] == before, f"column {number} moved without a row: {changes}"

    def check_bands(self):
        for month, view in self.views.items():
            right = calendar.bands(month, self.range, *self.grid_rules)
            assert view["bands"] == right, (
                f"bands of {month} for {self.range}: shown {view['bands']}, right {right}")

    def check_range(self):
        if self.range:
            assert self.range["start"] <= self.range["end"], f"start ≤ end: {self.range}"
            is_open = self.range["hits"] % 2 == 1 and self.definition["selection"] == "range"
            assert ("reach" in self.range) == is_open, f"reach while open, only then: {self.range}"
            if is_open:
                assert self.range["start"] == self.range["end"], f"an open range: {self.range}"

    def people(self, message):
        """Folds a presence message."""
        for member in message.get("joined", []) + message.get("changed", []):
            self.members[member["id"]] = member
        for member in message.get("left", []):
            self.members.pop(member, None)
            self.touching.pop(member, None)
        for touch in message.get("touching", []):
            where = {k: v for k, v in touch.items() if k != "member"}
            if where:
                self.touching[touch["member"]] = where
            else:
                self.touching.pop(touch["member"], None)

    def differs_from(self, answer):
        """Names what differs from the server's own `GET` answer, or None."""
        snapshot = answer["snapshot"]
        if self.revision != answer["revision"]:
            return f"revision {self.revision}, server {answer['revision']}"
        if self.status != snapshot["status"]:
            return f"status {self.status}, server {snapshot['status']}"
        if self.result != snapshot["result"]:
            return f"result {self.result}, server {snapshot['result']}"
        for number, (mine, theirs) in enumerate(zip(self.columns, snapshot.get("columns", []))):
            for field in ("generation", "count", "row"):
                if mine[field] != theirs[field]:
                    return f"column {number} {field}: {mine[field]}, server {theirs[field]}"
            if mine["count"] <= WINDOW and mine["rows"] != theirs["rows"]:
                return f"column {number} rows: {mine['rows']}, server {theirs['rows']}"
            if (mine["key"], mine["text"]) != selected(theirs):
                return f"column {number}: {mine['key']}, server {selected(theirs)}"
        if "calendar" in snapshot and {
                k: snapshot["calendar"][k] for k in ("months", "range")} != {
                "months": self.months, "range": self.range}:
            return f"calendar {self.months} {self.range}, server {snapshot['calendar']}"
        return None


def selected(column):
    """Key and text of the selected row, or two Nones of an empty column."""
    if column["row"] is None:
        return None, None
    row = column["rows"][column["row"] - column["from"]]
    return row["key"], row["text"]


def check_window(column):
    """All rows up to 200, else 200 of them from selected − 100, cut to 0…count − 200."""
    count = column["count"]
    shown = {k: column[k] for k in ("count", "from", "row")} | {"rows": len(column["rows"])}
    if count == 0:
        right = {"count": 0, "from": 0, "row": None, "rows": 0}
    elif count <= WINDOW:
        right = {"count": count, "from": 0, "row": column["row"], "rows": count}
    else:
        start = min(max(column["row"] - WINDOW // 2, 0), count - WINDOW)
        right = {"count": count, "from": start, "row": column["row"], "rows": WINDOW}
    assert shown == right, f"a window of rows: {shown}, right {right}"
    assert count == 0 or 0 <= column["row"] < count, f"one row is selected: {shown}"


def check_list(months):
    between = calendar.index(months["last"]) - calendar.index(months["first"]) + 1
    assert months["count"] == between, f"count is first…last: {months}"
