import CivilTime
import DequeModule
import PickerModel
package import PickerSession

/// The number of loads at which no more background loads are started.
private let backgroundLoadCountMax = 16

/// All sessions of a hub by their ids, each in one state of ``SessionLife``.
///
/// Every change of state is one of the functions below. Each checks the state before it, counts the
/// sessions and their memory for the totals of all hubs, and updates ``HostedSession/phase``.
struct SessionDirectory {
  private var lives: [SessionID: SessionLife] = [:]
  private var backgroundLoads: Deque<BackgroundLoad> = []
  private let total: any SessionTotal
  private let names: any SharedIndex
  private let buffers: HubBuffers
  private var memory: ResidentMemory
  /// Sessions whose histories are dropped next to make room.
  private var withHistory: Deque<SessionID> = []
  /// The number of sessions that were ever in memory; the next one gets it as its number.
  private var hostedCount = 0
  /// Sessions in memory by the names of their shared definitions, and by their numbers.
  private var users: [String: [Int: HostedSession]] = [:]
  /// Sessions in memory.
  private(set) var residentCount = 0
  /// Sessions that the log is reloading.
  private(set) var loadingCount = 0

  init(_ shard: HubShard, _ buffers: HubBuffers = HubBuffers()) {
    total = shard.total
    names = shard.names
    memory = ResidentMemory(total: shard.memory, hubCount: shard.count)
    self.buffers = buffers
  }

  /// Sessions that have not ended; one that is ending counts until the log has its end.
  var count: Int { lives.count }

  subscript(id: SessionID) -> SessionLife? { lives[id] }

  /// The session, if it is in memory.
  func hosted(_ id: SessionID) -> HostedSession? { lives[id]?.hosted }

  /// The state of a session that is in the log only.
  func dormant(_ id: SessionID) -> DormantState? { lives[id]?.dormant }

  /// Whether requests and connections find the session, in memory or not.
  func exists(_ id: SessionID) -> Bool { lives[id]?.isOpen ?? false }

  /// The sessions in memory in the order of their numbers, so that operations on all of them are
  /// reproducible: the order of a dictionary differs in each run.
  var hostedInOrder: [HostedSession] {
    lives.values.compactMap(\.hosted).sorted { $0.number < $1.number }
  }

  /// The sessions that are in the log only, in the order of their ids.
  var dormantInOrder: [SessionID] {
    lives.filter { $0.value.dormant != nil }.keys.sorted { $0.text < $1.text }
  }

  private mutating func set(_ life: SessionLife?, of id: SessionID) {
    let before = lives[id]
    lives[id] = life
    residentCount += (life?.hosted == nil ? 0 : 1) - (before?.hosted == nil ? 0 : 1)
    loadingCount += (life?.isLoading == true ? 1 : 0) - (before?.isLoading == true ? 1 : 0)
    if life?.hosted !== before?.hosted {
      if let hosted = before?.hosted, let charge = hosted.charge {
        memory.remove(charge)
        hosted.charge = nil
      }
      if let hosted = life?.hosted { hosted.charge = memory.add(hosted.session) }
      if let hosted = before?.hosted, let name = hosted.session.fold.origin.uses?.name {
        users[name]?[hosted.number] = nil
        if users[name]?.isEmpty == true { users[name] = nil }
      }
      if let hosted = life?.hosted, let name = hosted.session.fold.origin.uses?.name {
        users[name, default: [:]][hosted.number] = hosted
      }
    }
    let difference = (life == nil ? 0 : 1) - (before == nil ? 0 : 1)
    if difference != 0 { total.add(difference) }
    if life == nil { names.use { $0.remove(id) } }
  }
}

/// Shared definitions.
extension SessionDirectory {
  func uses(_ name: String) -> Bool { users[name] != nil }

  /// The sessions in memory that use a shared definition, in the order of their numbers.
  func sessions(using name: String) -> [HostedSession] {
    (users[name] ?? [:]).sorted { $0.key < $1.key }.map(\.value)
  }
}

/// The memory of the sessions in memory.
extension SessionDirectory {
  /// Whether the sessions of all hubs take as much memory as they may.
  var isFull: Bool { !memory.hasRoom(for: 1) }

  /// Whether new sessions are refused: there is no room for an empty one, or for one like the last,
  /// which was refused.
  var refusesSessions: Bool { memory.refusesSessions }

