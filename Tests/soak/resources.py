"""The memory and the file descriptors of a server over time, and whether they grow."""

import os
import re
import threading
import time

#: Resident memory may grow by this factor and these MiB from the first quarter to the last: caches
#: and fragmentation of the heap.
TIMES_MOST, MIB_MORE = 1.25, 32
#: Descriptors above those of the first quarter: connections of attackers come and go.
DESCRIPTORS_MORE = 200


class Sample:
    def __init__(self, second, mib, descriptors, sessions, sockets):
        self.second, self.mib, self.descriptors = second, mib, descriptors
        self.sessions, self.sockets = sessions, sockets


class Resources:
    """Samples a server's process until it is stopped."""

    def __init__(self, server, interval):
        self.server, self.interval = server, interval
        self.samples = []
        self.begun = time.monotonic()
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while not self.is_over.wait(self.interval):
            try:
                self.samples.append(self.sample())
            except (OSError, TypeError):
                continue  # the process is being restarted

    def sample(self):
        process = f"/proc/{self.server.process.pid}"
        with open(f"{process}/status") as status:
            resident = int(re.search(r"VmRSS:\s+(\d+)", status.read())[1])
        metrics = self.server.metrics().body.decode()

        def metric(name):
            return int(re.search(rf"^{name} (\d+)", metrics, re.M)[1])

        return Sample(
            time.monotonic() - self.begun, resident / 1024, len(os.listdir(f"{process}/fd")),
            metric("pickerd_sessions"), metric("pickerd_sockets"))

    def stop(self):
        self.is_over.set()
        self.thread.join(30)

    def growth(self):
        """A sentence for each resource that has grown; empty if none has."""
        return growth(self.samples)


def growth(samples):
    """Compares the medians of the second and the last quarter: the first one warms up."""
    if len(samples) < 8:
        return [f"only {len(samples)} samples were taken"]
    quarter = len(samples) // 4
    early, late = samples[quarter:2 * quarter], samples[-quarter:]

    def median(part, name):
        return sorted(getattr(sample, name) for sample in part)[len(part) // 2]

    found = []
    before, after = median(early, "mib"), median(late, "mib")
    if after > before * TIMES_MOST + MIB_MORE:
        found.append(f"memory grew from {before:.0f} to {after:.0f} MiB")
    before, after = median(early, "descriptors"), median(late, "descriptors")
    if after > before + DESCRIPTORS_MORE:
        found.append(f"file descriptors grew from {before} to {after}")
    return found
