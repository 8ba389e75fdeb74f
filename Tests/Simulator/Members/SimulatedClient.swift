import JSONText
import PickerClient
import PickerModel
import PickerHub
import PickerSession
import Synchronization

/// A simulated app: the real client, ``ClientMachine``, and what the checkers record about it.
final class SimulatedClient {
  let number: Int
  let session: SessionRecord
  let locale: String?
  private let jitter: SharedRandomSource
  private(set) var machine: ClientMachine
  var link: Link?
  /// Identifies the last timer that was set; earlier ones are ignored.
  var timerSetting = 0
  var timerDue: Int64?
  /// The refs of commands for which the machine has not reported an outcome.
  private(set) var unsettled: Set<Int> = []
  /// The refs of their messages, which differ after a refusal with `tooMany`.
  private var messageRefs: [Int: Int] = [:]
  /// The last answer; the machine must report it as its command's outcome.
  private var lastAnswer: (ref: Int, verdict: Verdict)?
  /// The unanswered commands as they were sent, by ref.
  private(set) var sent: [Int: Sent] = [:]
  /// The refs of those of former epochs.
  private var unanswered: Set<Int> = []
  /// The last answered commands, to be sent again as duplicates.
  private(set) var answered: [(ref: Int, bytes: [UInt8], isGenuine: Bool)] = []
  /// The recorded answers by ref of the current member.
  private(set) var verdicts: [Int: Verdict] = [:]
  /// The locales of the `welcome` messages since the last snapshot, newest last. More than one if
  /// the definition's locale changed before the client resumed.
  var languageTags: [String] = []
  /// Whether the hub got a request for other months than those that the machine has in view.
  var isViewUnknown = false
  /// What the client's state of an availability was made for; `nil` while it must get a snapshot,
  /// because it may see more or less than before.
  var audience: Sight.Audience?
  /// That of the last welcome.
  var epoch: String?
  /// Whether the client no longer acts.
  var isRetired = false

  struct Sent {
    let bytes: [UInt8]
    /// Whether it is the machine's own message, not a tampered one.
    let isGenuine: Bool
  }

  enum Verdict: Hashable {
    /// `nil` if the client was slow and received a snapshot instead of the delta.
    case done(revision: Int?)
    case refused(code: String)

    var isVague: Bool { self == .done(revision: nil) }
    /// Whether the server stores the ref: not for an unknown command type.
    var isRemembered: Bool { self != .refused(code: "unknownType") }
  }

  init(
    number: Int, session: SessionRecord, name: String?, locale: String?, timeZone: String?,
    random: RandomSource
  ) {
    self.number = number
    self.session = session
    self.locale = locale
    let jitter = SharedRandomSource(random)
    self.jitter = jitter
    machine = ClientMachine(
      ClientProfile(name: name, locale: locale, timeZone: timeZone), jitter: { jitter.fraction() })
  }

  var state: ClientState { machine.state }

  func handle(_ event: ClientEvent, at now: Int64) -> [ClientEffect] {
    if case .command = event {
      unsettled.insert(machine.nextRef)
      if lastAnswer?.ref == machine.nextRef { lastAnswer = nil }
    }
    defer { messageRefs.merge(machine.messageRefs) { $1 } }
    return machine.handle(event, at: now)
  }

  /// Restarts the app, as the same member if there is an `identity`.
  func restart(as identity: ClientIdentity?) {
    machine = ClientMachine(
      machine.profile, identity: identity, jitter: { [jitter] in jitter.fraction() })
    unsettled = []
    messageRefs = [:]
    sent = [:]
    if identity == nil { becomeAnother() }
  }

  /// Drops the answers, because a new member reuses the refs for other commands.
  func becomeAnother() {
    answered = []
    verdicts = [:]
    lastAnswer = nil
  }

  /// The session has another epoch: unanswered commands are not sent again, and the outcomes of
  /// others may be lost.
  func noteEpoch() {
    becomeAnother()
    unanswered.formUnion(sent.keys)
    sent = [:]
  }

  func note(_ message: Sent, as ref: Int) { sent[ref] = message }

  /// Records the answer to a ref.
  ///
  /// - Throws: If the ref had a different answer before.
  func note(_ ref: Int, _ verdict: Verdict) throws(ProtocolBreach) {
    lastAnswer = (ref, verdict)
    if let message = sent.removeValue(forKey: ref) {
      answered.append((ref, message.bytes, message.isGenuine))
      if answered.count > 12 { answered.removeFirst() }
    }
    if case .refused("oldRef") = verdict { return }
    if case .refused("tooMany") = verdict { return }
    // The server records it in memory only: later, with another role, the command can succeed.
    if case .refused("notAllowed") = verdict, verdicts[ref] == nil { return }
    if let before = verdicts[ref], before != verdict, !before.isVague, !verdict.isVague {
      throw ProtocolBreach("a ref has one outcome: ref \(ref) had \(before), then \(verdict)")
    }
    verdicts[ref] = verdict
  }

  /// Records the outcome that the machine reports for a command.
  ///
  /// - Throws: If it has reported one before, or the outcome differs from the answer.
  func settle(_ ref: Int, _ result: Result<Int, PickerFailure>) throws(ProtocolBreach) {
    guard unsettled.remove(ref) != nil else {
      throw ProtocolBreach("a command is settled once: ref \(ref)")
    }
    let message = messageRefs.removeValue(forKey: ref) ?? ref
    let answer = lastAnswer.flatMap { $0.ref == message ? $0.verdict : nil }
    let isTrue =
      switch (result, answer) {
      case (.success, .done): true
      case (.failure(.refused(let code, _, _)), .refused(let answered)): code.rawValue == answered
      case (.failure(.offline), nil), (.failure(.replaced), nil): sent[message] == nil
      // Of another epoch.
      case (.failure(.refused(.stale, _, _)), nil): sent[message] == nil
      case (.failure(.lost), nil): sent[message] != nil || unanswered.contains(message)
      case (.success, _), (.failure, _): false
      }
    if case .failure(.lost) = result { sent[message] = nil }
    guard isTrue else {
      throw ProtocolBreach(
        "an outcome is its answer: ref \(ref) has \(result), not \(answer as Any)")
    }
  }
}

/// A thread-safe random source, for the machine's `Sendable` closure `jitter`.
private final class SharedRandomSource: Sendable {
  private let random: Mutex<RandomSource>

  init(_ random: RandomSource) { self.random = Mutex(random) }

  func fraction() -> Double { random.withLock { $0.fraction() } }
}

/// A session that was created.
final class SessionRecord {
  let id: SessionID
  let definition: JSONTree
  let ttlSeconds: Int
  /// The tokens by role; empty for a session without tokens.
  let tokens: [String: String]
  /// The newest revision that a response has shown.
  private(set) var shown: (epoch: String, revision: Int)?
  /// Whether it was deleted or has expired.
  var isEnded = false

  init(id: SessionID, definition: JSONTree, ttlSeconds: Int, tokens: [String: String]) {
    self.id = id
    self.definition = definition
    self.ttlSeconds = ttlSeconds
    self.tokens = tokens
  }

  func note(shown revision: Int?, in epoch: String) {
    guard let revision else { return }
    let isNewer = shown.map { $0.epoch != epoch || $0.revision < revision } ?? true
    if isNewer { shown = (epoch, revision) }
  }

  /// The token of a role, as a request sends it.
  func credential(_ role: String) -> Credential? { tokens[role].map { .token($0) } }

  var isCalendar: Bool { definition["kind"]?.string == "calendar" }
  var isAvailability: Bool { definition["kind"]?.string == "availability" }
}
