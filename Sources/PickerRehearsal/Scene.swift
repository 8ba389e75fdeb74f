import PickerWire

/// A scripted session and its checks of the client.
package struct Scene: Sendable {
  /// The name for `--scene`.
  package let name: String
  /// A summary of what happens, for `--help` and reports.
  package let summary: String
  /// The definition, and possibly further members of the request that creates the session.
  let definition: String
  var limits = ServerLimits()
  let play: @Sendable (Stage) throws -> Void

  init(
    _ name: String, _ summary: String, _ definition: String,
    limits change: (inout ServerLimits) -> Void = { _ in },
    play: @escaping @Sendable (Stage) throws -> Void
  ) {
    self.name = name
    self.summary = summary
    self.definition = definition
    self.play = play
    limits.messagesPerSecond = 1000
    change(&limits)
  }

  package static let all = folding + marking + deciding + connection + late + closing

  static let calendar = """
    {"kind":"calendar","months":{"from":"2026-10","through":"2026-12"},"maxDays":5,\
    "blocked":[{"from":"2026-11-18"}]}
    """
  static let nights = """
    {"kind":"calendar","unit":"nights","months":{"from":"2026-11","through":"2026-12"},\
    "currency":"EUR","stays":[{"weekdays":[7],"arrival":false}],\
    "taken":{"a":{"from":"2026-11-27","through":"2026-11-29"}}}
    """
  static let date = """
    {"kind":"date","min":"2024-01-01","max":"2026-12-31","initial":"2026-03-15"}
    """
  static let lists = #"{"kind":"columns","columns":[["a","b","c","d"],["x","y","z"]]}"#
  static let slot = #"{"kind":"slot","leadMinutes":0,"stepMinutes":10,"days":2}"#
}
