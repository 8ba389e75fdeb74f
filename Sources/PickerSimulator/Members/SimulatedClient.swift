import JSONText
import PickerClient
import PickerSession
import Synchronization

/// An app with the shipped client, ``ClientMachine``, and what the checkers know of it.
final class SimulatedClient {
  let number: Int
  let session: SessionRecord
  let locale: String?
  private let jitter: SharedRandomSource
  private(set) var machine: ClientMachine
  var link: Link?
  /// The machine's timer; only the one that was set last counts.
  var timerSetting = 0
  var timerDue: Int64?
  /// Commands that were given to the machine and have no outcome yet.
  private(set) var unsettled: Set<Int> = []
  /// The last answer to any ref: what the machine settles a command with.
  private var lastAnswer: (ref: Int, verdict: Verdict)?
  /// Unanswered commands as they were sent, by ref.
  private(set) var sent: [Int: Sent] = [:]
  /// Commands that were answered lately, to be sent again.
  private(set) var answered: [(ref: Int, bytes: [UInt8], isGenuine: Bool)] = []
  /// The answer to each ref, as long as the member is the same.
  private(set) var verdicts: [Int: Verdict] = [:]
  /// Whether the hub was asked for other months than the machine looks at.
  var isViewUnknown = false
  /// Does nothing any more.
  var isRetired = false

  struct Sent {
    let bytes: [UInt8]
    /// Whether it is the machine's own message, not another one in its place.
    let isGenuine: Bool
  }

  enum Verdict: Hashable {
    /// `nil`: its reader was slow, and received only the revision of a snapshot.
    case done(revision: Int?)
    case refused(code: String)

    var isVague: Bool { self == .done(revision: nil) }
    /// Whether the server remembers the ref. It judges an unknown type again each time.
    var isRemembered: Bool { self != .refused(code: "unknownType") }
  }

  init(number: Int, session: SessionRecord, name: String?, locale: String?, random: RandomSource) {
    self.number = number
    self.session = session
    self.locale = locale
    let jitter = SharedRandomSource(random)
    self.jitter = jitter
    machine = ClientMachine(
      ClientProfile(name: name, locale: locale), jitter: { jitter.fraction() })
  }

  var state: ClientState { machine.state }

  func handle(_ event: ClientEvent, at now: Int64) -> [ClientEffect] {
    if case .command = event {
      unsettled.insert(machine.nextRef)
      if lastAnswer?.ref == machine.nextRef { lastAnswer = nil }
    }
    return machine.handle(event, at: now)
  }

  /// The app ends and starts again, as the same member if `identity` says so.
  func restart(as identity: ClientIdentity?) {
    machine = ClientMachine(
      machine.profile, identity: identity, jitter: { [jitter] in jitter.fraction() })
    unsettled = []
    sent = [:]
    if identity == nil { becomeAnother() }
  }

  /// Refs mean other commands from now on.
  func becomeAnother() {
    answered = []
    verdicts = [:]
    lastAnswer = nil
  }

  func note(_ message: Sent, as ref: Int) { sent[ref] = message }

  /// A ref has its answer.
  ///
  /// - Throws: If it had another one before.
  func note(_ ref: Int, _ verdict: Verdict) throws(ProtocolBreach) {
    lastAnswer = (ref, verdict)
    if let message = sent.removeValue(forKey: ref) {
      answered.append((ref, message.bytes, message.isGenuine))
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

  /// The machine reports what came of a command.
  ///
  /// - Throws: If it reported that before, or something else happened.
  func settle(_ ref: Int, _ result: Result<Int, PickerFailure>) throws(ProtocolBreach) {
    guard unsettled.remove(ref) != nil else {
      throw ProtocolBreach("a command is settled once: ref \(ref)")
    }
    let answer = lastAnswer.flatMap { $0.ref == ref ? $0.verdict : nil }
    let isTrue =
      switch (result, answer) {
      case (.success, .done): true
      case (.failure(.refused(let code, _)), .refused(let answered)): code.rawValue == answered
      case (.failure(.offline), nil), (.failure(.replaced), nil): sent[ref] == nil
      case (.failure(.lost), nil): sent[ref] != nil
      case (.success, _), (.failure, _): false
      }
    if case .failure(.lost) = result { sent[ref] = nil }
    guard isTrue else {
      throw ProtocolBreach(
        "ref \(ref) is settled with its answer: \(result), not \(answer as Any)")
    }
  }
}

/// A source of random for a closure that may run anywhere.
private final class SharedRandomSource: Sendable {
  private let random: Mutex<RandomSource>

  init(_ random: RandomSource) { self.random = Mutex(random) }

  func fraction() -> Double { random.withLock { $0.fraction() } }
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
