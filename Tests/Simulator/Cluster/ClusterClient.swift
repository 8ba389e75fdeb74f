import JSONText
import PickerHub
import PickerSession

/// A member's client: it connects to any node, sends commands, and sends those without an answer
/// again after it has reconnected. Those of another epoch are not sent again.
final class ClusterClient {
  let number: Int
  let session: SessionID
  /// The member's credentials, from the last welcome.
  private(set) var member: (id: String, secret: String, epoch: String)?
  private(set) var revision = 0
  /// The commands without an answer, in the order of their refs.
  private(set) var pending: [(ref: Int, text: String)] = []
  private var lastRef = 0
  /// The answers by ref: the revision of a delta or a reply; `nil` for a refusal.
  private(set) var answers: [Int: Int?] = [:]
  /// The revisions of the deltas that answered commands, by ref.
  private(set) var executed: [Int: Int] = [:]
  var connection: ConnectionID?
  private(set) var isLive = false
  /// The first violated rule.
  private(set) var breach: String?
  /// The texts of the deltas by revision, without their refs; shared by the clients of a session.
  let seen: SeenDeltas
  init(number: Int, session: SessionID, seen: SeenDeltas) {
    self.number = number
    self.session = session
    self.seen = seen
  }

  var join: String {
    guard let member else { return #"{"type":"join","name":"\#(number)"}"# }
    return #"{"type":"join","resume":{"member":"\#(member.id)","secret":"\#(member.secret)","#
      + #""epoch":"\#(member.epoch)","revision":\#(revision)}}"#
  }

  /// Adds a command; `fields` begin with a comma.
  ///
  /// - Returns: The message to send.
  func command(_ type: String, _ fields: String = "") -> String {
    lastRef += 1
    let text = #"{"type":"\#(type)","ref":\#(lastRef)\#(fields)}"#
    pending.append((lastRef, text))
    return text
  }

  func closed(code: UInt16) {
    (connection, isLive) = (nil, false)
    switch code {
    case 4404, 4410: fail("no session ends: \(code)")
    case 4409: fail("the newest connection of a member stays")
    default: break
    }
  }

  /// - Returns: The messages to send.
  func receive(_ bytes: [UInt8]) -> [String] {
    guard let message = try? JSONTree.parse(bytes) else {
      fail("a message is JSON")
      return []
    }
    switch message["type"]?.string {
    case "welcome": return welcome(message)
    case "delta": delta(message)
    case "reply": answer(message, message["revision"]?.integer)
    case "refused": answer(message, nil)
    default: break
    }
    return []
  }

  private func welcome(_ message: JSONTree) -> [String] {
    guard let id = message["member"]?["id"]?.string,
      let secret = message["member"]?["secret"]?.string,
      let epoch = message["epoch"]?.string, let start = message["revision"]?.integer
    else {
      fail("a welcome has a member, an epoch and a revision")
      return []
    }
    if let member, member.epoch != epoch {
      (pending, answers, executed) = ([], [:], [:])
    } else {
      if let member, member.id != id { fail("a member that resumes is the same: \(member.id)") }
      if start < revision {
        fail("a revision that was received is never lost: \(revision), welcome at \(start)")
      }
    }
    member = (id, secret, epoch)
    revision = start
    isLive = true
    return pending.map(\.text)
  }

  private func delta(_ message: JSONTree) {
    guard let next = message["revision"]?.integer else { return fail("a delta has a revision") }
    if next != revision + 1 { fail("revisions have no gaps: \(next) follows \(revision)") }
    revision = next
    if let sentence = seen.note(message, at: next, member?.epoch ?? "") { fail(sentence) }
    guard let ref = message["ref"]?.integer else { return }
    executed[ref] = next
    answer(message, next)
  }

  private func answer(_ message: JSONTree, _ revision: Int?) {
    guard let ref = message["ref"]?.integer else { return }
    pending.removeAll { $0.ref == ref }
    if let known = answers[ref], let known, let revision, known != revision {
      fail("a command is done once: ref \(ref) at \(known) and \(revision)")
    }
    answers[ref] = .some(revision)
  }

  private func fail(_ sentence: String) {
    if breach == nil { breach = "client \(number): \(sentence)" }
  }
}

/// What the clients of a session have received: one text for each revision of an epoch.
final class SeenDeltas {
  private var texts: [String: [Int: [UInt8]]] = [:]
  /// The newest revisions by epoch.
  private(set) var newest: [String: Int] = [:]

  /// - Returns: A violated rule.
  func note(_ delta: JSONTree, at revision: Int, _ epoch: String) -> String? {
    let text = JSONTree.object(
      (delta.members ?? []).filter { $0.key != "ref" }.map { .init($0.key, $0.value) }
    ).serialized()
    guard let known = texts[epoch]?[revision] else {
      texts[epoch, default: [:]][revision] = text
      newest[epoch] = max(newest[epoch] ?? 0, revision)
      return nil
    }
    return known == text
      ? nil : "all members have the same order: they differ at revision \(revision)"
  }
}
