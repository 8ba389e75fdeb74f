import CivilTime
import Foundation
import JSONText
import PickerModel
import PickerServer
import PickerSession
import PickerWire
import SessionLog

/// `pickerd replay`: folds a log and compares the result with the stored state.
struct ReplayTool {
  private let limits: LimitSettings
  private let zones = ZoneDatabase()
  private let catalog = LocaleCatalog()

  /// - Parameter limits: The limits of the server that wrote the log.
  init(limits: LimitSettings) { self.limits = limits }

  /// The result of a replay.
  struct Answer: Sendable {
    /// Whether the stored state equals the folded state.
    let isEqual: Bool
    /// Whether the log is complete.
    let isWhole: Bool
    /// The result as text.
    let text: String
    /// The result as a JSON object.
    let json: [UInt8]
  }

  /// Replays a session.
  ///
  /// - Parameters:
  ///   - source: `sqlite:PATH`, `postgres://…`, or a file with the response of `GET …/log`; `-` is
  ///     standard input.
  ///   - session: Required for a store; optional for a file, which has only one session.
  ///   - revision: The revision whose state is shown; `nil` for the last one.
  ///   - isVerbose: Whether to describe every entry.
  /// - Throws: ``ReplayProblem`` if the source cannot be replayed.
  func replay(
    _ source: String, session: String?, at revision: Int?, isVerbose: Bool
  ) throws(ReplayProblem) -> Answer {
    let story = ReplayStory(catalog, isVerbose: isVerbose)
    let each: (ReplayedEntry) -> Void = { story.add($0) }
    let limits = ServerLimits(self.limits).session
    let zone: (String) -> ZoneRules? = { [zones] in zones.rules(named: $0) }
    let settings = SQLReplay.Settings(
      revision: revision, limits: limits, versions: FoldVersions(tzdata: zones.version),
      zone: zone, each: each)
    let report: ReplayReport
    if source.hasPrefix("sqlite:") {
      report = try SQLReplay.replay(
        file: try path(of: source), try needed(session, for: source), settings)
    } else if source.hasPrefix("postgres://") || source.hasPrefix("postgresql://") {
      report = try SQLReplay.replay(
        database: try address(of: source), try needed(session, for: "postgres://"), settings)
    } else if source == "memory:" {
      throw ReplayProblem(
        .usage,
        "memory: cannot be read by another process; save GET /v1/sessions/ID/log to a file instead")
    } else {
      let name = source == "-" ? "standard input" : source
      let log = try LogFile(
        try bytes(of: source), name: name, session: session.map { SessionID($0) }, zone: zone)
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

  private func address(of source: String) throws(ReplayProblem) -> PostgresAddress {
    do throws(StoreProblem) {
      return try PostgresAddress(source)
    } catch {
      throw ReplayProblem(.usage, error.description)
    }
  }

  private func needed(
    _ session: String?, for source: String
  ) throws(ReplayProblem) -> SessionID {
    guard let session else {
      throw ReplayProblem(
        .usage, "\(source) requires a session id, which is the ID in /v1/sessions/ID")
    }
    return SessionID(session)
  }

  private func bytes(of source: String) throws(ReplayProblem) -> [UInt8] {
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
    let fold = report.fold
    var members: [JSONTree.Member] = [
      .init("session", .string(fold.origin.id.text)),
      .init("revision", .integer(fold.revision)),
      .init("lastRevision", .integer(report.lastRevision)),
      .init("entries", .integer(report.entryCount)),
      .init("compared", .integer(report.comparedCount)),
      .init("comparedWith", .string(report.comparedNoun)),
      .init("equal", .bool(report.difference == nil)), .init("whole", .bool(report.isWhole)),
      .init("difference", report.difference?.tree ?? .null),
      .init("remarks", .array(report.remarks.map(JSONTree.string))),
    ]
    let state = HTTPDocument.session(
      fold, seesAll: true, texts: story.texts(for: fold.definition.locale),
      windowRows: windowRows)
    let shown = (try? JSONTree.parse(state, depthMax: LogFile.depthMax))?.members ?? []
    let known = shown.filter { report.knowsMembers || $0.key != "members" }
    members.append(.init("state", .object(known)))
    if story.isVerbose {
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
