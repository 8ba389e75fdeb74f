"""An independent implementation of month grids and bands, compared with the server's."""

from datetime import date, timedelta


def grid(month, first_weekday=1, weeks="six"):
    """The dates of the cells of `month` (`2016-08`); `first_weekday` is 1 (Sunday) to 7."""
    first = date.fromisoformat(month + "-01")
    lead = (first.isoweekday() % 7 + 1 - first_weekday) % 7
    start = first - timedelta(days=lead)
    if weeks == "six":
        count = 42
    else:
        length = (next_month(first) - first).days
        count = (lead + length + 6) // 7 * 7
    return [start + timedelta(days=day) for day in range(count)]


def next_month(first):
    return date(first.year + first.month // 12, first.month % 12 + 1, 1)


def index(month):
    """Months since year 0."""
    return int(month[:4]) * 12 + int(month[5:7]) - 1


def bands(month, selected, first_weekday=1, weeks="six"):
    """The bands of a range (or None) in `month`: one per row of the grid."""
    if not selected or not selected["start"]:
        return []
    start, end = date.fromisoformat(selected["start"]), date.fromisoformat(selected["end"])
    painted = []
    cells = grid(month, first_weekday, weeks)
    for row in range(len(cells) // 7):
        week = cells[row * 7:row * 7 + 7]
        run = [
            column for column, day in enumerate(week)
            if day.isoformat()[:7] == month and start <= day <= end
        ]
        if run:
            painted.append({
                "row": row, "from": run[0], "to": run[-1],
                "shape": "circle" if len(run) == 1 else "pill",
                "head": week[run[0]] == start, "tail": week[run[-1]] == end,
            })
    return painted