  /// Whether there is room for a new session. Its definition counts already.
  mutating func makeRoom(for new: HostedSession) -> Bool {
    let hasRoom = makeRoom(for: new.session.byteCount)
    memory.note(new.session, isRefused: !hasRoom)
    return hasRoom
  }

  /// Whether there is room. If not, histories are dropped, which can be read from the log again, so
  /// that they keep no session out of memory.
  mutating func makeRoom(for byteCount: Int = 1) -> Bool {
    if memory.hasRoom(for: byteCount) { return true }
    if withHistory.isEmpty, memory.hasHistories {
      withHistory = Deque(
        hostedInOrder.lazy.filter { !$0.session.fold.history.isEmpty }.map(\.id))
    }
    while !memory.hasRoom(for: byteCount), let id = withHistory.popFirst() {
      guard let hosted = hosted(id), hosted.dropHistory() else { continue }
      recount(hosted)
    }
    return memory.hasRoom(for: byteCount)
  }

  /// Counts the memory of a session that has changed, if it is in memory.
  mutating func recount(_ hosted: HostedSession) {
    guard var charge = hosted.charge else { return }
    memory.update(&charge, of: hosted.session)
    hosted.charge = charge
  }
}

/// Creation, and restoring the sessions of an earlier process.
extension SessionDirectory {
  /// Makes the object of a new session. The caller appends its creation, then calls
  /// ``create(_:isStored:)``.
  mutating func host(_ fold: SessionFold, at time: HubTime) -> HostedSession {
    hostedCount += 1
    return HostedSession(Session(fold), number: hostedCount, buffers, at: time)
  }

  /// - Parameter isStored: Whether the log has stored the creation already.
  mutating func create(_ hosted: HostedSession, isStored: Bool) {
    precondition(lives[hosted.id] == nil, "an id is never used again")
    set(isStored ? .resident(hosted) : .creating(hosted), of: hosted.id)
  }

  /// The log has stored the creation.
  mutating func created(_ hosted: HostedSession) {
    guard case .creating = lives[hosted.id] else { return }
    set(.resident(hosted), of: hosted.id)
  }

  /// The log has refused the creation: the session does not exist.
  mutating func refused(_ hosted: HostedSession) {
    hosted.unload()
    set(nil, of: hosted.id)
  }

  mutating func restore(_ id: SessionID, _ state: DormantState) {
    precondition(lives[id] == nil, "a session is restored before anything is done with it")
    set(.dormant(state), of: id)
  }
}

/// Loading.
extension SessionDirectory {
  enum LoadOutcome {
    /// The session is in memory; the caller runs the body of the request.
    case inMemory(HostedSession)
    /// The request is queued for a running load.
    case waits
    /// The request is queued; the caller starts the load.
    case begins
    /// There is no such session; the caller runs the body with `nil`.
    case absent
  }

  /// Queues a request for a session that is in the log only.
  mutating func load(_ id: SessionID, for waiter: LoadWaiter) -> LoadOutcome {
    switch lives[id] {
    case .creating(let hosted), .resident(let hosted), .ending(let hosted):
      return .inMemory(hosted)
    case .loading(_, let waiters):
      waiters.all.append(waiter)
      return .waits
    case .dormant(let state):
      set(.loading(state, LoadWaiters(waiter)), of: id)
      return .begins
    case .endingDormant, nil: return .absent
    }
  }

  /// The log has reloaded the session.
  mutating func loaded(_ loaded: LoadedSession) -> HostedSession {
    guard case .loading(let known, _) = lives[loaded.fold.origin.id] else {
      preconditionFailure("only a load that was asked for ends")
    }
    hostedCount += 1
    let hosted = HostedSession(loaded, number: hostedCount, buffers, after: known)
    set(.resident(hosted), of: hosted.id)
    return hosted
  }

  /// The session stays in the log only.
  ///
  /// - Parameter isUnreadable: Whether the log could not reload it; otherwise there was no memory.
  mutating func loadFailed(_ id: SessionID, isUnreadable: Bool) {
    guard case .loading(var state, _) = lives[id] else { return }
    state.isUnreadable = isUnreadable
    set(.dormant(state), of: id)
  }

  /// A load that has failed will be tried again.
  ///
  /// - Returns: Whether the caller adds a timer for that; `false` if there is one.
  mutating func queueRetry(_ id: SessionID) -> Bool {
    guard case .dormant(var state) = lives[id], !state.isRetryQueued else { return false }
    state.isRetryQueued = true
    set(.dormant(state), of: id)
    return true
  }

