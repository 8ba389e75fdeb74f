import CivilTime
import JSONText
package import PickerModel
package import PickerSession
import PickerWire

/// The entries of which the lines are the result. All logged commands were accepted, so roles,
/// absence and rates are ignored, and an author joins at its first command.
extension LogFile: EntrySource {
  func item(
    after sequence: Int, _ fold: borrowing SessionFold
  ) -> (sequence: Int, item: Line)? {
    lines.indices.contains(fold.revision) ? (sequence + 1, lines[fold.revision]) : nil
  }

  func entry(_ line: Line, after fold: borrowing SessionFold) -> LogEntry {
    // A clock that was set back has a line only if that changed something.
    if line.entry.at < fold.reached { return LogEntry(at: line.entry.at, body: .clockSet) }
    if let member = line.member, fold.members[member] == nil {
      let joining = LogEntry.Joining(
        member: member, secret: SecretHash([]), name: member.text, role: .owner)
      return LogEntry(at: line.entry.at, body: .joined(joining))
    }
    return line.entry
  }

  /// Applies the commands again, and compares each line with the replay's until one differs.
  ///
  /// Texts of rows are not compared, because they depend on the languages of the server.
  /// - Parameters:
  ///   - revision: The revision whose state is reported; `nil`: the last.
  ///   - limits: The limits; `windowRows` must be that of the server that wrote the log.
  ///   - texts: The texts of the definition's locale.
  ///   - each: Called with each entry, in order.
  /// - Throws: ``ReplayProblem`` if the definition is invalid, or if nothing differs and there is
  ///   no such revision.
  package func replay(
    at revision: Int?, limits: SessionLimits, texts: any RowTexts,
    each: @escaping (ReplayedEntry) -> Void
  ) throws(ReplayProblem) -> ReplayReport {
    var limits = limits
    limits.undo = .max
    limits.history = 0
    let start: SessionFold
    do throws(DefinitionProblem) {
      start = try SessionFold(origin, limits: limits)
    } catch {
      throw ReplayProblem(.badData, "the definition of \(origin.id): \(error.detail)")
    }
    var replayer = Replayer(EntryCursor(start, of: self), at: revision, each: each)
    var comparison = LineComparison(log: self, windowRows: limits.windowRows, texts: texts)
    while comparison.difference == nil, let next = try? replayer.next() {
      let line = lines[replayer.fold.revision]
      let effects = replayer.apply(next)
      comparison.compare(line, effects, isAdded: next.entry.isAddedToLines)
    }
    let requested: SessionFold
    if comparison.difference != nil {
      requested = (try? replayer.requestedFold(of: "the log")) ?? replayer.fold
    } else {
      requested = try replayer.requestedFold(of: "the log")
    }
    return ReplayReport(
      fold: requested, lastRevision: lines.count, entryCount: comparison.count,
      comparedCount: comparison.count, comparedNoun: "line", knowsMembers: false,
      difference: comparison.difference,
      remarks: isCut
        ? ["the log is cut: the line after revision \(lines.count) is incomplete"] : [],
      isWhole: !isCut)
  }
}

/// Compares the lines of a log with the deltas of a replay.
private struct LineComparison {
  let log: LogFile
  let windowRows: Int
  let texts: any RowTexts
  private(set) var difference: ReplayDifference?
  private(set) var count = 0

  /// - Parameters:
  ///   - line: The line whose entry was applied, unless `isAdded`.
  ///   - effects: Of the entry, which may be those of the next lines, too.
  mutating func compare(_ line: LogFile.Line, _ effects: [Effect], isAdded: Bool) {
    var isChanged = isAdded
    for case .delta(let delta) in effects
    where difference == nil && delta.revision <= log.lines.count {
      isChanged = true
      compare(log.lines[delta.revision - 1], delta)
      count += 1
    }
    if isChanged { return }
    var reason = "replaying it changes nothing"
    for case .answered(_, let answer) in effects {
      guard case .refused(let refusal, _) = answer.body else { continue }
      reason = "the replay refuses it with \(refusal.code.rawValue): \(refusal.detail)"
    }
    difference = ReplayDifference(
      revision: line.revision, detail: "the log has a \(line.type) with changes; \(reason)")
  }

  private mutating func compare(_ line: LogFile.Line, _ delta: Delta) {
    var writer = JSONWriter(capacity: 1024)
    HTTPDocument.logLine(
      delta, of: log.origin, seesAll: true, texts: texts, windowRows: windowRows, into: &writer)
    guard let folded = try? JSONTree.parse(writer.bytes, depthMax: LogFile.depthMax) else {
      return
    }
    difference = ReplayDifference(
      revision: line.revision, "the line of revision \(line.revision)", stored: line.tree,
      folded: folded, apart: ["text", "session", "name", "color"])
  }
}

extension LogEntry {
  /// Whether no line has it.
  fileprivate var isAddedToLines: Bool {
    switch body {
    case .joined, .clockSet: true
    default: false
    }
  }
}

extension LogFile.Line {
  /// The author, or the member for whom the host has acted.
  fileprivate var member: MemberID? {
    switch entry.body {
    case .command(.host, ref: _, .act(let action), _): action.subject
    case .command(.host, ref: _, _, _): nil
    case .command(let member, ref: _, _, _): member
    default: nil
    }
  }

  /// The `type` of the command.
  fileprivate var type: String {
    tree["command"]?["type"]?.string ?? "tick"
  }
}
