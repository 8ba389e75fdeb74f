"""Common definitions. The default time of sessions is `pickerd.NOON`, 2018-11-23 10:00."""

DATE = {"kind": "date", "timeZone": "Asia/Shanghai"}
SLOT = {"kind": "slot", "timeZone": "Asia/Shanghai"}
TREE = {"kind": "cascade", "nodes": [
    {"text": "Guangdong", "children": [
        {"text": "Guangzhou", "children": [{"text": "Haizhu"}, {"text": "Yuexiu"}]},
        {"text": "Chaozhou", "children": [{"text": "Xiangqiao"}]}]},
    {"text": "Sichuan", "children": [
        {"text": "Chengdu", "children": [{"text": "Pixian"}]},
        {"text": "Leshan"}]}]}
LISTS = {"kind": "columns", "columns": [
    ["MacOS", "Windows", "Linux", "Ubuntu"], ["Xcode", "VSCode", "Sublime", "Atom"]]}
LONG = {"kind": "columns", "columns": [[f"row {n}" for n in range(10_000)]]}
CALENDAR = {"kind": "calendar", "timeZone": "Asia/Shanghai",
            "months": {"from": "2018-01", "through": "2019-12"}}


def heavy(letters=200):
    """Two branches with 200 rows of long text: a select in column 0 sends a large reload."""
    return {"kind": "cascade", "nodes": [
        {"text": side, "children": [
            {"text": f"{side} {n} ".ljust(letters, "x")} for n in range(200)]}
        for side in ("left", "right")]}
