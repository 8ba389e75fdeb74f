"""The guide's shop keeps its bookings equal to the confirmed sessions, whatever is killed."""

import json
import random
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from datetime import datetime, timezone

import pytest
from standardwebhooks import Webhook

from harness.patience import PATIENCE
from harness.pickerd import wait_until
from harness.shop import PAGE, PROGRAM, Shop, started


@pytest.fixture
def wired(tmp_path):
    """A running shop, and a wire between it and pickerd that can be cut."""
    from webpages import Wire  # imported here: pytest has to import the plugin first
    shop = Shop(tmp_path)
    wire = Wire(shop.pickerd_port)
    shop.upstream_port = wire.port
    yield from ((shop, wire) for shop in started(shop))
    wire.close()


@pytest.fixture
def shop(wired):
    return wired[0]


def settled(shop):
    wait_until(shop.is_consistent, what="bookings equal to the confirmed sessions")


def decided(shop, count=1):
    """Waits until the shop has stored decisions that pickerd has not answered."""
    wait_until(lambda: len(shop.rows("SELECT 1 FROM decisions WHERE NOT answered")) == count,
               what="a decision")


def confirming(member):
    assert member.confirm()["changes"][0]["status"] == "confirming"
    return member


def status(member, wanted):
    return member.until(lambda m: m.screen.status == wanted, what=wanted)


# The page


def test_the_program_is_short_and_needs_only_the_standard_library_and_the_kit():
    text = PROGRAM.read_text()
    assert len(text.splitlines()) <= 225 and re.findall(r"^from (\w+)", text, re.M) == ["pickerd"]
    imports = re.findall(r"^import (.*?)$", text, re.M)
    names = {name.strip().split(".")[0] for line in imports for name in line.split(",")}
    assert names <= sys.stdlib_module_names


def test_the_steps_of_the_page_name_functions_of_the_program():
    steps = re.findall(r"^\d\. \*\*.*?\*\* \(`(\w+)`\)", PAGE.read_text(), re.M)
    assert len(steps) >= 6
    for name in steps:
        assert f"def {name}(" in PROGRAM.read_text()


# Bookings


def test_a_time_that_is_given_back_can_be_booked_by_another_customer(shop):
    ana, bo = shop.customer("Ana"), shop.customer("Bo")
    first = ana.screen.result
    confirming(ana)
    bo.until(lambda m: m.screen.result != first, what="the time is taken")

    status(ana, "confirmed").reopen()

    wait_until(lambda: not shop.bookings())
    cem = shop.customer("Cem")
    assert cem.screen.result == first
    confirming(cem)
    status(cem, "confirmed")
    settled(shop)


def test_a_decision_that_is_too_late_frees_the_time(wired):
    shop, wire = wired
    ana, bo = shop.customer("Ana"), shop.customer("Bo")
    first = ana.screen.result
    wire.cut()
    confirming(ana)
    decided(shop)
    assert shop.bookings() == {(first["instant"], ana.session)}
    assert ana.cancel()["changes"][0]["status"] == "open"

    wire.restore()

    settled(shop)
    assert shop.bookings() == set() and bo.screen.result == first


# Errors


def test_a_confirmation_is_decided_without_deliver(shop):
    shop.kill("deliver")

    ana = confirming(shop.customer("Ana"))

    settled(shop)
    status(ana, "confirmed")


# In production


def labelled(label):
    return re.search(rf"^```{label}\n(.*?)^```$", PAGE.read_text(), re.M | re.S)[1]


@pytest.mark.parametrize("algorithm", ["ES256", "EdDSA"])
def test_the_shop_can_sign_with_a_private_key(shop, algorithm):
    ana = shop.customer("Ana")
    commands, program = labelled("sh-signing"), labelled("python")
    if algorithm == "EdDSA":
        first = re.search("`(openssl genpkey -algorithm ed25519 .*?)`", PAGE.read_text())[1]
        commands = first + "\n" + commands.partition("\n")[2].replace("ES256", "EdDSA")
    shop.run(commands)
    program = (f"from pickerd import sign_token\nsession, inquiry, name = '{ana.session}', 'x', 'Ana'\n"
               f"{program}\nprint(token)")
    token = subprocess.run([sys.executable, "-c", program], cwd=shop.folder, check=True, text=True,
                           stdout=subprocess.PIPE).stdout.strip()

    def has_status(path, token):
        try:
            return shop.api("GET", path, key=token).status
        except urllib.error.HTTPError as refused:
            return refused.code

    path = f"/v1/sessions/{ana.session}"
    wait_until(lambda: has_status(path, token) == 200)
    assert has_status(path, token[:-4] + "AAAA") == 401