  /// The timer of a retry has fired.
  ///
  /// - Returns: Whether the caller loads the session.
  mutating func beginRetry(_ id: SessionID) -> Bool {
    switch lives[id] {
    case .dormant(var state):
      state.isRetryQueued = false
      set(.dormant(state), of: id)
    case .loading(var state, let waiters):
      state.isRetryQueued = false
      set(.loading(state, waiters), of: id)
    case .creating, .resident, .ending, .endingDormant, nil: return false
    }
    return true
  }

  /// Queues a load that no request waits for.
  mutating func loadLater(_ load: BackgroundLoad) { backgroundLoads.append(load) }

  /// Removes the next queued load, unless the maximum of loads is running.
  mutating func nextBackgroundLoad() -> BackgroundLoad? {
    loadingCount < backgroundLoadCountMax ? backgroundLoads.popFirst() : nil
  }
}

/// Eviction and loss.
extension SessionDirectory {
  /// Removes a session without members from memory.
  mutating func evict(_ hosted: HostedSession, _ state: DormantState) {
    guard case .resident(let known) = lives[hosted.id], known === hosted else {
      preconditionFailure("only a resident session is evicted")
    }
    hosted.unload()
    set(.dormant(state), of: hosted.id)
  }

  /// Removes a session that is in a shared log only.
  mutating func forget(_ id: SessionID) {
    if case .dormant = lives[id] { set(nil, of: id) }
  }

  /// Removes a session whose pending records are lost from memory. It returns to its stored state,
  /// even if it was about to end; a session whose creation is lost does not exist any more.
  mutating func lose(_ hosted: HostedSession, _ state: DormantState) {
    hosted.unload()
    switch lives[hosted.id] {
    case .creating: set(nil, of: hosted.id)
    case .resident, .ending: set(.dormant(state), of: hosted.id)
    case .dormant, .loading, .endingDormant, nil:
      preconditionFailure("only a session in memory is lost")
    }
  }
}

/// The end.
extension SessionDirectory {
  /// The end of a session in memory was appended.
  mutating func end(_ hosted: HostedSession, _ reason: SessionEnd) {
    hosted.beginEnd(reason)
    set(.ending(hosted), of: hosted.id)
  }

  /// The end of a session that is in the log only was appended.
  mutating func endDormant(_ id: SessionID) {
    guard case .dormant(let state) = lives[id] else {
      preconditionFailure("only a dormant session is ended without loading it")
    }
    set(.endingDormant(state), of: id)
  }

  /// The log has stored the end.
  mutating func ended(_ id: SessionID) {
    lives[id]?.hosted?.finishEnd()
    set(nil, of: id)
  }

  /// The log could not store the end of a session that is in the log only: it is dormant again.
  ///
  /// - Returns: Whether there is such a session.
  mutating func endLost(_ id: SessionID) -> Bool {
    guard case .endingDormant(let state) = lives[id] else { return false }
    set(.dormant(state), of: id)
    return true
  }
}

/// The state of a session. A session without a state in the ``SessionDirectory`` does not exist or,
/// if the log is shared, is not this node's: see ``Hub/mayExist(_:)``.
///
///     create ──▶ creating ── stored ──▶ resident ── evict ──▶ dormant ── load ──▶ loading
///                  │ lost                │ ▲ │ lost             ▲ ▲ │             │ │
///                  ▼                     │ │ └──────────────────┘ │ │     failed  │ │
///                (none)                  │ │                      └─┼─────────────┘ │
///                                        │ └────── loaded ──────────┼───────────────┘
///                                    end ▼                          ▼ end
///       dormant ◀── lost ───────────── ending                 endingDormant ── lost ──▶ dormant
///                                        │ stored                   │ stored
///                                        ▼                          ▼
///                                      (none)                     (none)
enum SessionLife {
  /// In memory; its creation is appended, but not stored yet.
  case creating(HostedSession)
  case resident(HostedSession)
  /// In memory; its end is appended, but not stored yet. The hub applies and answers nothing.
  case ending(HostedSession)
  /// In the log only.
  case dormant(DormantState)
  /// In the log only; the log is reloading it.
  case loading(DormantState, LoadWaiters)
  /// In the log only; its end is appended, but not stored yet.
  case endingDormant(DormantState)

