package import CivilTime
package import JSONText
package import PickerModel
package import PickerSession

/// The definitions of the sessions in memory. Sessions with equal definitions share one object: a
/// thousand sessions with the same tree of 20,000 nodes have one tree.
package struct DefinitionTable {
  private struct Known {
    /// A weak reference makes reference counting of its object slower. Handling a tap neither
    /// retains nor releases a definition.
    weak var definition: Definition?
  }

  /// By a digest of their documents.
  private var known: [[UInt8]: Known] = [:]
  /// The number of entries at which those of released definitions are removed.
  private var sweepCount = DefinitionTable.sweepCountMin
  private static let sweepCountMin = 1024

  package init() {}

  package subscript(digest: [UInt8]) -> Definition? { known[digest]?.definition }

  package mutating func insert(_ definition: Definition, digest: [UInt8]) {
    if known.count >= sweepCount {
      known = known.filter { $0.value.definition != nil }
      sweepCount = max(2 * known.count, DefinitionTable.sweepCountMin)
    }
    known[digest] = Known(definition: definition)
  }
}

/// The maximum of rows, or of notes, that are processed on the hub's thread: notes on 4,000 days
/// take a millisecond.
package let rowsOnLoop = 500

/// Makes definitions from their documents on any thread.
package struct DefinitionMaker: Sendable {
  private let limits: DefinitionLimits
  private let zones: any ZoneSource
  private let memory: (any MemoryAccount)?
  private let digest: @Sendable ([UInt8]) -> [UInt8]

  /// - Parameters:
  ///   - memory: Counts the definitions.
  ///   - digest: The same hash as the hub's ``IdentitySource`` has.
  package init(
    limits: DefinitionLimits, zones: any ZoneSource, memory: (any MemoryAccount)? = nil,
    digest: @escaping @Sendable ([UInt8]) -> [UInt8]
  ) {
    self.limits = limits
    self.zones = zones
    self.memory = memory
    self.digest = digest
  }

  package func make(_ tree: JSONTree, at now: Instant) throws(DefinitionProblem) -> Definition {
    try Definition.make(from: tree, limits: limits, now: now, memory: memory) {
      zones.rules(named: $0)
    }
  }

  /// Encodes a definition for the log.
  package func encode(_ definition: Definition) -> EncodedDefinition {
    EncodedDefinition(definition, digest: digest)
  }

  /// Makes a definition for `HostOperations.create`.
  package func prepare(_ tree: JSONTree, at now: Instant) -> PreparedDefinition {
    PreparedDefinition(
      digest: digest(tree.serialized()),
      made: Result { () throws(DefinitionProblem) in try make(tree, at: now) })
  }
}

/// A definition made by a ``DefinitionMaker``, or the problem of its document.
package struct PreparedDefinition: Sendable {
  /// The digest of its document.
  let digest: [UInt8]
  let made: Result<Definition, DefinitionProblem>
}

/// The maximum of changes of a session's definition and notes in a second, and of decisions,
/// roles, revocations and commands of the host.
private let hostChangesPerSecond = 20
/// The maximum of changes of a session that wait for one that is being evaluated.
private let waitingMax = 20

