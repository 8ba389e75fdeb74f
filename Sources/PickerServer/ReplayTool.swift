import CivilTime
import Foundation
import JSONText
import PickerModel
import PickerSession
import PickerWire
package import SessionLog

/// `pickerd replay`: folds a log again, and says what came of it.
package struct ReplayTool {
  private let limits: LimitSettings
  private let zones = ZoneDatabase()
  private let catalog = LocaleCatalog()

  /// - Parameter limits: Those of the server whose log it is.
  package init(limits: LimitSettings) { self.limits = limits }

  /// What a replay has to say.
  package struct Answer: Sendable {
    /// Whether what is stored is what folding makes.
    package let isEqual: Bool
    /// Whether the log is there to its end.
    package let isWhole: Bool
    /// Lines to read.
    package let text: String
    /// A JSON object.
    package let json: [UInt8]
  }

  /// Replays a session.
  ///
  /// - Parameters:
  ///   - source: `sqlite:PATH`, or a file with what `GET …/log` answered; `-` is standard input.
  ///   - session: Needed for a store; a file may be of one session only.
  ///   - revision: Whose state is shown; `nil` for the last.
  ///   - isVerbose: Whether every entry is told.
  /// - Throws: ``ReplayProblem`` if nothing can be replayed.
  package func replay(
    _ source: String, session: String?, at revision: Int?, isVerbose: Bool
  ) throws(ReplayProblem) -> Answer {
    let story = ReplayStory(catalog, isKept: isVerbose)
    let each: (ReplayedEntry) -> Void = { story.add($0) }
    let limits = ServerLimits(self.limits).session
    let zone: (String) -> ZoneRules? = { [zones] in zones.rules(named: $0) }
    let report: ReplayReport
    if source.hasPrefix("sqlite:") {
      report = try SQLiteReplay.replay(
        try path(of: source), session: try needed(session, for: source), at: revision,
        limits: limits, versions: FoldVersions(tzdata: zones.version), zone: zone, each: each)
    } else if source == "memory:" {
      throw ReplayProblem(
        .usage, "what memory: keeps ends with its process; save GET /v1/sessions/ID/log in a file")
    } else {
      let name = source == "-" ? "standard input" : source
      let log = try LogFile(
        try octets(of: source), name: name, session: session.map { SessionID($0) }, zone: zone)
      report = try log.replay(
        at: revision, limits: limits, texts: story.texts(for: log.definition.locale), each: each)
    }
    return answer(report, source, story)
  }

  private func path(of source: String) throws(ReplayProblem) -> String {
    do throws(ConfigurationProblem) {
      guard case .sqlite(let path) = try StoreLocation(source) else { return "" }
      return path
    } catch {
      throw ReplayProblem(.usage, error.detail)
    }
  }

  private func needed(
    _ session: String?, for source: String
  ) throws(ReplayProblem) -> SessionID {
    guard let session else {
      throw ReplayProblem(
        .usage, "\(source) has many sessions: name one, by the id that stands in its URL")
    }
    return SessionID(session)
  }

  private func octets(of source: String) throws(ReplayProblem) -> [UInt8] {
    let descriptor = source == "-" ? 0 : open(source, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw ReplayProblem(.noInput, "cannot read \(source): \(String(cString: strerror(errno)))")
    }
    do {
      let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: descriptor != 0)
      return [UInt8](try file.readToEnd() ?? Data())
    } catch {
      throw ReplayProblem(.noInput, "cannot read \(source): \(error.localizedDescription)")
    }
  }

  private func answer(
    _ report: ReplayReport, _ source: String, _ story: ReplayStory
  ) -> Answer {
    let isEqual = report.difference == nil
    return Answer(
      isEqual: isEqual, isWhole: report.isWhole, text: story.text(of: report),
      json: json(of: report, story))
  }

  private func json(of report: ReplayReport, _ story: ReplayStory) -> [UInt8] {
    let windowRows = ServerLimits(limits).session.windowRows
    let standing = report.standing
    var members: [JSONTree.Member] = [
      .init("session", .string(standing.origin.id.text)),
      .init("revision", .integer(standing.revision)),
      .init("lastRevision", .integer(report.lastRevision)),
      .init("entries", .integer(report.entryCount)),
      .init("compared", .integer(report.comparedCount)),
      .init("comparedWith", .string(report.comparedNoun)),
      .init("equal", .bool(report.difference == nil)), .init("whole", .bool(report.isWhole)),
      .init("difference", report.difference?.tree ?? .null),
      .init("remarks", .array(report.remarks.map(JSONTree.string))),
    ]
    let state = HTTPDocument.session(
      Session(standing), texts: story.texts(for: standing.definition.locale),
      windowRows: windowRows, isFull: false)
    let shown = (try? JSONTree.parse(state, depthMax: 128))?.members ?? []
    let known = shown.filter { report.knowsMembers || $0.key != "members" }
    members.append(.init("state", .object(known)))
    if story.isKept {
      members.append(.init("story", .array(story.lines.map(JSONTree.string))))
    }
    return JSONTree.object(members).serialized()
  }
}

extension ReplayDifference {
  fileprivate var tree: JSONTree {
    .object([
      .init("revision", .integer(revision)),
      .init("pointer", pointer.map(JSONTree.string) ?? .null),
      .init("stored", stored ?? .null), .init("folded", folded ?? .null),
      .init("detail", .string(detail)),
    ])
  }
}
