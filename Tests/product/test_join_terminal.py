"""`pickerd join` in a real terminal: drawing, keys, and how it ends."""

import re
import signal

import pytest

from harness.definitions import CALENDAR, DATE, LISTS, LONG, TREE
from harness.pickerd import wait_until
from harness.ports import free_port

pytest_plugins = ["terminals"]
#: Reverse video, with or without a colour after it.
REVERSED = re.compile(r"\x1b\[[0-9;]*7[0-9;]*m")


def absent(session, name):
    """A condition: the session has no member of this name."""
    return lambda: all(m["name"] != name for m in session.get()["members"])


# Wheels


def test_wheels_fit_into_80_columns(server, terminal):
    session = server.session(DATE)

    ana = terminal(session)

    ana.sees("connected", "Ana (you)", "▸ 2018", "· November", "· 23", "2018-11-23", "q quit")
    lines = ana.until(lambda text: text.strip().endswith("q quit") and text, "q quit").split("\n")
    assert len(lines) == 24 and all(len(line) <= 80 for line in lines)
    assert "…" not in ana.text, "nothing is truncated"


def test_arrows_select_rows_and_tab_moves_between_wheels(server, terminal):
    session = server.session(LISTS)
    ana = terminal(session)
    ana.sees("▸ MacOS", "· Xcode")

    ana.press("Down", "Down")
    ana.sees("▸ Linux")
    ana.press("Tab", "Down")
    ana.sees("· Linux", "▸ VSCode", "Linux, VSCode")
    ana.press("BTab", "Home")
    ana.sees("▸ MacOS")
    ana.press("End")
    ana.sees("▸ Ubuntu")
    ana.press("Up")
    ana.sees("▸ Linux", "you: column 1 Linux")

    wait_until(lambda: session.result() == {"keys": ["Linux", "VSCode"]})


def test_a_cascade_shows_the_children_of_the_selected_row(server, terminal):
    session = server.session(TREE)
    ana = terminal(session)
    ana.sees("▸ Guangdong", "· Guangzhou", "· Haizhu")

    ana.press("Down")

    ana.sees("▸ Sichuan", "· Chengdu", "· Pixian")
    ana.press("Right", "Down")
    ana.sees("▸ Leshan", "Sichuan, Leshan")
    ana.sees_no("Pixian")


def test_touches_and_selections_of_others_are_drawn(server, terminal):
    session = server.session(LISTS)
    ana = terminal(session)
    bo = session.join("Bo")
    ana.sees("● Bo")

    bo.send({"type": "touch", "column": 1, "row": 2})
    ana.sees("Sublime◂Bo")
    bo.select(1, 2)
    ana.sees("· Sublime", "Bo: column 2 Sublime", "MacOS, Sublime")
    bo.send({"type": "touch"})
    ana.sees_no("◂Bo")
    ana.press("Down")
    touching = bo.until(lambda m: m.screen.touching, what="Ana's touch")

    assert touching


def test_a_clamped_selection_is_corrected(server, terminal):
    session = server.session({**DATE, "max": "2018-11-23"}, now="2018-11-23T10:00:00+08:00")
    ana = terminal(session)
    ana.sees("▸ 2018")

    ana.press("Tab", "Tab", "End")
    ana.press("BTab", "BTab", "Up")
    # The terminal shows the pending selection before the server's twelve months have arrived.
    ana.sees("▸ 2017", "December")
    ana.press("Tab", "End")

    ana.sees("· 2017", "▸ December")


def test_rows_outside_the_window_are_fetched(server, terminal):
    session = server.session(LONG)
    ana = terminal(session)
    ana.sees("▸ row 0")

    ana.press("End")
    ana.sees("▸ row 9999", "row 9995")
    ana.press("PPage")
    ana.sees("▸ row 9983", "row 9976")


def test_wheels_that_do_not_fit_scroll_into_view_with_the_focus(server, terminal):
    columns = [[f"wheel {n}", "other"] for n in range(8)]
    session = server.session({"kind": "columns", "columns": columns})
    ana = terminal(session)
    ana.sees("▸ wheel 0", "· wheel 5", "›")
    ana.sees_no("· wheel 6")

    ana.press("BTab")

    ana.sees("▸ wheel 7", "· wheel 2", "‹")