# Webhooks


def posted(shop, id, *, body, signed=None, secret=None, at=None):
    """The status of the answer to a webhook."""
    at = at or time.time()
    signature = Webhook(secret or shop.setting("SHOP_WEBHOOK")).sign(
        id, datetime.fromtimestamp(at, timezone.utc), (signed or body).decode())
    request = urllib.request.Request(f"http://127.0.0.1:{shop.port}/webhooks", body, headers={
        "webhook-id": id, "webhook-timestamp": str(int(at)), "webhook-signature": signature})
    try:
        return urllib.request.urlopen(request, timeout=PATIENCE).status
    except urllib.error.HTTPError as refused:
        return refused.code


def confirmation(external):
    """The body of a webhook about a session of another kind."""
    return json.dumps({"type": "session.confirming", "data": {
        "session": "x", "op": "cf_x", "revision": 1, "external": external,
        "result": {"keys": ["tea"]}}}).encode()


def test_a_webhook_at_which_the_shop_fails_is_answered_and_can_be_sent_again(shop):
    inquiry = shop.inquire("Ana").rpartition("/")[2]

    for _ in range(2):
        assert posted(shop, "ev_1", body=confirmation(inquiry)) == 500

    assert shop.rows("SELECT * FROM webhooks") == shop.rows("SELECT * FROM decisions") == []
    assert "receive" in (shop.folder / "shop.log").read_text()


def test_the_shop_decides_for_its_own_inquiries_only(shop):
    assert posted(shop, "ev_1", body=confirmation("another-application")) == 204

    assert shop.rows("SELECT * FROM decisions") == []


def test_only_signed_recent_and_new_webhooks_count(shop):
    ana = shop.customer("Ana")
    status(confirming(ana), "confirmed")
    settled(shop)
    booked = shop.rows("SELECT * FROM bookings")
    body = json.dumps({"type": "session.reopened", "data": {
        "session": ana.session, "revision": 99, "status": "open"}}).encode()

    def post(id, **fields):
        return posted(shop, id, **{"body": body, **fields})

    assert post("ev_1", secret="whsec_" + "A" * 32) == 401
    assert post("ev_1", at=time.time() - 301) == post("ev_1", at=time.time() + 400) == 401
    assert post("ev_1", body=body.replace(b"99", b"98"), signed=body) == 401
    assert post("ev_1", body=b"x" * 65_537) == 413
    assert shop.rows("SELECT * FROM bookings") == booked
    assert post("ev_1") == 204
    assert shop.rows("SELECT * FROM bookings") == []
    shop.rows("INSERT INTO bookings VALUES (?, ?, ?, ?, ?, ?, ?)", *booked[0])
    assert post("ev_1") == 204
    assert shop.rows("SELECT * FROM bookings") == booked, "a known event does nothing"


# Kills


@pytest.mark.parametrize("victim, is_lost", [
    ("shop", False), ("serve", True), ("deliver", False)])
def test_a_decision_survives_a_kill_before_its_answer(wired, victim, is_lost):
    shop, wire = wired
    ana = shop.customer("Ana")
    first = ana.screen.result["instant"]
    if is_lost:
        wire.is_mute = True
    else:
        wire.cut()
    confirming(ana)
    decided(shop)
    if is_lost:
        wait_until(lambda: shop.status(ana.session) == "confirmed")
        decided(shop)

    shop.kill(victim)
    wire.is_mute = False
    wire.restore()
    shop.start(victim)

    settled(shop)
    assert shop.bookings() == {(first, ana.session)}
    assert shop.rows("SELECT granted, answered FROM decisions") == [(1, 1)]


def test_events_while_deliver_is_down_arrive_after_its_start(shop):
    ana = shop.customer("Ana")
    status(confirming(ana), "confirmed")
    settled(shop)
    shop.kill("deliver")
    ana.reopen()
    assert shop.bookings()

    shop.start("deliver")

    settled(shop)
    assert shop.bookings() == set()


def test_bookings_equal_confirmed_sessions_after_random_kills(shop):
    choice = random.Random(1)
    for _ in range(3):
        customers = [shop.customer(name) for name in ("Ana", "Bo", "Cem", "Dora")]
        asked = [(member, member.ask("confirm")) for member in customers]
        for member, ref in choice.sample(asked, choice.randrange(len(asked) + 1)):
            member.answer(ref)
        shop.again(*choice.sample(["shop", "deliver", "serve"], choice.randrange(1, 4)))
        settled(shop)
        starts = [start for start, _ in shop.bookings()]
        assert len(starts) == len(set(starts))
        for member in customers:
            member.drop()
    assert shop.bookings()