/// The changes by the host that wait for one which another thread is evaluating: each is checked
/// against the outcome of the one before.
///
/// Invariant: changes wait only while one is being evaluated, and run in the order in which they
/// came. When an evaluation has ended, the caller takes and runs them; each may have to wait again.
package struct HostChangeQueue {
  /// Whether a change is being evaluated on another thread.
  private(set) var isPreparing = false
  private var waiting: [() -> Void] = []
  /// The rate of changes of the definition and the notes.
  private var rate = MessageRate()

  /// The rate of decisions, roles, revocations and commands, which must not wait for changes.
  private var decisionRate = MessageRate()

  /// Counts a change.
  ///
  /// - Returns: `false` if it is over the limit of changes in a second.
  package mutating func count(at now: Int64) -> Bool {
    rate.count(at: now, countMax: hostChangesPerSecond) == .within
  }

  /// Counts a decision, a role, a revocation or a command of the host.
  ///
  /// - Returns: `false` if it is over the limit in a second.
  package mutating func countDecision(at now: Int64) -> Bool {
    decisionRate.count(at: now, countMax: hostChangesPerSecond) == .within
  }

  /// Queues a change until ``end()``.
  ///
  /// - Returns: `false` if too many changes are waiting.
  mutating func wait(_ change: @escaping () -> Void) -> Bool {
    precondition(isPreparing, "a change waits only for one that is being evaluated")
    guard waiting.count < waitingMax else { return false }
    waiting.append(change)
    return true
  }

  /// The evaluation of a change has begun.
  package mutating func begin() { isPreparing = true }

  /// The evaluation of a change has ended. The caller has its result.
  package mutating func end() { isPreparing = false }

  /// Removes and returns the changes that waited.
  package mutating func takeWaiting() -> [() -> Void] {
    defer { waiting = [] }
    return waiting
  }
}

extension Hub {
  /// Runs `body` as soon as no change of the host is pending, so that the next change is checked
  /// against the outcome of the previous one.
  func afterHostChanges(
    of hosted: HostedSession, failure: @escaping (HubProblem) -> Void,
    body: @escaping (HostedSession) -> Void
  ) {
    if hosted.hostChanges.isPreparing {
      let waits = hosted.hostChanges.wait { [unowned self] in
        afterHostChanges(of: hosted, failure: failure, body: body)
      }
      return waits ? () : failure(.tooMany)
    }
    guard hosted.phase == .loaded else {
      return failure(hosted.isEnding ? .noSuchSession : .unavailable)
    }
    guard hosted.steps.hasHostChange else { return body(hosted) }
    enqueue(
      .request { [unowned self, id = hosted.id] hosted in
        guard let hosted else { return failure(absence(of: id)) }
        afterHostChanges(of: hosted, failure: failure, body: body)
      }, in: hosted, at: now)
  }
}

/// A version of a shared definition that is not stored yet.
package struct SharedDraft: Sendable {
  package let name: String
  package let document: JSONTree
  package let notes: Notes
  /// Whether the feed reports it: it replaces another definition, not only other notes.
  package let isReported: Bool

  package var byteCount: Int { document.byteCount + notes.byteCount }

  package init(name: String, document: JSONTree, notes: Notes, isReported: Bool = false) {
    (self.name, self.document, self.notes) = (name, document, notes)
    self.isReported = isReported
  }
}

/// The versions in an `If-Match` header.
/// - Source: RFC 9110 section 13.1.1.
package enum VersionMatch: Hashable, Sendable {
  case any
  case oneOf([String])

  package func names(_ version: Int) -> Bool {
    switch self {
    case .any: true
    case .oneOf(let tags): tags.contains("\"\(version)\"")
    }
  }
}

/// Sessions follow their shared definition: each gets a new version as an entry of its own log, at
/// once if it is in memory, otherwise before anything else when it is loaded.
///
/// Thousands of sessions may have to follow at the same time. Few do in one event-loop iteration,
/// and few entries wait for the log, so that taps of other sessions are not delayed. A session gets
/// the newest version when it is its turn, and may skip others.
/// - Source: web/guide/inventory.md, "One inventory for many sessions".
extension Hub {
  /// A shared definition has a new version.
  package func changed(_ shared: SharedDefinition, at time: HubTime) {
    now = time
    let isLoading = directory.loadingCount > 0 || following.creationCount > 0
    let isNew = following.note(shared) { name in isLoading || directory.uses(name) }
    guard isNew else { return }
    for hosted in directory.sessions(using: shared.name) { queue(hosted) }
  }

  /// Queues a session if it has not got the newest version of its definition.
  func followLater(_ hosted: HostedSession) {
    guard let name = hosted.session.fold.origin.uses?.name, following.newest[name] != nil else {
      return
    }
    hosted.followedVersion = 0
    queue(hosted)
  }

