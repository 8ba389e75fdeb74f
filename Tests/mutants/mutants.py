"""The mutants: lines of the core, the log and the browser client, each with a fault.

`old` is found exactly once in its file; `new` takes its place while the mutant is selected. In
Swift it is an expression, unless `form` is another one.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Mutant:
    """One fault."""

    file: str
    old: str
    new: str
    #: What is not true any more.
    breaks: str
    #: `expression`, `statement` (`new` may be empty), `sql` (text within a string), or `text`: of a
    #: file that is not compiled.
    form: str = "expression"


def _all(folder, form, *mutants):
    return [
        Mutant(f"{folder}/{file}", old, new, breaks, *rest or [form])
        for file, old, new, breaks, *rest in mutants]


CORE = _all(
    "Sources", "expression",
    ("CivilTime/CivilDuration.swift", "min(day, month.dayCount)", "min(day, 28)",
     "a month after 30 March is 30 April"),
    ("CivilTime/PosixZoneRule.swift", "candidate < next", "candidate <= next",
     "the last Sunday of a month is in that month"),
    ("PickerModel/Calendar/CalendarRules.swift", "free <= unblocked", "free < unblocked",
     "a range that ends where both rules end it was ended by maxDays"),
    ("PickerModel/Calendar/StayRules.swift", "$0.first > date", "$0.first >= date",
     "a rule for stays holds on its first day"),
    ("PickerModel/Slot/SlotRules.swift", "wanted.hour + 1", "wanted.hour",
     "a time that is no slot becomes a later one"),
    ("PickerModel/Availability/WindowTally.swift", "counts.yes + counts.maybe >= minimum",
     "counts.yes + counts.maybe > minimum", "a window with the minimum of members is among the best"),
    ("PickerModel/Availability/Availability.swift", "cell < past || hand.contains(cell)",
     "hand.contains(cell)", "an import does not change marks in the past"),
    ("PickerModel/Date/DateKind.swift", "column == 2 ? date.day : $0", "date.day",
     "31 January, February, March: the day is 31 again"),
    ("PickerModel/Notes/Notes.swift", "byteCount -= before.byteCount + key.utf8.count",
     "byteCount -= before.byteCount", "replaced notes of rows do not count", "statement"),
    ("PickerSession/Fold/RefBook.swift", "entries.count > countMax", "entries.count >= countMax",
     "as many refs are known as the limit says"),
    ("PickerSession/Fold/SessionFold+Commands.swift",
     "age < 0 || age >= limits.openTapMilliseconds",
     "age < 0 || age > limits.openTapMilliseconds",
     "everybody may end an open range exactly when its time is over"),
    ("PickerSession/Fold/LastChanges.swift", "last?.member == author", "false",
     "an own change does not make an own command stale"),
    ("PickerSession/Fold/SessionFold.swift", "ref == 0 ? nil : author", "author",
     "a host's own change makes its late command stale"),
    ("PickerSession/Members/Revocations.swift", "$0 < before", "$0 <= before",
     "a token that was issued at the time of a revocation is valid"),
    ("PickerSession/Fold/RememberedMembers.swift", "refByteCount -= member.refs.byteCount", "",
     "a member that has rejoined does not count among those that have left", "statement"),
    ("PickerSession/Members/PresenceUpdates.swift", "left.removeAll { $0 == member }", "",
     "a member that left and rejoined between two messages is there", "statement"),
    ("PickerModel/Columns/ColumnsAction.swift", "RowSelection.keyCharactersMax + 1",
     "RowSelection.keyCharactersMax",
     "a key that is too long is no row's"),
    ("PickerHub/Access/TokenExpiry.swift", "held.endsAt - tokenGraceMilliseconds - now",
     "held.endsAt - now", "the time of grace is not a part of a token's lifetime"),
    ("PickerHub/Deltas/DeltaCopies.swift", "isOwn ? sight.member : nil", "nil",
     "a member sees its own marks where others' are hidden"),
    ("PickerHub/Timers.swift", "$0 >= limits.memberMilliseconds",
     "$0 > limits.memberMilliseconds", "the timers of absent members survive a compaction"),
    ("PickerHub/Connections/Connections.swift", "min(limits.outboxBytes, 16_384)",
     "limits.outboxBytes",
     "a slow reader has little memory once all of them have much"),
)

LOG = _all(
    "Sources/SessionLog", "expression",
    ("SQL/SQLWriter.swift", "AND owner = $2 AND NOT ended",
     "AND coalesce($2, 0) >= 0 AND NOT ended", "nothing is stored of another node's session", "sql"),
    ("SQL/SQLOwnership.swift", "living.contains(owner)", "false",
     "a session of a node that is alive is not claimed"),
    ("SQL/SQLOwnership.swift", "!isSilent(owner)", "false",
     "a node that may still answer reads from memory keeps its sessions"),
    ("SQL/SQLOwnership.swift", "stored >= batch", "stored + 1 >= batch",
     "a failover that has lost the last commit gives the sessions new epochs"),
    ("SQL/SQLOwnership.swift", "row.history < history ? connection.dialect.randomText : \"epoch\"",
     "\"epoch\"", "a session without a living owner gets a new epoch after a failover"),
    ("SQL/SQLSessionLog.swift", "releases.withLock { $0.putBack() }", "",
     "a release that was not stored is stored later", "statement"),
    ("SQL/SQLSessionLog.swift",
     "if ownership.batch >= unknown.number { return (unknown.result, unknown.number, nil) }", "",
     "a batch whose commit had no answer is not written twice", "statement"),
    ("SQL/SQLSessionLog.swift",
     "provenAt.withLock { $0 = scheduler.instant - SQLSessionLog.certainTime }", "",
     "a node without a connection does not answer from memory", "statement"),
    ("SQL/SQLSessionLog.swift", "batch.isPartial || hasFailed", "hasFailed",
     "a session is released after what was appended before"),
    ("SQL/SQLWriter.swift", "position.eventSequence >= snapshot.eventSequence", "true",
     "a snapshot does not cover lost events"),
    ("SQL/SQLWriter.swift", "position.eventSequence >= record.previous", "true",
     "events are not stored after lost ones"),
    ("SQL/SQLWriter.swift", "former.replaces", "false",
     "the snapshot from which a renewed session continues is kept"),
    ("SQL/SQLWriter.swift", "position.rowCount - (position.entryCount - sequence)",
     "position.rowCount", "a snapshot counts the entries up to it, not those after it"),
    ("SQL/SQLWriter.swift", "shelved.sequence < base ?? 0", "shelved.sequence <= base ?? 0",
     "the snapshot from which the history is read is kept"),
    ("SQL/SQLWriter.swift", "rowCount - start < spacing.rowCountMin", "rowCount - start < 0",
     "snapshots that nothing needs are deleted"),
    ("SQL/SQLWriter.swift", "newest - position >= feedLimits.events",
     "newest - position > feedLimits.events", "the feed has at most as many events as its limit"),
    ("SQL/SQLWriter.swift", "WHEN next_tick < active_at + ttl_seconds * 1000 THEN next_tick",
     "WHEN false THEN next_tick", "a released session is claimed when time changes it", "sql"),
    ("SQL/PendingReleases.swift", "requested[session] == number", "true",
     "a session that was claimed again is not released"),
    ("Stored/EntryCursor.swift", "next.sequence == sequence + 1", "true",
     "a session with a missing entry is not loaded"),
    ("SQL/SQLFeed.swift", "byteCount >= FeedRequest.byteCountMax", "false",
     "a page of the feed that is full ends at its last event"),
)

CLIENT = _all(
    "web/client", "text",
    ("core/pending.js", "refOf(first) - 1", "refOf(first)",
     "a ref that another device has used is not taken for that of a command that was sent"),
    ("core/conversation.js", "isOtherHistory && entry.message.at !== undefined", "false",
     "a command that was given for a revision of another history is not sent"),
    ("core/conversation.js",
     "    this.looking.asked.clear();\n    if (this.looking.months)",
     "    if (this.looking.months)", "rows whose request was refused are requested again"),
    ("core/machine.js", "this.line.drainMilliseconds !== null && code < 4000",
     "this.line.drainMilliseconds !== null", "a close code counts although the server drains"),
    ("core/machine.js", "if (code !== 4409) this.conversation.save();", "this.conversation.save();",
     "a page that another one has replaced does not write its memory"),
    ("core/line.js", "this.wait(this.attempt === 0 ? 0 : null);", "this.wait(0);",
     "a client whose messages are always invalid backs off"),
    ("core/line.js", "  received() {\n    this.isProbed = false;", "  received() {",
     "a connection is checked again after an answer"),
    ("core/renewal.js", "seconds - Math.min(leadSeconds, seconds / 2)", "seconds - leadSeconds",
     "a token of a minute is not renewed every five seconds"),
    ("core/renewal.js", "// A token that is provided later is older.\n    this.isWanted = false;", "",
     "a token that the page has set is not replaced by an older one"),
    ("core/renewal.js", '(connection === "away" && closeCode === 4409)', '(connection === "away")',
     "a new token connects again after a refusal"),
    ("core/state.js", 'cause !== "tick" && cause !== "define"', 'cause !== "tick"',
     "what a new definition changes cannot be undone"),
    ("core/state.js", "column && column.generation === message.generation", "column",
     "rows of an older generation are dropped"),
    ("core/state.js", "    this.retainMonths((month) => month >= first && month <= last);\n", "",
     "months beyond the new bounds are dropped"),
    ("core/presence.js", "    state.touching.delete(id);\n", "",
     "a member that has left has no finger"),
    ("core/predict.js", "(definition?.maxDays ?? Infinity) - 1", "(definition?.maxDays ?? Infinity)",
     "a predicted range has at most maxDays days"),
    ("core/stays.js", "count <= maxNights", "count < maxNights",
     "a predicted stay may have maxNights nights"),
    ("wheels/fingers.js", "    if (target !== null) view.motion.moveTo(target);\n", "",
     "a wheel that was stopped by a gesture of the system goes where it was going"),
    ("wheels/column-view.js",
     "if ((this.#isKnown(row) && !isAwaiting) || now - this.selectAt > rowPatienceMilliseconds) ",
     "", "a row is selected when it has been received"),
    ("calendar/drag.js", "if (to && !(isFinger", "if (to && dateOf(to) !== first && !(isFinger",
     "dragging back to the first day gives one day"),
    ("calendar/calendar-element.js",
     "isNights(picker.state) && picker.isRangeOpen && isWithin(date, picker)",
     "isNights(picker.state) && isWithin(date, picker)",
     "a stay does not begin on a day that is taken, and says why"),
)

AREAS = {"core": CORE, "log": LOG, "client": CLIENT}
#: All of them, by number from 1.
ALL = dict(enumerate(CORE + LOG + CLIENT, start=1))
