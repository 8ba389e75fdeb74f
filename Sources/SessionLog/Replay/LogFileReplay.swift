import CivilTime
import JSONText
package import PickerModel
package import PickerSession
import PickerWire

extension LogFile {
  /// Applies the commands again, and compares each line with the replay's until one differs.
  ///
  /// All logged commands were accepted, so roles, absence and rates are ignored, and an author
  /// joins at its first command. Texts of rows are not compared, because they depend on the
  /// languages of the server.
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
    var replayer = Replayer(start, at: revision, each: each)
    var comparison = Comparison(
      windowRows: limits.windowRows, texts: texts)
    for line in lines {
      comparison.add(line, &replayer)
      if comparison.difference != nil { break }
    }
    var remarks: [String] = []
    if isCut {
      remarks.append("the log is cut: the line after revision \(lines.count) is incomplete")
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
      difference: comparison.difference, remarks: remarks, isWhole: !isCut)
  }

  /// Replays the lines and compares each with the result.
  private struct Comparison {
    let windowRows: Int
    let texts: any RowTexts
    private(set) var difference: ReplayDifference?
    private(set) var count = 0
    /// Deltas of the applied entries that were not compared with a line yet: an entry can make
    /// several.
    private var pending: [Delta] = []

    init(windowRows: Int, texts: any RowTexts) {
      self.windowRows = windowRows
      self.texts = texts
    }

    mutating func add(_ line: Line, _ replayer: inout Replayer) {
      if pending.isEmpty {
        let refusal = apply(line, &replayer)
        if pending.isEmpty {
          difference = ReplayDifference(
            revision: line.revision,
            detail: "the log has a \(line.type) with changes; "
              + (refusal ?? "replaying it changes nothing"))
          return
        }
      }
      compare(line, pending.removeFirst(), of: replayer.fold.origin)
      count += 1
    }

    /// - Returns: The reason if a command is refused.
    private mutating func apply(_ line: Line, _ replayer: inout Replayer) -> String? {
      // A clock that was set back has a line only if that changed something.
      if line.entry.at < replayer.fold.reached {
        collect(replayer.apply(LogEntry(at: line.entry.at, body: .clockSet)))
      }
      if let member = line.member, replayer.fold.members[member] == nil {
        let joining = LogEntry.Joining(
          member: member, secret: SecretHash([]), name: member.text, role: .owner)
        _ = replayer.apply(LogEntry(at: line.entry.at, body: .joined(joining)))
      }
      let effects = replayer.apply(line.entry)
      collect(effects)
      for case .answered(_, let answer) in effects {
        guard case .refused(let refusal, _) = answer.body else { continue }
        return "the replay refuses it with \(refusal.code.rawValue): \(refusal.detail)"
      }
      return nil
    }

    private mutating func collect(_ effects: [Effect]) {
      for case .delta(let delta) in effects { pending.append(delta) }
    }

    private mutating func compare(_ line: Line, _ delta: Delta, of origin: SessionOrigin) {
      var writer = JSONWriter(capacity: 1024)
      HTTPDocument.logLine(
        delta, of: origin, seesAll: true, texts: texts, windowRows: windowRows, into: &writer)
      guard let folded = try? JSONTree.parse(writer.bytes, depthMax: LogFile.depthMax) else {
        return
      }
      difference = ReplayDifference(
        revision: line.revision, "the line of revision \(line.revision)", stored: line.tree,
        folded: folded, apart: ["text", "session", "name", "color"])
    }
  }
}

extension LogFile.Line {
  /// The author, or the member whose marks a host has imported.
  fileprivate var member: MemberID? {
    switch entry.body {
    case .command(.host, ref: _, .importMarks(let marks), _): MemberID(marks.member)
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
