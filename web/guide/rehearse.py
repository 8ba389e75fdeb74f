"""Lets `pickerd rehearse` test client.py: pickerd rehearse -- python rehearse.py {url}

Reads instructions from standard input, one JSON object per line: commands of the protocol without
ref, and {"type":"state"}, which it answers with the state. It exits at the end of the input.
"""

import json
import queue
import sys
import threading

from client import Picker

INSTRUCTIONS = queue.Queue()


def read():
    for line in sys.stdin:
        INSTRUCTIONS.put(json.loads(line))
    INSTRUCTIONS.put({"type": "quit"})


def state(picker):
    """The snapshot with all deltas applied, and the fields that the rehearsal adds."""
    return {**(picker.state or {}), "revision": picker.revision,
            "role": (picker.me or {}).get("role"), "unanswered": len(picker.queue)}


def do(picker, type, **fields):
    try:
        if type == "select":
            picker.select(fields["column"], fields["row"])
        else:
            picker.begin(type, **fields)
    except LookupError as lost:
        print(lost, file=sys.stderr)


def run(picker):
    while True:
        picker.next(timeout=0.01)
        while not INSTRUCTIONS.empty():
            instruction = INSTRUCTIONS.get()
            if instruction["type"] == "quit":
                return
            if instruction["type"] == "state":
                print(json.dumps(state(picker)), flush=True)
            else:
                do(picker, **instruction)


if __name__ == "__main__":
    threading.Thread(target=read, daemon=True).start()
    run(Picker(sys.argv[1]))