  /// The session, if it is in memory.
  var hosted: HostedSession? {
    switch self {
    case .creating(let hosted), .resident(let hosted), .ending(let hosted): hosted
    case .dormant, .loading, .endingDormant: nil
    }
  }

  /// The state of the session, if it is in the log only and not about to end.
  var dormant: DormantState? {
    switch self {
    case .dormant(let state), .loading(let state, _): state
    case .creating, .resident, .ending, .endingDormant: nil
    }
  }

  var isLoading: Bool { if case .loading = self { true } else { false } }

  /// Whether requests and connections find the session.
  var isOpen: Bool {
    switch self {
    case .creating, .resident, .dormant, .loading: true
    case .ending, .endingDormant: false
    }
  }
}

/// The state that the hub retains of a session that is in the log only.
struct DormantState {
  /// The time of its last revision or join, in machine milliseconds.
  let lastActivity: Int64
  let ttlSeconds: Int
  /// `nil` if it is known only after loading the session.
  let status: SessionStatus?
  /// The instant of the tick in the hub's queue, if any.
  let queuedTick: Instant?
  /// Whether the last load failed.
  var isUnreadable = false
  /// Whether a timer will try to load it again.
  var isRetryQueued = false
}

/// A request that waits for a session to be loaded.
struct LoadWaiter {
  /// Whether the request deletes the session. Then it is loaded even if the memory is full, so that
  /// hosts can make room.
  let isDeletion: Bool
  /// Receives `nil` if the log cannot reload the session, or there is no memory for it.
  let body: (HostedSession?) -> Void
}

/// The requests that wait for a session to be loaded, in order.
final class LoadWaiters {
  var all: [LoadWaiter]

  init(_ first: LoadWaiter) { all = [first] }
}

/// A queued load that no request waits for.
struct BackgroundLoad {
  let session: SessionID
  /// Called when the session is loaded; `nil`: a due tick is applied.
  let body: ((HostedSession?) -> Void)?

  init(_ session: SessionID, body: ((HostedSession?) -> Void)? = nil) {
    self.session = session
    self.body = body
  }
}

/// A session in memory, with the hub's state about it.
///
/// The state consists of values that own their storage; each has its own invariants. One thread
/// uses a session.
package final class HostedSession {
  package let session: Session
  let id: SessionID
  /// A serial number: operations on all sessions run in its order, so that they are reproducible.
  let number: Int
  /// What the directory's state means for this object, so that a delivery need not look it up.
  package private(set) var phase = Phase.loaded
  /// What waits for the log.
  var steps: StepQueue
  /// The progress in its log.
  var log: LogProgress
  var history: HistoryReading
  var attendance: Attendance
  package var hostChanges = HostChangeQueue()
  var ticks = SessionTicks()
  var presence = PresenceThrottle()
  /// The version of its shared definition that it was checked against last.
  var followedVersion = 0
  /// Whether it is queued to follow its shared definition.
  var isFollower = false
  /// What the directory has counted of its memory; `nil` while it is not in memory.
  var charge: ResidentMemory.Charge?
  /// The time of the last revision or join, in machine milliseconds.
  var lastActivity: Int64
  /// Why the session ends; read in the phase `ending` and later.
  private(set) var end = SessionEnd.deleted

  package enum Phase {
    /// In memory, or about to be.
    case loaded
    /// In memory; its end is appended, but not stored yet.
    case ending
    /// The log has stored its end.
    case ended
    /// Evicted or lost. The directory may have another object for the same session.
    case unloaded
  }

  /// A new session.
  init(_ session: Session, number: Int, _ buffers: HubBuffers, at time: HubTime) {
    self.session = session
    steps = StepQueue(total: buffers)
    id = session.id
    self.number = number
    log = LogProgress()
    history = HistoryReading()
    attendance = Attendance()
    lastActivity = time.machine
  }

  /// A session that was reloaded from its log.
  init(_ loaded: LoadedSession, number: Int, _ buffers: HubBuffers, after state: DormantState) {
    let fold = loaded.fold
    steps = StepQueue(total: buffers)
    session = Session(fold)
    id = session.id
    self.number = number
    log = LogProgress(loaded)
    history = HistoryReading(
      isPartial: fold.history.count < min(fold.revision, fold.limits.history))
    attendance = Attendance()
    lastActivity = state.lastActivity
  }
}

