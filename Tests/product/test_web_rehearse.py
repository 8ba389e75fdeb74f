"""`pickerd rehearse`: the browser client passes."""

import re
import subprocess

from harness.patience import PATIENCE
from harness.pickerd import REPOSITORY, binary
from webpages import static_host

pytest_plugins = ["webpages"]

#: The browser client, driven by the instructions of `pickerd rehearse`.
PAGE = """async (kit) => {
  const { PickerSession } = await import("/client/core/session.js");
  const environment = {
    dial: (url, subprotocol) => new WebSocket(url, subprotocol), now: () => performance.now(),
    setTimer: (work, milliseconds) => setTimeout(work, milliseconds),
    clearTimer: (timer) => clearTimeout(timer), load: () => null, save: () => {},
  };
  // Each cell is a run.
  const runs = (cells) => cells.flatMap((value, cell) => value ? [[cell, cell + 1, value].flat()] : []);
  const availability = (cells) => cells && { ...cells, heat: cells.heat && runs(cells.heat),
    marks: [...cells.marks].map(([member, marks]) => ({ member, runs: runs(marks.cells) })) };
  const state = (picker) => ({
    ...picker.state, availability: availability(picker.state.availability), columns: picker.state.columns.map(({ generation, count, row, rows }) =>
      ({ generation, count, row, rows: [...rows.values()] })),
    calendar: { months: picker.state.monthList, range: picker.state.range },
    role: picker.self?.role, unanswered: picker.pendingCount });
  for (let picker;;) {
    const response = await fetch(`${kit}/rehearse/next`);
    if (response.status === 204) { await new Promise((done) => setTimeout(done, 25)); continue; }
    const { type, ...fields } = await response.json();
    if (type === "quit") return picker.stop();
    if (type === "open") {
      picker?.stop();
      (picker = new PickerSession(fields.url, {}, environment)).start();
    } else if (type === "state") {
      await fetch(`${kit}/rehearse/state`, { method: "POST", body: JSON.stringify(state(picker)) });
    } else if (type === "select") picker.select(fields.column, fields.row);
    else if (type === "mark") {
      picker.command({ type, generation: picker.state.availability.generation, ...fields });
    }
    else picker.command({ type, ...fields });
  }
}"""


def test_the_browser_client_passes_as_a_running_client(opened):
    kit = subprocess.Popen(
        [str(binary()), "rehearse", "--patience", str(PATIENCE), "--listen", "127.0.0.1:0"],
        stdout=subprocess.PIPE, text=True)
    address = re.search(r"http://[\d.:]+", kit.stdout.readline())[0]
    with static_host(REPOSITORY / "web") as files:
        opened(f"{files}/demo/icon.svg").page.evaluate(PAGE, address)

    output, _ = kit.communicate(timeout=PATIENCE)
    assert kit.returncode == 0, output
