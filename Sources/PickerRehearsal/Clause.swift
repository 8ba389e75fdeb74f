/// A sentence of the contract that a client can violate, quoted from `web/guide/README.md`.
package struct Clause: Hashable, Sendable {
  package let text: String

  init(_ text: String) { self.text = text }
}

extension Clause {
  static let join = Clause(
    "Open the session's address with the subprotocol `pickerd.v1` and send `join` within 10 s.")
  static let fold = Clause(
    "Every `delta` is one revision, and `changes` lists what is different: apply each")
  static let snapshot = Clause("A `snapshot` replaces everything you had.")
  static let unknown = Clause("Ignore unknown types, changes and fields")
  static let result = Clause(
    "`{\"change\":\"result\"}` is the last change of every delta that changes the result; never "
      + "compute the result yourself.")
  static let answer = Clause(
    "A command has a `ref`, a number that you increase, and gets exactly one answer")
  static let stale = Clause(
    "A select names the row it saw by `generation` and `key`; the server never selects another one."
  )
  static let refused = Clause("Apply the `changes` of a refusal like those of a delta.")
  static let clamp = Clause("The changes count, not your request")
  static let resume = Clause(
    "When the connection is lost, join again with `resume`: the same member, and only the deltas "
      + "you missed.")
  static let gap = Clause("A gap in the revisions is handled the same way.")
  static let duplicate = Clause("A delta whose revision you have already changes nothing.")
  static let growing = Clause(
    "`ref` increases over all connections of a member; it never starts again.")
  static let resend = Clause(
    "After every `welcome` of the same `member.id`, send all unanswered commands again, in order, "
      + "with their own `ref`, `at` and `hits`.")
  static let early = Clause(
    "Between `join` and `welcome` queue the user's commands, do not send them")
  static let late = Clause(
    "`clear`, `undo`, `redo`, `confirm`, `cancel`, `reopen` and `hold` have `at`: the newest "
      + "revision that you had applied when the user gave the command.")
  static let hits = Clause(
    "Send it with a tap that you send again, and with a tap that the user gave without a "
      + "connection.")
  static let again = Clause("A command that is sent again has the same `at` and `hits`")
  static let otherEpoch = Clause(
    "After a `welcome` with another `epoch`, do the same with the commands that have `at`: it is a "
      + "revision of other history.")
  static let rename = Clause(
    "The answer is a `reply`. The others receive `changed`, and you do not: set the name yourself "
      + "when the `reply` arrives.")
  static let twice = Clause(
    "With `\"resumed\":true` the answer may come twice, as a missed delta and as a `reply`; ignore "
      + "the second.")
  static let otherMember = Clause(
    "After a `welcome` with another `member.id`, do not send them again: whether they were done is "
      + "unknown.")
  static let role = Clause(
    "About itself a member receives only a change of its role, in `changed`.")
  static let definition = Clause(
    "After a change of the definition a `reload` may add a column at the end, or remove one "
      + "(`removed`) with all after it.")
  static let marks = Clause(
    "the marks of a member, in the cells of `runs`; null removes a mark")
  static let cells = Clause(
    "all `marks`, `heat` and `best` follow in the same delta, so forget those before")
  static let deciding = Clause(
    "`confirming` is not the end: the host's decision is a later change of the status, without "
      + "`ref`.")
  static let draining = Clause("reconnects after `reconnectAfterMs` and resumes")
  static let band = Clause("Act by the range of the code, so that new codes need no new client.")
  static let credentials = Clause("gets new credentials, then reconnects")
  static let final = Clause("does not reconnect: the session has ended, or access is denied")
  static let protocolError = Clause("does not reconnect, and does not send that message again")
  static let backOff = Clause("Back-off: a random time up to 1 s, then up to 2 s, 4 s … 30 s.")

  /// All clauses; a test checks that the guide contains each of them.
  package static let all = [
    join, fold, snapshot, unknown, result, answer, stale, refused, clamp, resume, gap, duplicate,
    growing, resend, late, hits, again, twice, otherMember, otherEpoch, rename, role, definition,
    marks, cells, deciding, draining, band, credentials,
    final, protocolError, backOff,
  ]
}

/// A violation of the contract by a client.
struct Breach: Error {
  let clause: Clause
  /// The difference between the expected and the actual behavior.
  let detail: String

  init(_ clause: Clause, _ detail: String) {
    self.clause = clause
    self.detail = detail
  }
}
