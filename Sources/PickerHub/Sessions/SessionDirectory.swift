import DequeModule
import PickerSession

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
  private let names: any ShardIndex
  private let buffers: HubBuffers
  private var memory: ResidentMemory
  /// Sessions whose histories are dropped next to make room.
  private var withHistory: Deque<SessionID> = []
  /// The number of sessions that were ever in memory; the next one gets it as its number.
  private var hostedCount = 0
  /// Sessions in memory by the names of their shared definitions, and by their numbers.
  private var users: [String: HostedSessions] = [:]
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
        users[name]?.remove(hosted)
        if users[name]?.isEmpty == true { users[name] = nil }
      }
      if let hosted = life?.hosted, let name = hosted.session.fold.origin.uses?.name {
        users[name, default: HostedSessions()].insert(hosted)
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
    users[name]?.inOrder ?? []
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

  /// Removes a session that is in a cluster's log only.
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
