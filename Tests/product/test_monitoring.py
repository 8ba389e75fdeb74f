"""The alert rules and the dashboard in deploy/monitoring, with promtool and a real Prometheus."""

import json
import re
import subprocess
import urllib.parse
import urllib.request

import pytest
import yaml

from harness.definitions import LISTS
from harness.patience import PATIENCE
from harness.pickerd import REPOSITORY, wait_until
from harness.ports import free_ports
from harness.proxies import program, substituted
from harness.store import stored

FOLDER = REPOSITORY / "deploy/monitoring"
HANDBOOK = (REPOSITORY / "deploy/README.md").read_text()
RULES = yaml.safe_load((FOLDER / "alerts.yml").read_text())["groups"][0]["rules"]
DASHBOARD = json.loads((FOLDER / "dashboard.json").read_text())
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
EXPRESSIONS = [rule["expr"] for rule in RULES] + [
    target["expr"] for panel in PANELS for target in panel["targets"]]
#: Alerts that one slow moment of a busy machine makes pending for the five minutes of their rates.
OF_SPEED = {"PickerdStoreSlow", "PickerdDeliverySlow", "PickerdFanOutSlow", "PickerdLoopBlocked",
            "PickerdLoopSaturated"}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server with a store, some traffic and one refusal."""
    folder = tmp_path_factory.mktemp("monitored")
    server = stored(folder / "log", folder / "store.sqlite")
    session = server.session(LISTS)
    ana = session.join("Ana")
    ana.select(0, 1)
    ana.select(0, 1, generation=9)
    bad = session.connect()
    bad.send_text("no JSON")
    bad.closed(4400)
    yield server
    if server.is_alive:
        server.stop()


@pytest.fixture(scope="module")
def metrics(server):
    return server.metrics().body.decode()


def names(metrics):
    """The names of all samples, and those of families without a sample yet."""
    return {re.split(r"[{ ]", line)[0] for line in metrics.splitlines() if line[0] != "#"} | {
        line.split()[2] for line in metrics.splitlines() if line.startswith("# TYPE")}


def promtool(*arguments, **rest):
    said = subprocess.run(
        [program("promtool"), *arguments], cwd=FOLDER, capture_output=True, text=True, **rest)
    assert said.returncode == 0, said.stdout + said.stderr
    return said.stdout + said.stderr


def test_promtool_accepts_the_metrics_of_a_running_server(metrics):
    assert promtool("check", "metrics", input=metrics) == ""


def test_every_alert_is_tested_and_fires_when_it_should_and_only_then():
    promtool("check", "rules", "alerts.yml")
    promtool("check", "config", "prometheus.yml")
    promtool("test", "rules", "alerts_test.yml")
    tests = (FOLDER / "alerts_test.yml").read_text()
    for rule in RULES:
        assert f'alertname="{rule["alert"]}"' in tests, rule["alert"]
        assert rule["labels"]["severity"] in ("critical", "warning")


def test_rules_and_dashboard_use_only_metrics_that_the_server_has(metrics):
    for expression in EXPRESSIONS:
        used = set(re.findall(r"\bpickerd_\w+", expression))
        assert used <= names(metrics), expression
        assert used or re.match(r"up\b", expression), "every expression is about pickerd"


def test_the_panels_have_descriptions_and_do_not_overlap():
    cells = set()
    for panel in DASHBOARD["panels"]:
        at = panel["gridPos"]
        own = {(x, y) for x in range(at["x"], at["x"] + at["w"])
               for y in range(at["y"], at["y"] + at["h"])}
        assert at["x"] + at["w"] <= 24 and not own & cells, panel["title"]
        cells |= own
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(DASHBOARD["panels"])
    assert all(panel["description"] for panel in PANELS)


def test_the_handbook_explains_every_alert_panel_and_metric(metrics):
    for rule in RULES:
        assert f"**{rule['alert']}**" in HANDBOOK, rule["alert"]
    for panel in PANELS:
        assert f"| {panel['title']} |" in HANDBOOK, panel["title"]
    for line in metrics.splitlines():
        if line.startswith("# TYPE"):
            assert f"`{line.split()[2]}`" in HANDBOOK, line


def test_the_handbook_has_the_causes_of_postgresql_at_the_alert_that_fires():
    """A database that hangs is a failure of the store: see test_postgres.py."""
    failed, lag = (next(line for line in HANDBOOK.splitlines() if f"**{name}**" in line)
                   for name in ("PickerdStoreFailed", "PickerdStoreLag"))
    for cause in ("does not answer", "`pg_stat_activity`", "locks", "standby"):
        assert cause in failed and cause not in lag, cause


def shares(metrics, expression):
    """(buffer, limit) of an expression that divides the bytes in buffers by limits."""
    buffers = set(re.findall(r'pickerd_buffer_bytes\{buffer="(\w+)"', metrics))
    pairs = re.findall(r'buffer=~?"([^"]+)".*?pickerd_limit\{[^}]*name="(\w+)"', expression)
    return {(buffer, limit) for pattern, limit in pairs for buffer in buffers
            if re.fullmatch(pattern, buffer)}


def test_the_panel_of_limits_shows_the_buffers_of_the_alert(metrics):
    alert = next(rule["expr"] for rule in RULES if rule["alert"] == "PickerdBufferNearLimit")
    panel = next(panel for panel in PANELS if panel["title"] == "Use of limits")
    shown = [shares(metrics, target["expr"]) for target in panel["targets"]]

    assert ("store_snapshots", "bufferBytes") in shares(metrics, alert)
    assert set.union(*shown) == shares(metrics, alert)


class Prometheus:
    """A Prometheus with the shipped files; only the address and the intervals are replaced."""

    def __init__(self, folder, target):
        for name in ("alerts.yml", "prometheus.yml"):
            (folder / name).write_text((FOLDER / name).read_text())
        (folder / "prometheus.yml").write_text(
            "global: {evaluation_interval: 1s}\n" + substituted(
                (folder / "prometheus.yml").read_text(),
                {"127.0.0.1:7682": target, "scrape_interval: 15s": "scrape_interval: 1s"}))
        port, = free_ports(1)
        self.url = f"http://127.0.0.1:{port}/api/v1/"
        self.log = (folder / "log").open("wb")
        self.process = subprocess.Popen(
            [program("prometheus"), f"--config.file={folder}/prometheus.yml",
             f"--storage.tsdb.path={folder}/data", f"--web.listen-address=127.0.0.1:{port}"],
            stdout=self.log, stderr=self.log)

    def get(self, path, **query):
        """Waits until Prometheus answers."""
        return wait_until(lambda: self.asked(path, query), what="Prometheus")

    def asked(self, path, query):
        try:
            with urllib.request.urlopen(
                    self.url + path + "?" + urllib.parse.urlencode(query),
                    timeout=PATIENCE) as answer:
                return json.load(answer)["data"]
        except OSError as error:
            if isinstance(error, urllib.error.HTTPError) and error.code == 400:
                raise AssertionError(error.read().decode()) from None
            return None

    def query(self, expression):
        return self.get("query", query=expression)["result"]

    def alerts(self):
        return {alert["labels"]["alertname"]: alert["state"]
                for alert in self.get("alerts")["alerts"]}

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.log.close()


@pytest.fixture(scope="module")
def prometheus(tmp_path_factory, server):
    """A Prometheus that has scraped the server twice."""
    prometheus = Prometheus(
        tmp_path_factory.mktemp("prometheus"), f"127.0.0.1:{server.admin_port}")
    scraped = "count_over_time(pickerd_sessions[1m]) >= 2"
    wait_until(lambda: prometheus.query(scraped), what="two scrapes")
    yield prometheus
    prometheus.stop()


def test_a_real_prometheus_evaluates_every_rule_and_panel(prometheus):
    def evaluated():
        rules = prometheus.get("rules")["groups"][0]["rules"]
        return rules if all(rule["health"] != "unknown" for rule in rules) else None

    rules = wait_until(evaluated, what="the evaluation of the rules")
    assert {rule["name"]: rule["health"] for rule in rules} == {
        rule["alert"]: "ok" for rule in RULES}
    for panel in PANELS:
        for target in panel["targets"]:
            expression = substituted(target["expr"], {"$instance": ".*"})
            expression = expression.replace("$__rate_interval", "1m")
            if panel["title"] in ("Rate-limited requests", "Certificate expires in"):
                prometheus.query(expression)
            else:
                wait_until(lambda: prometheus.query(expression), what=target["expr"])


def test_a_healthy_server_has_no_alerts_and_a_dead_one_is_down(prometheus, server):
    def alerts():
        return {name for name, state in prometheus.alerts().items()
                if name not in OF_SPEED or state == "firing"}

    # A scrape that takes more than its interval, a second, has a pending alert for a moment.
    wait_until(lambda: alerts() == set(), what="a healthy server")

    server.kill()

    wait_until(lambda: alerts() == {"PickerdDown"}, what="the alert")
