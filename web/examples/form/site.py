"""Writes the page: a month as a picture, and the result as a sentence. A press is a tap of a member
of the session, for which this site sends an HTTP command."""

import datetime, itertools

SIZE = 480
members, refs = {}, itertools.count(1)


def tap(api, session, month, x, y):
    path = f"/v1/sessions/{session}"
    if not members:
        members.update(api.request("POST", f"{path}/members", {"name": "Ana"})["member"])
    api.request("POST", f"{path}/commands", {
        "member": members["id"], "secret": members["secret"], "type": "tap", "ref": next(refs),
        "month": month, "x": x, "y": y})


def month_of(day, months):
    return str((day.replace(day=15) + datetime.timedelta(days=30 * months)))[:7]


def page(text, api, base, ids, fields):
    stay = ids["stay"]
    month = fields.get("month") or str(datetime.date.today())[:7]
    if "at.x" in fields:
        tap(api, stay, month, int(fields["at.x"]) / SIZE, int(fields["at.y"]) / SIZE)
    result, first = api.session(stay)["snapshot"].get("result"), datetime.date.fromisoformat(month + "-01")
    values = {
        "month": month, "before": month_of(first, -1), "after": month_of(first, 1),
        "picture": f"{base}/v1/sessions/{stay}/months/{month}.svg?width={SIZE}&height={SIZE}",
        "result": f"From {result['start']} to {result['end']}." if result
                  else "Press the first and the last day."}
    for name, value in values.items():
        text = text.replace("{{" + name + "}}", value)
    return text
