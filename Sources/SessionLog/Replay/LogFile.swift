package import CivilTime
import JSONText
package import PickerModel
package import PickerSession
import PickerWire

/// A session's log as `GET /v1/sessions/{id}/log` answers it: a JSON object a line.
package struct LogFile: Sendable {
  /// One line, taken apart.
  struct Line: Sendable {
    let revision: Int
    /// The tick or the command.
    let entry: LogEntry
    let tree: JSONTree
  }

  let lines: [Line]
  let origin: SessionOrigin
  /// Whether the last line ends in the middle.
  let isCut: Bool

  /// Reads a log.
  ///
  /// - Parameters:
  ///   - name: What sentences call it.
  ///   - session: The session that it must be of; `nil` for any.
  ///   - zone: Zone rules by IANA name.
  /// - Throws: ``ReplayProblem`` for what is no log from revision 1 on, without gaps, of `session`.
  package init(
    _ bytes: [UInt8], name: String, session: SessionID?, zone: (String) -> ZoneRules?
  ) throws(ReplayProblem) {
    var texts = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let rest = texts.popLast() ?? []
    var lines: [Line] = []
    for (index, text) in texts.enumerated() {
      lines.append(try LogFile.line(Array(text), number: index + 1, name, zone: zone))
    }
    // The last line may have been whole, and only its end be missing.
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

  /// What the log is of.
  package var definition: Definition { origin.definition }

  private static func line(
    _ text: [UInt8], number: Int, _ name: String, zone: (String) -> ZoneRules?
  ) throws(ReplayProblem) -> Line {
    let tree: JSONTree
    do throws(JSONError) {
      tree = try JSONTree.parse(text, depthMax: 128)
    } catch {
      throw ReplayProblem(
        .badData, "line \(number) of \(name) is not JSON: \(error.reason), at byte \(error.offset)")
    }
    guard let revision = tree["revision"]?.integer,
      let at = tree["at"]?.string.flatMap({ Instant(rfc3339: $0.utf8) }),
      let type = tree["command"]?["type"]?.string, tree["changes"]?.array != nil
    else {
      throw ReplayProblem(
        .badData, "line \(number) of \(name) is no line of GET /v1/sessions/{id}/log")
    }
    if type == "tick" {
      return Line(revision: revision, entry: LogEntry(at: at, body: .tick), tree: tree)
    }
    if type == "note", let patch = tree["command"]?["notes"] {
      return Line(revision: revision, entry: LogEntry(at: at, body: .note(patch)), tree: tree)
    }
    if type == "define" {
      guard let version = tree["command"]?["version"]?.integer,
        let made = tree["command"]?["definition"].flatMap({ Definition.stored($0, zone: zone) })
      else {
        throw ReplayProblem(
          .badData, "line \(number) of \(name) has no definition that pickerd accepts")
      }
      let change = DefinitionChange(version: version, definition: made, source: .whole)
      let entry = LogEntry(at: at, body: .define(change))
      return Line(revision: revision, entry: entry, tree: tree)
    }
    guard let by = tree["by"]?.string, let ref = tree["ref"]?.integer,
      let command = tree["command"].flatMap(Command.init(tree:))
    else {
      throw ReplayProblem(
        .badData, "line \(number) of \(name) has a command without by or ref, or an ill-typed one")
    }
    let entry = LogEntry(at: at, body: .command(MemberID(by), ref: ref, command))
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
        "\(name) begins at revision \(first.revision), and what stood before is not known: take "
          + "the log without ?after=")
    }
    for (line, next) in zip(lines, lines.dropFirst()) where next.revision != line.revision + 1 {
      throw ReplayProblem(
        .badData,
        "\(name) goes from revision \(line.revision) to \(next.revision): "
          + (next.revision > line.revision ? "what is between is missing" : "it is out of order"))
    }
  }

  private static func origin(
    _ tree: JSONTree, _ name: String, zone: (String) -> ZoneRules?
  ) throws(ReplayProblem) -> SessionOrigin {
    guard let session = tree["session"] else {
      throw ReplayProblem(
        .badData,
        "the line of revision 1 of \(name) has no session: an older pickerd wrote it. Replay from "
          + "the store, sqlite:PATH")
    }
    guard let id = session["id"]?.string, let epoch = session["epoch"]?.string,
      let createdAt = session["createdAt"]?.string.flatMap({ Instant(rfc3339: $0.utf8) }),
      session["openTap"]?.string.flatMap(SessionOrigin.OpenTap.init(word:)) != nil,
      let document = session["definition"]
    else {
      throw ReplayProblem(
        .badData, "the session in the line of revision 1 of \(name) is not as pickerd writes it")
    }
    do throws(DefinitionProblem) {
      let definition = try Definition.make(from: document, limits: .unbounded, zone: zone)
      // Every command here was accepted, so nobody's claim is in its way.
      return SessionOrigin(
        id: SessionID(id), epoch: epoch, definition: definition, openTap: .shared,
        createdAt: createdAt)
    } catch {
      throw ReplayProblem(
        .badData, "the definition in \(name): \(error.detail) at \(error.pointer)")
    }
  }
}
