import JSONText
import PickerSession

/// Somebody with a picker before them.
final class SimulatedClient {
  let number: Int
  let session: SessionRecord
  let locale: String?
  var link: Link?
  var fold: ClientFold?
  var secret: String?
  private(set) var nextRef = 1
  /// Commands that have no answer yet, in order.
  var unanswered: [Sent] = []
  /// Commands that were answered lately, to be sent again.
  var answered: [Sent] = []
  /// What was answered to each ref, as long as the member is the same.
  var verdicts: [Int: Verdict] = [:]
  /// The months that it asked for last.
  var view: World.RandomView?
  /// Does nothing any more.
  var isRetired = false

  struct Sent {
    let ref: Int
    let octets: [UInt8]
  }

  enum Verdict: Hashable {
    /// `nil`: its reader was slow, and only heard the revision of a snapshot.
    case done(revision: Int?)
    case refused(code: String)

    var isVague: Bool { self == .done(revision: nil) }
    /// Whether the server remembers the ref. It judges an unknown type again each time.
    var isRemembered: Bool { self != .refused(code: "unknownType") }
  }

  init(number: Int, session: SessionRecord, locale: String?) {
    self.number = number
    self.session = session
    self.locale = locale
  }

  func takeRef() -> Int {
    defer { nextRef += 1 }
    return nextRef
  }

  /// Begins anew, as somebody else.
  func forget() {
    fold = nil
    secret = nil
    unanswered = []
    answered = []
    verdicts = [:]
    view = nil
    nextRef = 1
  }

  /// A ref has its answer.
  ///
  /// - Throws: If it had another one before.
  func note(_ ref: Int, _ verdict: Verdict) throws(ProtocolBreach) {
    if let index = unanswered.firstIndex(where: { $0.ref == ref }) {
      answered.append(unanswered.remove(at: index))
      if answered.count > 12 { answered.removeFirst() }
    }
    if case .refused("oldRef") = verdict { return }
    if case .refused("tooMany") = verdict { return }
    // A viewer's is not remembered: with another role it may be done later.
    if case .refused("notAllowed") = verdict, verdicts[ref] == nil { return }
    if let before = verdicts[ref], before != verdict, !before.isVague, !verdict.isVague {
      throw ProtocolBreach("ref \(ref) has one outcome: \(before), then \(verdict)")
    }
    verdicts[ref] = verdict
  }
}

/// A session that somebody created.
final class SessionRecord {
  let id: SessionID
  let definition: JSONTree
  let ttlSeconds: Int
  /// By role.
  let tokens: [String: String]
  /// Somebody deleted it, or its time was up.
  var isEnded = false

  init(id: SessionID, definition: JSONTree, ttlSeconds: Int, tokens: [String: String]) {
    self.id = id
    self.definition = definition
    self.ttlSeconds = ttlSeconds
    self.tokens = tokens
  }

  var isCalendar: Bool { definition["kind"]?.string == "calendar" }
}
