"""The metrics of commands, requests, closed connections, buffers and limits.

Histograms: test_histograms.py; all metrics with promtool: test_monitoring.py.
"""

from harness.definitions import CALENDAR, LISTS
from harness.metrics import samples
from harness.pickerd import wait_until


def commands(server, kind):
    return {labels[1]: count for labels, count in samples(server, "pickerd_commands_total").items()
            if labels[0] == kind and count}


def test_commands_are_counted_by_kind_and_outcome(start):
    server = start(options=("--loops", "2"))
    lists, calendar = server.session(LISTS), server.session(CALENDAR)
    ana, ben = lists.join("Ana"), calendar.join("Ben")

    ana.select(0, 1)
    ana.select(0, 2)
    ana.select(9, 0)
    ben.tap("2018-11-26")
    ben.tap("1990-01-01")
    cem = server.post(f"{lists.path}/members", {"name": "Cem"}).json["member"]
    server.post(f"{lists.path}/commands", {
        "type": "select", "column": 8, "row": 2, "ref": 1, "generation": 1,
        "member": cem["id"], "secret": cem["secret"]})

    wait_until(lambda: commands(server, "columns") == {"accepted": 2, "refused": 2})
    assert commands(server, "calendar") == {"accepted": 1, "refused": 1}
    refusals = samples(server, "pickerd_refusals_total")
    assert refusals == {("columns", "noSuchColumn"): 2, ("calendar", "outsideMonths"): 1}


def requests(server):
    return {labels: count for labels, count in samples(
        server, "pickerd_http_requests_total").items() if labels[0] not in ("/metrics", "/readyz")}


def test_requests_are_counted_by_route_method_and_class_of_status(start):
    server = start(options=("--loops", "2"))
    session = server.session(LISTS)
    server.get(session.path)
    server.get("/v1/sessions/unknown")
    server.get("/")
    server.get("/no/such/file")
    server.request("PATCH", "/healthz")
    ana = session.join("Ana")
    ana.select(0, 1)

    wait_until(lambda: ("websocket", "GET", "1xx") in requests(server))
    counted = requests(server)
    assert counted[("/v1/sessions", "POST", "2xx")] == 1
    assert counted[("/v1/sessions/{id}", "GET", "2xx")] >= 1
    assert counted[("/v1/sessions/{id}", "GET", "4xx")] == 1
    assert counted[("files", "GET", "2xx")] == 1 and counted[("files", "GET", "4xx")] == 1
    assert counted[("other", "PATCH", "4xx")] == 1
    assert counted[("websocket", "GET", "1xx")] == 1
    assert samples(server, "pickerd_http_requests_total")[("/metrics", "GET", "2xx")] >= 1


def test_closed_connections_are_counted_by_code_and_by_who_closed_them(start):
    server = start(options=("--loops", "1"))
    session = server.session(LISTS)
    bad = session.connect()
    bad.send_text("no JSON")
    bad.closed(4400)
    polite, lost = session.join("Ana"), session.join("Ben")
    polite.web.close()
    lost.drop()

    wait_until(lambda: sum(samples(server, "pickerd_leaves_total").values()) == 2, what="both")

    assert samples(server, "pickerd_leaves_total")[("1006",)] == 1
    wait_until(lambda: samples(server, "pickerd_closes_total") == {("4400",): 1})
    assert samples(server, "pickerd_sockets_accepted_total")[()] >= 3


def test_limits_in_force_are_metrics(start):
    server = start(limits={"members": 7, "sessions": 12})
    limits = samples(server, "pickerd_limit")

    assert limits[("members",)] == 7 and limits[("sessions",)] == 12
    assert limits[("bufferBytes",)] == 268_435_456
    assert 0 < limits[("connections",)] <= 16_384
