package import CivilTime
import JSONText
package import PickerModel
package import PickerSession
import PickerWire

/// A session's log in the format of `GET /v1/sessions/{id}/log`: JSON lines.
package struct LogFile: Sendable {
  /// The maximum nesting of a line: the host's own values have up to 127 levels.
  package static let depthMax = 160

  /// A decoded line.
  struct Line: Sendable {
    let revision: Int
    /// The tick, command or change of the host.
    let entry: LogEntry
    let tree: JSONTree
  }

  let lines: [Line]
  let origin: SessionOrigin
  /// Whether the last line is incomplete.
  let isCut: Bool

  /// Reads a log.
  ///
  /// - Parameters:
  ///   - name: The name of the file in messages.
  ///   - session: The expected session; `nil`: any.
  ///   - zone: Zone rules by IANA name.
  /// - Throws: ``ReplayProblem`` unless it is a log of `session` from revision 1 on without gaps.
  package init(
    _ bytes: [UInt8], name: String, session: SessionID?, zone: (String) -> ZoneRules?
  ) throws(ReplayProblem) {
    var texts = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let rest = texts.popLast() ?? []
    var lines = try texts.enumerated().map { index, text throws(ReplayProblem) in
      try LogFile.line(Array(text), number: index + 1, name, zone: zone)
    }
    // Without a final newline the last line may still be complete.
    var isCut = false
    if !rest.isEmpty {
      if let last = try? LogFile.line(Array(rest), number: lines.count + 1, name, zone: zone) {
        lines.append(last)
      } else {
        isCut = true
      }
    }
    try LogFile.checkOrder(of: lines, name, isCut: isCut)
    self.lines = lines
    self.isCut = isCut
    origin = try LogFile.origin(lines[0].tree, name, zone: zone)
    if let session, session != origin.id {
      throw ReplayProblem(
        .badData, "\(name) is the log of session \(origin.id), not of \(session)")
    }
  }

  /// The definition with which the session was created.
  package var definition: Definition { origin.definition }

  private static func line(
    _ text: [UInt8], number: Int, _ name: String, zone: (String) -> ZoneRules?
  ) throws(ReplayProblem) -> Line {
    let tree: JSONTree
    do throws(JSONError) {
      tree = try JSONTree.parse(text, depthMax: LogFile.depthMax)
    } catch {
      throw ReplayProblem(
        .badData, "line \(number) of \(name) is not JSON: \(error.reason), at byte \(error.offset)")
    }
    guard let revision = tree["revision"]?.integer,
      let at = tree["at"]?.string.flatMap({ Instant(rfc3339: $0.utf8) }),
      let type = tree["command"]?["type"]?.string, tree["changes"]?.array != nil
    else {
      throw ReplayProblem(
        .badData, "line \(number) of \(name) is not a line of GET /v1/sessions/{id}/log")
    }
    if type == "tick" {
      return Line(revision: revision, entry: LogEntry(at: at, body: .tick), tree: tree)
    }
    if type == "note", let patch = tree["command"]?["notes"] {
      let entry = LogEntry(at: at, body: .revised(DocumentChange(notes: NotesPatch(patch))))
      return Line(revision: revision, entry: entry, tree: tree)
    }
    if type == "settle", let command = tree["command"],
      let settle = Settle(
        command, data: command["data"].map { VerbatimJSON($0) })
    {
      return Line(revision: revision, entry: LogEntry(at: at, body: .settle(settle)), tree: tree)
    }
    if type == "define" {
      guard let version = tree["command"]?["version"]?.integer,
        let made = tree["command"]?["definition"].flatMap({ Definition.stored($0, zone: zone) })
      else {
        throw ReplayProblem(
          .badData, "line \(number) of \(name) has no definition that pickerd accepts")
      }
      let change = DefinitionChange(version: version, definition: made, source: .whole)
      let notes = tree["command"]?["notes"].map { NotesPatch($0) }
      let entry = LogEntry(
        at: at, body: .revised(DocumentChange(definition: change, notes: notes)))
      return Line(revision: revision, entry: entry, tree: tree)
    }
    let isHost = tree["host"] == .bool(true)
    guard let by = isHost ? "" : tree["by"]?.string, let ref = isHost ? 0 : tree["ref"]?.integer,
      let (command, precondition) = tree["command"].flatMap(Command.written)
    else {
      throw ReplayProblem(
        .badData, "line \(number) of \(name) has a command without by or ref, or a malformed one")
    }
    let entry = LogEntry(
      at: at, body: .command(MemberID(by), ref: ref, command, precondition),
      op: tree["command"]?["op"]?.string)
    return Line(revision: revision, entry: entry, tree: tree)
  }

  private static func checkOrder(
    of lines: [Line], _ name: String, isCut: Bool
  ) throws(ReplayProblem) {
    guard let first = lines.first else {
      throw ReplayProblem(
        .badData, isCut ? "\(name) is cut within its first line" : "\(name) has no revision")
    }
    guard first.revision == 1 else {
      throw ReplayProblem(
        .badData,
        "\(name) begins at revision \(first.revision): a replay needs the log from revision 1 on, "
          + "downloaded without ?after=")
    }
    for (line, next) in zip(lines, lines.dropFirst()) where next.revision != line.revision + 1 {
      throw ReplayProblem(
        .badData,
        "\(name) goes from revision \(line.revision) to \(next.revision): "
          + (next.revision > line.revision ? "lines are missing" : "it is out of order"))
    }
  }

  private static func origin(
    _ tree: JSONTree, _ name: String, zone: (String) -> ZoneRules?
  ) throws(ReplayProblem) -> SessionOrigin {
    let session = tree["session"]
    guard let session, let id = session["id"]?.string, let epoch = session["epoch"]?.string,
      let createdAt = session["createdAt"]?.string.flatMap({ Instant(rfc3339: $0.utf8) }),
      session["openTap"]?.string.flatMap(SessionOrigin.OpenTap.init(rawValue:)) != nil,
      (1...3600).contains(session["decide"]?["seconds"]?.integer ?? 1),
      let document = session["definition"]
    else {
      throw ReplayProblem(
        .badData, "the session in the line of revision 1 of \(name) lacks a field or has a bad one")
    }
    do throws(DefinitionProblem) {
      let definition = try Definition.make(from: document, limits: .unbounded, zone: zone)
      // Always `shared`: the log has only commands that were accepted, so that the replay must not
      // refuse a tap because another member opened the range.
      var origin = SessionOrigin(
        id: SessionID(id), epoch: epoch, definition: definition,
        notes: session["notes"].flatMap(Notes.init(tree:)) ?? Notes(), openTap: .shared,
        createdAt: createdAt,
        host: HostFields(
          decideSeconds: session["decide"]?["seconds"]?.integer,
          isReopenedByHost: session["reopen"]?.string == "host",
          isCancelledByHost: session["cancel"]?.string == "host"))
      origin.result = session["result"].flatMap { try? ResultFields($0) }
      return origin
    } catch {
      throw ReplayProblem(
        .badData, "the definition in \(name): \(error.detail) at \(error.pointer)")
    }
  }
}