/// Its life. Only ``SessionDirectory`` calls these functions.
extension HostedSession {
  func beginEnd(_ reason: SessionEnd) {
    precondition(phase == .loaded, "a session ends once")
    (phase, end) = (.ending, reason)
  }

  func finishEnd() { phase = .ended }

  func unload() {
    precondition(isInMemory, "only a session in memory is unloaded")
    phase = .unloaded
  }
}

extension HostedSession {
  /// When its time to live is over, in machine milliseconds.
  var expiresAt: Int64 { lastActivity + Int64(session.fold.origin.ttlSeconds) * 1000 }

  /// A revision or a join: its time to live begins again.
  func noteActivity(at time: HubTime) { lastActivity = time.machine }

  /// The number of members after all pending joins and returns.
  var memberCountPending: Int { session.memberCount + attendance.pendingJoinCount }

  /// Whether its end was appended. From then on the hub applies and answers nothing.
  package var isEnding: Bool { phase == .ending || phase == .ended }
  /// The problem to answer when the log has lost an entry.
  package var loss: HubProblem { isEnding ? .noSuchSession : .unavailable }
  /// The problem to answer when the log has not accepted an entry.
  package var refusal: HubProblem { isEnding ? .noSuchSession : log.refusal ?? .unavailable }
  /// Whether it is the directory's object for its session.
  var isInMemory: Bool { phase == .loaded || phase == .ending }

  /// The detail of the error that members receive when the session ends.
  var endDetail: String {
    switch end {
    case .deleted, .expired: "the session has ended"
    case .full: "the session has ended: its log has reached its maximum size"
    }
  }

  /// Whether a command is certain to be refused because its member is a viewer: no pending step can
  /// change that. Without tokens nobody is a viewer.
  func isBarred(_ command: Command, of member: MemberID) -> Bool {
    guard session.hasTokens, command.roleNeeded > .viewer else { return false }
    if let role = session.role(of: member), role > .viewer { return false }
    return !steps.mayGive(.editor, to: member, hasTokens: true)
  }

  /// Whether a ref is not above that of a refused command that is not in the log.
  func isOld(_ ref: Int, of member: MemberID) -> Bool {
    ref <= session.greatestUnloggedRef(of: member) || steps.refuses(member, from: ref)
  }

  /// The connections of members and event streams, in the order of their ids.
  var connectionsInOrder: [ConnectionID] {
    let watching = session.listeners.filter { $0.member == nil }.map(\.connection)
    return (attendance.connections + watching).sorted { $0.raw < $1.raw }
  }
}

/// The memory of a hub's sessions in bytes, an estimate. Their definitions count themselves.
///
/// Invariant: the ``SessionMemory`` of the server has the sum of the charges of the sessions in
/// memory.
struct ResidentMemory {
  /// What is counted of a session.
  struct Charge {
    fileprivate let byteCount: Int
    /// The part of it that is its history.
    fileprivate let historyByteCount: Int

    fileprivate init(_ session: Session) {
      (byteCount, historyByteCount) = (session.byteCount, session.historyByteCount)
    }
  }

  private let total: any SessionMemory
  private let hubCount: Int
  private var historyByteCount = 0

  init(total: any SessionMemory, hubCount: Int) {
    (self.total, self.hubCount) = (total, hubCount)
  }

  func hasRoom(for byteCount: Int) -> Bool { total.hasRoom(for: byteCount) }

  /// Whether dropping the histories is worth looking at all sessions.
  var hasHistories: Bool { historyByteCount > total.byteCountMax / (16 * hubCount) }

  var refusesSessions: Bool { !total.hasRoomForRefused && !hasHistories }

  /// A session was about to be created.
  func note(_ session: Session, isRefused: Bool) {
    total.refusedByteCount =
      isRefused ? session.byteCount + session.fold.origin.definition.byteCount : 0
  }

  /// Counts a session.
  mutating func add(_ session: Session) -> Charge {
    let charge = Charge(session)
    count(charge, 1)
    return charge
  }

  /// Counts a session again, which has changed.
  mutating func update(_ charge: inout Charge, of session: Session) {
    count(charge, -1)
    charge = Charge(session)
    count(charge, 1)
  }

  /// Counts a session no more.
  mutating func remove(_ charge: Charge) { count(charge, -1) }

  private mutating func count(_ charge: Charge, _ factor: Int) {
    total.add(factor * charge.byteCount)
    historyByteCount += factor * charge.historyByteCount
  }
}
