"""The state that a member folds from its messages, with assertions on every message."""

from . import calendar

ORDER = ["definition", "reload", "row", "months", "range", "bands", "notes", "cells", "past",
         "closed", "marks", "heat", "best", "status", "inventory", "units", "hold", "result"]


TAKING = ("inventory", "units", "hold")


def plain(rows):
    """Rows without their levels."""
    return [(row["key"], row["text"]) for row in rows]


class Screen:
    """Columns or calendar, status and members of one session, as a client folds them."""

    def __init__(self):
        #: The limit `windowRows` of the server; its default until a `welcome`.
        self.window = 200
        #: After resuming in another locale, columns have texts of both until they are reloaded.
        self.has_other_texts = False
        self.definition = None
        self.status = None
        self.result = None
        self.columns = []
        self.months = None
        self.range = None
        self.weekdays = None
        self.availability = None
        #: What the snapshot has of an inventory: `inventory`, `units` and `hold`.
        self.taking = {}
        self.revision = None
        self.epoch = None
        self.members = {}
        self.touching = {}
        self.views = {}

    # Complete states

    def show(self, snapshot):
        """Replaces the state with `snapshot`."""
        self.has_other_texts = False
        self.definition = snapshot["definition"]
        self.status = snapshot["status"]
        self.result = snapshot["result"]
        self.columns = [dict(column) for column in snapshot.get("columns", [])]
        for column in self.columns:
            check_window(column, self.window)
            column["key"], column["text"] = selected(column)
        if "calendar" in snapshot:
            self.months = dict(snapshot["calendar"]["months"])
            check_list(self.months)
            self.range = snapshot["calendar"]["range"]
            self.weekdays = snapshot["calendar"]["weekdays"]
            self.check_range()
        self.availability = snapshot.get("availability") and Availability(
            snapshot["availability"])
        self.taking = {k: snapshot[k] for k in TAKING if k in snapshot}
        self.views = {}

    def show_months(self, message):
        """Replaces the subscribed months."""
        self.views = {}
        for view in message["months"]:
            month = view["month"]
            days = calendar.grid(month, *self.grid_rules)
            assert [cell["date"] for cell in view["cells"]] == [day.isoformat() for day in days], (
                f"the cells of {month} are whole weeks starting with firstWeekday")
            for cell in view["cells"]:
                assert cell.get("outside", False) == (cell["date"][:7] != month), (
                    f"outside is set if and only if a cell is not in {month}: {cell}")
            self.views[month] = {"cells": view["cells"], "bands": view["bands"]}
        self.check_bands()

    # Changes

    def apply(self, delta, with_bands=True):
        """Applies a delta's changes and asserts the invariants of deltas."""
        changes = delta["changes"]
        ranks = [(ORDER.index(c["change"]), c.get("column", -1)) for c in changes]
        columns_once = [rank for rank in ranks if rank[0] < 4]
        assert ranks == sorted(ranks) and len(set(columns_once)) == len(columns_once), (
            f"changes are in order, with at most one of a kind per column: {changes}")
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
            self.views = {}  # The server sends them again.

    def _notes(self, change):
        for date, note in change.get("days", {}).items():
            cells = [cell for view in self.views.values() for cell in view["cells"]
                     if cell["date"] == date]
            assert cells, f"only days of the months in view are sent: {change}"
            for cell in cells:
                assert cell.get("note") != note, f"only what differs is sent: {change}"
                put_note(cell, note)
        rows = change.get("rows", {})
        for row in self.columns[change["column"]]["rows"] if rows else []:
            if row["key"] in rows:
                assert row.get("note") != rows[row["key"]], f"only what differs is sent: {change}"
                put_note(row, rows[row["key"]])

    def _reload(self, change):
        index = change["column"]
        if change.get("removed"):
            assert change["count"] == 0 and change["row"] is None, f"a removed column: {change}"
            self.columns = self.columns[:index]
            return
        if index == len(self.columns):
            self.columns.append({"generation": change["generation"] - 1})
        column = self.columns[index]
        if change["generation"] == column["generation"]:
            if change["from"] == column["from"]:
                assert plain(change["rows"]) == plain(column["rows"]), (
                    f"rows of the same generation differ only in their levels: {change}")
            assert change["rows"] != column["rows"], f"a reload changes something: {change}"
        else:
            assert change["generation"] == column["generation"] + 1, (
                f"a reload increments the generation {column['generation']}: {change}")
        column.update({k: change[k] for k in ("generation", "count", "from", "rows", "row")})
        check_window(column, self.window)
        column["key"], column["text"] = selected(column)

    def _row(self, change):
        column = self.columns[change["column"]]
        assert 0 <= change["row"] < column["count"], f"row does not exist: {change}"
        at = change["row"] - column["from"]
        if 0 <= at < len(column["rows"]):
            shown = column["rows"][at]
            assert shown["key"] == change["key"], f"the row on the screen is {shown}: {change}"
            assert shown["text"] == change["text"] or self.has_other_texts, (
                f"the row on the screen is {shown}: {change}")
        column.update({k: change[k] for k in ("row", "key", "text")})

    def _months(self, change):
        assert self.months != {k: change[k] for k in ("first", "last", "count")}, (
            f"months are sent only if they changed: {change}")
        self.months = {k: change[k] for k in ("first", "last", "count")}
        check_list(self.months)

    def _range(self, change):
        wanted = ("start", "end", "hits", "by", "reach")
        self.range = {k: change[k] for k in wanted if k in change} if change["start"] else None
        self.check_range()

    def _cells(self, change):
        self.availability.number(change)

    def _past(self, change):
        assert self.availability.fields["past"] != change["past"], f"nothing new: {change}"
        self.availability.fields["past"] = change["past"]

    def _closed(self, change):
        assert self.availability.fields["closed"] != change["closed"], f"nothing new: {change}"
        self.availability.fields["closed"] = change["closed"]

    def _marks(self, change):
        self.availability.mark(change)

    def _heat(self, change):
        self.availability.warm(change)

    def _best(self, change):
        self.availability.fields["best"] = change["windows"]

    def _bands(self, change):
        view = self.views.get(change["month"])
        assert view is not None, f"bands are sent only to subscribers of the month: {change}"
        assert view["bands"] != change["bands"], f"bands are sent only if they changed: {change}"
        view["bands"] = change["bands"]

    def _status(self, change):
        self.status = change["status"]
        if "result" in change:
            assert self.status in ("confirming", "confirmed"), f"{change} has no result"
            if self.availability:
                return  # It may be another window, or without counts: the result follows then.
            shown = {k: v for k, v in change["result"].items() if k != "data"}
            assert self.result == shown, (
                f"the confirmed result is the current one, {self.result}: {change}")

    def _inventory(self, change):
        assert self.taking["inventory"] != change["inventory"], f"nothing new: {change}"
        self.taking["inventory"] = change["inventory"]
        if change["inventory"] is None:
            self.taking = {}

    def _units(self, change):
        assert self.taking["units"] != change["units"], f"nothing new: {change}"
        self.taking["units"] = change["units"]

    def _hold(self, change):
        hold = {k: v for k, v in change.items() if k != "change"}
        if change["state"] == "none":
            assert self.taking.pop("hold", None), f"there was no hold that could end: {change}"
        else:
            assert self.taking.get("hold") != hold, f"nothing new: {change}"
            self.taking["hold"] = hold

    def _result(self, change):
        assert self.result != change["result"], f"a result is sent only if it changed: {change}"
        self.result = change["result"]

    def check_current(self, change):
        """Asserts that a change in a refusal equals the current state."""
        if self.definition is None:
            return
        if change["change"] == "range":
            right = self.range or {"start": None, "end": None, "hits": 0}
            assert {k: change.get(k) for k in right} == right, f"expected {right}: {change}"
            return
        column = self.columns[change["column"]]
        fields = ("row", "key", "text")
        if change["change"] == "reload":
            check_window(change, self.window)
            fields = ("generation", "count", "row")
        for field in fields:
            assert change[field] == column[field], f"expected {column[field]}: {change}"

    # Invariants

    @property
    def grid_rules(self):
        return self.definition.get("firstWeekday", 1), self.definition.get("weeks", "six")

    def check_moved(self, changes, keys_before):
        """Asserts a `row` for each column whose selected key changed, and for no other."""
        moved = {c["column"] for c in changes if c["change"] == "row"}
        for number, (before, column) in enumerate(zip(keys_before, self.columns)):
            if number in moved:
                assert column["key"] != before, f"row {number} has the same key: {changes}"
            elif column["key"] is not None:
                assert column["key"] == before, f"no row for column {number}: {changes}"

    def check_bands(self):
        for month, view in self.views.items():
            right = calendar.bands(month, self.range, *self.grid_rules)
            assert view["bands"] == right, (
                f"bands of {month} for {self.range}: received {view['bands']}, expected {right}")

    def check_range(self):
        if self.range:
            assert self.range["start"] <= self.range["end"], f"start is not after end: {self.range}"
            is_open = self.range["hits"] % 2 == 1 and self.definition["selection"] == "range"
            assert ("reach" in self.range) == is_open, f"reach of an open range only: {self.range}"
            if is_open:
                assert self.range["start"] == self.range["end"], f"one open day: {self.range}"

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
        """Describes the first difference from the server's `GET` response, or None."""
        snapshot = answer["snapshot"]
        if self.revision != answer["revision"]:
            return f"revision {self.revision}, server {answer['revision']}"
        if self.status != snapshot["status"]:
            return f"status {self.status}, server {snapshot['status']}"
        hides_result = self.definition.get("results") == "owner"
        if self.result != snapshot["result"] and not hides_result:
            return f"result {self.result}, server {snapshot['result']}"
        for number, (mine, theirs) in enumerate(zip(self.columns, snapshot.get("columns", []))):
            for field in ("generation", "count", "row"):
                if mine[field] != theirs[field]:
                    return f"column {number} {field}: {mine[field]}, server {theirs[field]}"
            if mine["count"] <= self.window and mine["rows"] != theirs["rows"]:
                return f"column {number} rows: {mine['rows']}, server {theirs['rows']}"
            if (mine["key"], mine["text"]) != selected(theirs):
                return f"column {number}: {mine['key']}, server {selected(theirs)}"
        if "calendar" in snapshot and {
                k: snapshot["calendar"][k] for k in ("months", "range")} != {
                "months": self.months, "range": self.range}:
            return f"calendar {self.months} {self.range}, server {snapshot['calendar']}"
        if self.taking != {k: snapshot[k] for k in TAKING if k in snapshot}:
            return f"inventory {self.taking}, server {snapshot}"
        if "availability" in snapshot:
            if self.definition["results"] == "everyone":
                self.availability.check_counts()
            return self.availability.differs_from(snapshot["availability"])
        return None