  private func queue(_ hosted: HostedSession) {
    guard !hosted.isFollower else { return }
    hosted.isFollower = true
    schedule.addFollower(hosted.id)
  }

  /// Lets a queued session follow as soon as no change of the host is pending.
  func follow(_ session: SessionID) {
    guard let hosted = directory.hosted(session) else { return }
    hosted.isFollower = false
    guard hosted.phase == .loaded, needed(by: hosted) != nil else { return }
    afterHostChanges(
      of: hosted,
      failure: { [unowned self] problem in
        // Too many changes of the host wait.
        guard problem == .tooMany else { return }
        schedule.add(.follow(session), due: now.machine + retryMilliseconds)
      }, body: { [unowned self] in follow($0) })
  }

  /// The version that a session has to follow now; `nil` if there is none.
  private func needed(by hosted: HostedSession) -> SharedDefinition? {
    guard let name = hosted.session.fold.origin.uses?.name, let newest = following.newest[name],
      let version = hosted.session.fold.shared?.version,
      newest.version > max(version, hosted.followedVersion),
      hosted.session.status != .confirming
    else { return nil }
    return newest
  }

  /// Runs `body` when the session has got the newest version that the hub knows, so that an
  /// operation of the host counts after the changes that were answered before it.
  ///
  /// While another thread makes what changes, it waits as for a change of the session itself.
  func afterFollowing(
    of hosted: HostedSession, failure: @escaping (HubProblem) -> Void,
    body: @escaping (HostedSession) -> Void
  ) {
    guard needed(by: hosted) != nil else { return body(hosted) }
    afterHostChanges(of: hosted, failure: failure) { [unowned self] hosted in
      follow(hosted)
      guard hosted.phase == .loaded else {
        return failure(hosted.isEnding ? .noSuchSession : .unavailable)
      }
      afterFollowing(of: hosted, failure: failure, body: body)
    }
  }

  private func follow(_ hosted: HostedSession) {
    guard let shared = needed(by: hosted), let state = hosted.session.fold.shared,
      let step = step(of: hosted, state, to: shared)
    else { return }
    follow(hosted, step)
  }

  /// - Returns: `nil` if another thread makes it: the session is queued again then, and changes of
  ///   the host wait until then.
  private func step(
    of hosted: HostedSession, _ state: SharedState, to shared: SharedDefinition
  ) -> SharedStep? {
    let (definition, notes) = (hosted.session.fold.definition, hosted.session.fold.notes)
    let key = SharedFollowing.State(
      version: shared.version, definition: definition, accepted: state.accepted,
      own: SharedFollowing.OwnPart(state: state))
    switch following.step(key) {
    case .ready(let step): return step
    case .making(let sessions):
      following.set(.making(sessions + [hosted]), for: key)
      hosted.hostChanges.begin()
      return nil
    case nil: break
    }
    guard max(shared.weight, definition.weight) > rowsOnLoop else {
      let step = SharedStep(to: shared, from: definition, notes, state) {
        tree throws(DefinitionProblem) in try define(tree)
      }
      following.set(.ready(step), for: key)
      return step
    }
    following.set(.making([hosted]), for: key)
    hosted.hostChanges.begin()
    let (maker, now) = (maker, now.session)
    port.inBackground {
      SharedStep(to: shared, from: definition, notes, state) { tree throws(DefinitionProblem) in
        try maker.make(tree, at: now)
      }
    } then: { [unowned self] step in
      guard case .making(let sessions) = following.step(key) else { return }
      following.set(.ready(step), for: key)
      for hosted in sessions { made(for: hosted) }
    }
    return nil
  }

  /// Another thread has made what changes for a session.
  private func made(for hosted: HostedSession) {
    hosted.hostChanges.end()
    if hosted.phase == .loaded { queue(hosted) }
    for change in hosted.hostChanges.takeWaiting() { change() }
  }