def test_wide_characters_take_two_cells(server, terminal):
    session = server.session(DATE)

    ana = terminal(session, "--locale", "zh-Hans", name="安娜")

    ana.sees("▸ 2018年", "· 11月", "· 23日", "安娜 (you)")
    line = next(line for line in ana.lines if "▸ 2018年" in line)
    assert [line.index(word) for word in ("2018年", "11月", "23日")] == [3, 28, 53]


# Calendars


def test_a_calendar_shows_six_months(server, terminal):
    session = server.session(CALENDAR)

    ana = terminal(session)

    ana.sees("November 2018", "December 2018", "April 2019", "Su Mo Tu We Th Fr Sa", "[23]")
    rows = ["              1  2  3", "  4  5  6  7  8  9 10", " 11 12 13 14 15 16 17",
            " 18 19 20 21 22[23]24", " 25 26 27 28 29 30", ""]
    ana.until(lambda text: [line[1:24].rstrip() for line in text.split("\n")[4:10]] == rows, rows)
    assert len(ana.lines) == 24 and "…" not in ana.text


def test_two_taps_make_a_range(server, terminal):
    session = server.session(CALENDAR)
    ana = terminal(session)
    ana.sees("[23]", "nothing chosen")

    ana.press("Enter")
    ana.sees("you: first day 2018-11-23", "first day 2018-11-23, no last day yet")
    ana.press("Right", "Right", "Down", "Enter")

    ana.sees("2018-11-23 to 2018-12-02, 10 days")
    wait_until(lambda: session.result() == {
        "start": "2018-11-23", "end": "2018-12-02", "days": 10})
    wait_until(lambda: REVERSED.search(ana.styled), what="the highlighted range")


def test_escape_clears_an_open_range(server, terminal):
    session = server.session(CALENDAR)
    ana = terminal(session)
    ana.sees("[23]")
    ana.press("Enter")
    ana.sees("you: first day 2018-11-23")

    ana.press("Escape")

    ana.sees("you: nothing chosen")
    wait_until(lambda: session.get()["snapshot"]["calendar"]["range"] is None)


def test_keys_undo_confirm_and_reopen(server, terminal):
    session = server.session(CALENDAR)
    ana = terminal(session)
    ana.sees("[23]")
    ana.press("Enter", "Enter")
    ana.sees("2018-11-23 to 2018-11-23, 1 day")

    ana.press("c")
    ana.sees("CONFIRMED", "you: confirmed")
    ana.press("x")
    ana.sees("refused:")
    ana.press("o", "u")
    ana.sees("you: undone")
    assert session.get()["status"] == "open"


def test_home_end_and_page_keys_move_in_the_calendar(server, terminal):
    session = server.session(CALENDAR)
    ana = terminal(session)
    ana.sees("[23]")

    ana.press("Home")
    ana.sees("January 2018", "[ 1]")
    ana.press("NPage")
    ana.sees("[ 1]", "(you)")
    ana.press("End")

    ana.sees("December 2019", "[31]")


def test_a_day_that_another_member_touches_is_in_parentheses(server, terminal):
    session = server.session(CALENDAR)
    ana = terminal(session)
    ana.sees("[23]")
    bo = session.join("Bo")

    bo.send({"type": "touch", "date": "2018-11-14"})

    ana.sees("(14)", "(Bo: 2018-11-14)")
    bo.web.close()
    ana.sees("○ Bo", "Bo is offline")
    ana.sees_no("(14)")


def test_the_locale_option_selects_the_language_of_the_months(server, terminal):
    session = server.session({**CALENDAR, "firstWeekday": 2})

    ana = terminal(session, "--locale", "de")

    ana.sees("Dezember 2018", "Mo Di Mi Do Fr Sa So")


# The terminal itself


def test_a_small_terminal_shows_a_hint_and_a_tiny_one_only_the_hint(server, terminal):
    session = server.session(CALENDAR)
    ana = terminal(session, width=60, height=20)
    ana.sees("60×20, made for 80×24", "[23]", "December 2018")

    ana.resize(30, 10)
    ana.sees("30×10", "needs 40×16", "--plain")
    ana.sees_no("[23]")
    ana.resize(80, 24)

    ana.sees("[23]", "April 2019")
    ana.sees_no("made for")