def put_note(place, note):
    """Sets or removes the note of a cell or a row."""
    place.pop("note", None)
    if note is not None:
        place["note"] = note


def selected(column):
    """Key and text of the selected row; two Nones for an empty column."""
    if column["row"] is None:
        return None, None
    row = column["rows"][column["row"] - column["from"]]
    return row["key"], row["text"]


def check_window(column, size):
    """Asserts a window of all rows up to `size`, else of `size` around the selected row."""
    count = column["count"]
    shown = {k: column[k] for k in ("count", "from", "row")} | {"rows": len(column["rows"])}
    if count == 0:
        right = {"count": 0, "from": 0, "row": None, "rows": 0}
    elif count <= size:
        right = {"count": count, "from": 0, "row": column["row"], "rows": count}
    else:
        start = min(max(column["row"] - size // 2, 0), count - size)
        right = {"count": count, "from": start, "row": column["row"], "rows": size}
    assert shown == right, f"window of rows: {shown}, expected {right}"
    assert count == 0 or 0 <= column["row"] < count, f"the selected row exists: {shown}"


def check_list(months):
    between = calendar.index(months["last"]) - calendar.index(months["first"]) + 1
    assert months["count"] == between, f"count does not match first and last: {months}"


class Availability:
    """Cells, marks and counts, as a client folds them."""

    LAYOUT = ("count", "timeZone", "days", "rows", "months", "weekdays")

    def __init__(self, snapshot):
        self.fields = {k: v for k, v in snapshot.items() if k not in ("marks", "heat")}
        self.marks = {}
        self.heat = {}
        for marks in snapshot["marks"]:
            self.mark(marks)
        self.warm({"runs": snapshot.get("heat", [])})
        self.check_layout()

    def number(self, change):
        """Takes new cells, none of which has a mark."""
        assert change["generation"] == self.fields["generation"] + 1, (
            f"new cells increment the generation {self.fields['generation']}: {change}")
        for name in self.LAYOUT:
            self.fields.pop(name, None)
        self.fields |= {k: v for k, v in change.items() if k != "change"}
        self.marks, self.heat = {}, {}
        self.check_layout()

    def mark(self, change):
        own = self.marks.setdefault(change["member"], {})
        check_runs(change["runs"], self.fields["count"])
        for first, end, grade in change["runs"]:
            for cell in range(first, end):
                assert own.get(cell) != grade, f"only what differs is sent: {cell} in {change}"
                if grade is None:
                    del own[cell]
                else:
                    own[cell] = grade
        if not own:
            del self.marks[change["member"]]

    def warm(self, change):
        if "respondents" in change:
            self.fields["respondents"] = change["respondents"]
        check_runs(change["runs"], self.fields["count"])
        for first, end, *counts in change["runs"]:
            for cell in range(first, end):
                assert self.heat.get(cell, [0, 0, 0]) != counts, f"only what differs: {change}"
                if any(counts):
                    self.heat[cell] = counts
                else:
                    del self.heat[cell]

    def check_layout(self):
        """Asserts that each cell has one place."""
        places = self.fields.get("months", self.fields["days"])
        cells = sorted(cell for place in places for first, count, _ in place["cells"]
                       for cell in range(first, first + count))
        assert cells == list(range(self.fields["count"])), f"each cell has one place: {places}"
        if "rows" in self.fields:
            last = max((row + count for day in places for _, count, row in day["cells"]),
                       default=0)
            assert last == len(self.fields["rows"]), f"rows are those of cells: {places}"

    def check_counts(self):
        """Asserts the counts, if the marks of all are known."""
        counted = {}
        for own in self.marks.values():
            for cell, grade in own.items():
                counts = counted.setdefault(cell, [0, 0, 0])
                counts[["yes", "maybe", "no"].index(grade)] += 1
        assert counted == self.heat, f"counted {counted}, received {self.heat}"
        assert len(self.marks) == self.fields["respondents"], self.marks.keys()

    def differs_from(self, snapshot):
        """The first difference from a snapshot that an observer gets, or None.

        An observer may see less, and in another time zone and language.
        """
        seen = Availability(snapshot)
        for field in ("generation", "count", "past", "closed"):
            if self.fields[field] != seen.fields[field]:
                return f"{field}: {self.fields[field]}, server {seen.fields[field]}"
        for member, marks in seen.marks.items():
            if self.marks.get(member) != marks:
                return f"marks of {member}: {self.marks.get(member)}, server {marks}"
        if "heat" not in snapshot:
            return None
        if self.heat != seen.heat or self.fields["respondents"] != seen.fields["respondents"]:
            return f"heat {self.heat}, server {seen.heat}"
        numbers = [[{k: v for k, v in window.items() if k != "text"} for window in best]
                   for best in (self.fields["best"], seen.fields["best"])]
        return None if numbers[0] == numbers[1] else f"best {numbers[0]}, server {numbers[1]}"


def check_runs(runs, count):
    """Asserts that runs ascend, do not touch with the same value, and are of cells."""
    for (_, end, *value), (first, _, *other) in zip(runs, runs[1:]):
        assert end < first or end == first and value != other, f"as few runs as possible: {runs}"
    assert all(0 <= first < end <= count for first, end, *_ in runs), f"runs of cells: {runs}"
