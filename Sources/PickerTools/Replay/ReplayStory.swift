import CivilTime
import JSONText
import PickerModel
import PickerServer
import PickerSession
import SessionLog

/// Describes a replayed log in text: one line per entry with its author, action and effects.
final class ReplayStory {
  let isVerbose: Bool
  private(set) var lines: [String] = []
  private let catalog: LocaleCatalog
  /// The names of all members so far, including those who have left.
  private var names: [MemberID: String] = [:]

  /// - Parameter isVerbose: Whether to describe entries; if not, only names are collected.
  init(_ catalog: LocaleCatalog, isVerbose: Bool) {
    self.catalog = catalog
    self.isVerbose = isVerbose
  }

  func texts(for locale: String) -> any RowTexts { catalog.texts(for: locale) ?? EnglishTexts() }

  func add(_ replayed: ReplayedEntry) {
    if case .joined(let joining) = replayed.entry.body { names[joining.member] = joining.name }
    guard isVerbose else { return }
    let at = replayed.entry.at.rfc3339
    let texts = texts(for: replayed.fold.definition.locale)
    if case .joined(let joining) = replayed.entry.body, joining.secret.bytes.isEmpty { return }
    var hasLine = false
    for effect in replayed.effects {
      switch effect {
      case .delta(let delta):
        let who =
          delta.author.map { "\(name($0.member)): \($0.command.words)" }
          ?? delta.hostCommand.map { "the host: \($0.words)" }
          ?? (delta.isTick ? "time" : "the host")
        line(delta.revision, at, who, delta.words(in: texts))
      case .answered(let member, let answer):
        line(nil, at, "\(name(member)): \(replayed.entry.words)", [answer.words])
      case .joined(let member, meta: _):
        let role = replayed.fold.members[member].map { " as \($0.role)" } ?? ""
        let isReturn = if case .returned = replayed.entry.body { true } else { false }
        line(nil, at, "\(name(member)) \(isReturn ? "rejoins" : "joins")\(role)", [])
      case .roleChanged(let member):
        let role = replayed.fold.members[member].map { "\($0.role)" } ?? "nobody"
        line(nil, at, "\(name(member)) becomes \(role)", [])
      case .renamed(let member):
        line(nil, at, "\(name(member)): \(replayed.entry.words)", [])
        names[member] = replayed.fold.members[member]?.name
      case .left(let member): line(nil, at, "\(name(member)) leaves", [])
      case .revoked: line(nil, at, replayed.entry.words, [])
      case .settled(.late): line(nil, at, replayed.entry.words, ["too late"])
      case .settled(.unknown): line(nil, at, replayed.entry.words, ["unknown"])
      case .definitionRejected(_, let problem):
        line(nil, at, replayed.entry.words, ["not valid here: \(problem.detail)"])
      case .settled(.done), .cellsChanged, .resultReported, .sightChanged, .presence:
        continue
      }
      hasLine = true
    }
    if !hasLine { line(nil, at, replayed.entry.words, ["no change"]) }
  }

  private func line(_ revision: Int?, _ at: String, _ what: String, _ changes: [String]) {
    let number = revision.map(String.init) ?? "-"
    let padded = String(repeating: " ", count: max(0, 6 - number.count)) + number
    let came = changes.isEmpty ? "" : " → " + changes.joined(separator: "; ")
    lines.append("\(padded)  \(at)  \(what)\(came)")
  }

  private func name(_ member: MemberID) -> String {
    if member == .host { return "the host" }
    guard let name = names[member], name != member.text else { return member.text }
    return "\(name) (\(member))"
  }

  /// The complete output: the described entries, the final state, and the result of the comparison.
  func text(of report: ReplayReport) -> String {
    let fold = report.fold
    let definition = fold.definition
    var text = lines
    if !text.isEmpty { text.append("") }
    text.append(
      "session   \(fold.origin.id)"
        + (fold.origin.title.map {
          ", “\($0.text(for: definition.locale, fallback: definition.locale))”"
        } ?? ""))
    text.append("picker    \(definition.kind), \(definition.timeZone), \(definition.locale)")
    text.append("created   \(fold.origin.createdAt.rfc3339), epoch \(fold.origin.epoch)")
    text.append("revision  \(fold.revision) of \(report.lastRevision)")
    text.append("as of     \(fold.picker.asOf.rfc3339)")
    text.append("status    \(fold.status)")
    let result = fold.result.tree.serialized()
    text.append("result    \(String(decoding: result, as: UTF8.self))")
    text += shown(fold)
    if !fold.membersInOrder.isEmpty {
      let members = fold.membersInOrder.map {
        report.knowsMembers ? "\(name($0.id)) \($0.role)" : name($0.id)
      }
      let who = report.knowsMembers ? "members   " : "authors   "
      text.append(who + members.joined(separator: ", "))
    }
    text += report.remarks.map { "remark    \($0)" }
    text.append(verdict(report))
    // Names, titles and texts are those of members and hosts.
    return text.map(printable).joined(separator: "\n") + "\n"
  }

  private func verdict(_ report: ReplayReport) -> String {
    if let difference = report.difference {
      return "differs   at revision \(difference.revision): \(difference.detail)"
    }
    let entries = counted(report.entryCount, "entry")
    if report.comparedCount == 0 {
      return "equal     \(entries) replayed; there is no \(report.comparedNoun) to compare with yet"
    }
    let compared = counted(report.comparedCount, report.comparedNoun)
    return "equal     \(entries) replayed, \(compared) compared with the stored data"
  }

  private func shown(_ fold: SessionFold) -> [String] {
    let tapped = fold.picker.lastTap.map { ", last tapped by \(name($0.member))" } ?? ""
    return fold.picker.words(in: texts(for: fold.definition.locale), tapped: tapped)
  }
}