@pytest.mark.parametrize("key", ["q", "C-c", "C-d"])
def test_quit_keys_exit_and_restore_the_terminal(server, terminal, key):
    session = server.session(CALENDAR)
    ana = terminal(session)
    ana.sees("[23]")

    ana.press(key)

    assert ana.ended() == 0
    assert ana.is_as_before()
    ana.sees("nothing chosen")
    wait_until(absent(session, "Ana"), what="Ana's leaving")


@pytest.mark.parametrize("number", [
    signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_signals_exit_and_restore_the_terminal(server, terminal, number):
    session = server.session(CALENDAR)
    ana = terminal(session)
    ana.sees("[23]")

    ana.signal(number)

    assert ana.ended() == 0
    assert ana.is_as_before()
    wait_until(absent(session, "Ana"), what="Ana's leaving")


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGILL, signal.SIGABRT])
def test_a_crash_restores_the_terminal(server, terminal, number):
    session = server.session(CALENDAR)
    ana = terminal(session)
    ana.sees("[23]")

    ana.signal(number)

    assert ana.ended() == 128 + number
    assert ana.is_as_before()


def test_escape_sequences_in_names_are_not_written_to_the_terminal(server, terminal):
    session = server.session(CALENDAR)
    ana = terminal(session)
    ana.sees("[23]")

    session.join("E\x1b[2Jve\x07\x9b2J")

    ana.sees("● E [2Jve", "[23]")


def test_no_color_disables_colours(server, terminal):
    session = server.session(CALENDAR)
    colored = terminal(session)
    plain = terminal(session, environment={"NO_COLOR": "1"}, name="Bo")
    colored.sees("[23]", "● Bo")
    plain.sees("[23]", "● Bo (you)")

    wait_until(lambda: re.search(r"\x1b\[[0-9;]*38;5;", colored.styled), what="colours")
    wait_until(lambda: "\x1b[1m" in plain.styled, what="bold is still used")
    assert not re.search(r"\x1b\[[0-9;]*3[0-9];", plain.styled)


# The connection


@pytest.fixture
def lasting(start, tmp_path):
    """A server with a SQLite store and a fixed port, so that a test can restart it."""
    return start(listen=f"127.0.0.1:{free_port()}",
                 options=["--store", f"sqlite:{tmp_path}/store.sqlite"])


def test_the_terminal_reconnects_after_the_server_was_killed(lasting, terminal):
    session = lasting.session(CALENDAR)
    ana = terminal(session)
    ana.sees("[23]")
    ana.press("Enter")
    ana.sees("you: first day 2018-11-23")

    lasting.kill()
    ana.sees("reconnecting")
    ana.press("Right", "Enter")
    ana.sees("[24]", "not stored yet", "2018-11-23, no last day yet (as stored)")
    lasting.start()

    ana.sees("connected", "2018-11-23 to 2018-11-24, 2 days")
    ana.until(lambda text: "stored" not in text, "no pending commands")
    assert session.result() == {"start": "2018-11-23", "end": "2018-11-24", "days": 2}
    assert [m["name"] for m in session.get()["members"]] == ["Ana"], "Ana is still the same member"


def test_a_deleted_session_ends_the_program(server, terminal):
    session = server.session(CALENDAR)
    ana = terminal(session)
    ana.sees("[23]")

    session.delete()

    assert ana.ended() == 1
    assert ana.is_as_before()
    ana.sees("pickerd join: closed, 4410")


def test_connecting_is_retried_until_the_user_quits(server, terminal):
    ana = terminal(f"http://127.0.0.1:{free_port()}/v1/sessions/abc")

    ana.sees("connecting (")
    ana.press("q")

    assert ana.ended() == 0
    assert ana.is_as_before()


def test_quitting_does_not_wait_for_a_frozen_server(start, terminal):
    server = start()
    session = server.session(CALENDAR)
    ana = terminal(session)
    ana.sees("[23]")
    server.process.send_signal(signal.SIGSTOP)
    try:
        ana.press("q")

        assert ana.ended() == 0
        assert ana.is_as_before()
    finally:
        server.process.send_signal(signal.SIGCONT)


def test_a_refused_tap_shows_the_reason_to_a_viewer(guarded, terminal):
    session = guarded.session(CALENDAR)
    ana = terminal(session, "--token", session.tokens["viewer"])
    ana.sees("[23]")

    ana.press("Enter")

    ana.sees("refused:")
    ana.sees("nothing chosen")