  /// Appends the entry, if anything changes for the session. A log that does not accept it now is
  /// tried again. If the session's has reached its maximum size, the session stays as it is until
  /// it is loaded again or the definition changes again.
  func follow(_ hosted: HostedSession, _ step: SharedStep) {
    hosted.followedVersion = step.version
    guard let adoption = step.adoption(after: hosted.session.fold.version) else {
      hosted.session.versionWithoutChange = step.version
      return
    }
    let isAccepted = append(.adopted(adoption), to: hosted, at: now)
    if isAccepted || hosted.log.refusal == .logFull { return }
    hosted.followedVersion = 0
    schedule.add(.follow(hosted.id), due: now.machine + retryMilliseconds)
  }

  /// A session has left memory. After the last one nothing is cached of shared definitions.
  func forgetShared() {
    if directory.residentCount == 0, directory.loadingCount == 0, following.creationCount == 0 {
      following.forget()
    }
  }

  /// A session has been created or loaded: it may have to follow a version that came meanwhile.
  ///
  /// - Parameter step: What the log has found to change; `nil` if nothing.
  func followNow(_ hosted: HostedSession, _ step: SharedStep? = nil) {
    if let step, hosted.session.status != .confirming {
      // A later one follows from the queue.
      follow(hosted, step)
    }
    if hosted.isInMemory, needed(by: hosted) != nil { queue(hosted) }
  }
}

/// What a hub knows of the shared definitions that its sessions in memory follow.
struct SharedFollowing {
  /// What is equal for sessions in one state. It retains their definition.
  struct State: Hashable {
    let version: Int
    let definition: Definition
    let accepted: Int
    let own: OwnPart
  }

  struct OwnPart: Hashable {
    let state: SharedState

    static func == (left: OwnPart, right: OwnPart) -> Bool {
      left.state.own == right.state.own && left.state.ownNotes == right.state.ownNotes
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(state.isPlain)
      if !state.isPlain { hasher.combine(state.own) }
    }
  }

  enum Step {
    case ready(SharedStep)
    /// Another thread makes it; these sessions wait for it.
    case making([HostedSession])
  }

  /// The newest version of each definition that sessions in memory use, as far as it is known, and
  /// of those that have changed while sessions were created or loaded.
  private(set) var newest: [String: SharedDefinition] = [:]
  /// By the state of the sessions.
  private var steps: [State: Step] = [:]
  /// The memory of the definitions that ``steps`` retain, in bytes, an estimate.
  private var stepByteCount = 0
  /// The number of steps, and their memory, at which those that are ready are forgotten: only few
  /// are needed at a time, unless sessions have parts of their own.
  private static let (stepCountMax, stepByteCountMax) = (32, 16_777_216)
  /// Sessions whose definition is being read, to create them.
  var creationCount = 0

  /// Notes a new version.
  ///
  /// - Parameter isNeeded: Whether sessions with a name that is not known are being created or
  ///   loaded, or which names sessions in memory use.
  /// - Returns: Whether it is newer than the known one.
  mutating func note(_ shared: SharedDefinition, isNeeded: (_ name: String) -> Bool) -> Bool {
    guard shared.version > newest[shared.name]?.version ?? 0 else { return false }
    newest[shared.name] = shared
    newest = newest.filter { isNeeded($0.key) }
    forgetSteps()
    return newest[shared.name] != nil
  }

  mutating func forget() {
    newest = [:]
    forgetSteps()
  }

  private mutating func forgetSteps() {
    steps = steps.filter { if case .making = $0.value { true } else { false } }
    stepByteCount = 0
  }

  func step(_ state: State) -> Step? { steps[state] }

  mutating func set(_ step: Step, for state: State) {
    if steps.count >= SharedFollowing.stepCountMax
      || stepByteCount >= SharedFollowing.stepByteCountMax
    {
      forgetSteps()
    }
    steps[state] = step
    if case .ready(let step) = step {
      stepByteCount += state.definition.byteCount + (step.definition?.byteCount ?? 0)
    }
  }
}
