package import CivilTime
import DequeModule
import JSONText
package import PickerSession

/// All sessions of a server by the names that hosts know them by, in the order of their creation.
///
/// One index serves all hubs, behind a lock, because a name is unique among the sessions of all of
/// them. A name is reserved before the creation is appended to the log, and is stored with it in
/// the same transaction.
/// - Source: web/guide/README.md, "HTTP API and server-sent events".
package struct SessionIndex: Sendable {
  /// A session in the list of sessions.
  package struct Entry: Hashable, Sendable {
    package let id: SessionID
    /// Grows with each session; the cursor of the list.
    package let ordinal: Int64
    package let external: String?
    package let namespace: String?
    /// The name of its shared definition, as ``SharedUse/name``.
    package let uses: String?
    /// `nil` until the session is loaded, after a restart.
    package var status: SessionStatus?

    package init(
      id: SessionID, ordinal: Int64, external: String?, namespace: String? = nil,
      uses: String? = nil, status: SessionStatus?
    ) {
      self.id = id
      self.ordinal = ordinal
      self.external = external
      self.namespace = namespace
      self.uses = uses
      self.status = status
    }
  }

  /// What a creation may do.
  package enum Reservation: Sendable {
    /// The names are reserved for it, until ``SessionIndex/add(_:key:)`` or ``release(_:)``.
    case free(ordinal: Int64)
    /// Another creation has reserved one of the names; the waiter is called when that is decided.
    case waits
    /// A living session has the external id.
    case taken(SessionID)
    /// A session was created with the same idempotency key.
    case known(CreationKey)
    /// No more idempotency keys can be stored now.
    case full
  }

  /// An external id, which is unique in its namespace.
  struct ExternalName: Hashable, Sendable {
    let namespace: String?
    let id: ExactString
  }

  /// The names of a creation.
  package struct Names: Hashable, Sendable {
    let external: ExternalName?
    /// The hash of the idempotency key.
    package let key: [UInt8]?

    package init(external: String?, namespace: String? = nil, key: [UInt8]?) {
      self.external = external.map {
        ExternalName(namespace: namespace, id: ExactString($0))
      }
      self.key = key
    }

    package var externalID: String? { external?.id.text }
    package var namespace: String? { external?.namespace }

    /// Whether it has names that no two sessions share.
    package var isUnique: Bool { external != nil || key != nil }
  }

  package typealias Waiter = @Sendable () -> Void

  private var entries: [SessionID: Entry] = [:]
  /// The sessions in the order of their ordinals, with those that have ended since.
  private var order: [(ordinal: Int64, id: SessionID)] = []
  private var externals: [ExternalName: SessionID] = [:]
  /// The namespaces of sessions, also of those that have ended since: at most one for each key that
  /// has created one.
  private var namespaces: Set<String> = []
  private var keys: [[UInt8]: CreationKey] = [:]
  /// The keys in the order of their creations.
  private var keyOrder: Deque<(key: [UInt8], at: Instant)> = []
  /// The reserved names, each with the creations that wait until it is decided about.
  private var reservedKeys: [[UInt8]: [Waiter]] = [:]
  private var reservedExternals: [ExternalName: [Waiter]] = [:]
  private var lastOrdinal: Int64 = 0
  private let keyCountMax: Int
  private let removesOldestKey: Bool

  /// How long an idempotency key is stored.
  package static let keyMilliseconds: Int64 = 86_400_000

  /// - Parameters:
  ///   - keyCountMax: The maximum number of idempotency keys, about 300 bytes each.
  ///   - removesOldestKey: What happens at the maximum. True: the oldest key is removed, because
  ///     anyone can create sessions and would prevent all others from creating some with a key.
  ///     False: creations with a key are refused, because a host relies on its keys for 24 hours.
  package init(keyCountMax: Int = 100_000, removesOldestKey: Bool = false) {
    self.keyCountMax = keyCountMax
    self.removesOldestKey = removesOldestKey
  }
}

/// Creation.
extension SessionIndex {
  /// Reserves the names of a creation.
  ///
  /// - Parameter waiter: Called once for ``Reservation/waits``, when the reservation may be tried
  ///   again.
  package mutating func reserve(
    _ names: Names, at now: Instant, waiter: @escaping Waiter
  ) -> Reservation {
    forgetKeys(at: now)
    if let known = names.key.flatMap({ keys[$0] }) { return .known(known) }
    if let key = names.key, reservedKeys[key]?.append(waiter) != nil { return .waits }
    if let external = names.external, reservedExternals[external]?.append(waiter) != nil {
      return .waits
    }
    if let id = names.external.flatMap({ externals[$0] }) { return .taken(id) }
    let keyCount = reservedKeys.count + (removesOldestKey ? 0 : keys.count)
    if names.key != nil, keyCount >= keyCountMax { return .full }
    if let key = names.key { reservedKeys[key] = [] }
    if let external = names.external { reservedExternals[external] = [] }
    lastOrdinal = max(lastOrdinal + 1, now.milliseconds * 1000)
    return .free(ordinal: lastOrdinal)
  }

  /// Whether another key may be stored, if there are so many in a log of several nodes.
  func mayAddKey(to count: Int) -> Bool { removesOldestKey || count < keyCountMax }

  /// Removes the oldest key if the reserved ones make too many.
  ///
  /// - Returns: The hash of the key, to be removed from the store too.
  package mutating func makeRoomForKey() -> [UInt8]? {
    guard keys.count + reservedKeys.count > keyCountMax, let oldest = keyOrder.popFirst() else {
      return nil
    }
    keys[oldest.key] = nil
    return oldest.key
  }

  /// The session is stored, and its reserved names with it.
  package mutating func add(_ entry: Entry, key: CreationKey?) {
    insert(entry)
    if let key { insert(key) }
    release(
      Names(external: entry.external, namespace: entry.namespace, key: key?.keyHash))
  }

  /// The creation has failed.
  package mutating func release(_ names: Names) {
    let waiters = [
      names.key.flatMap { reservedKeys.removeValue(forKey: $0) },
      names.external.flatMap { reservedExternals.removeValue(forKey: $0) },
    ]
    for waiter in waiters.compactMap(\.self).joined() { waiter() }
  }

  /// Adds what a store has from an earlier process.
  package mutating func restore(_ entries: [Entry], _ keys: [CreationKey]) {
    for entry in entries { insert(entry) }
    // More than the maximum, if that is lower than before.
    for key in keys.suffix(keyCountMax) { insert(key) }
  }

  private mutating func insert(_ entry: Entry) {
    entries[entry.id] = entry
    if let external = entry.name { externals[external] = entry.id }
    if let namespace = entry.namespace { namespaces.insert(namespace) }
    // Creations are stored in about the order in which they were reserved.
    var index = order.count
    while index > 0, order[index - 1].ordinal > entry.ordinal { index -= 1 }
    order.insert((entry.ordinal, entry.id), at: index)
    lastOrdinal = max(lastOrdinal, entry.ordinal)
  }

  private mutating func insert(_ key: CreationKey) {
    keys[key.keyHash] = key
    keyOrder.append((key.keyHash, key.at))
  }

  private mutating func forgetKeys(at now: Instant) {
    while let first = keyOrder.first,
      first.at.adding(milliseconds: SessionIndex.keyMilliseconds) <= now
    {
      keys[first.key] = nil
      keyOrder.removeFirst()
    }
  }
}

/// The life of a session, and the list.
extension SessionIndex {
  package mutating func setStatus(_ status: SessionStatus, of id: SessionID) {
    entries[id]?.status = status
  }

  package mutating func remove(_ id: SessionID) {
    guard let entry = entries.removeValue(forKey: id) else { return }
    if let external = entry.name, externals[external] == id {
      externals[external] = nil
    }
    if order.count > 2 * entries.count + 64 { order.removeAll { entries[$0.id] == nil } }
  }

  package func session(external: String, namespace: String? = nil) -> SessionID? {
    externals[ExternalName(namespace: namespace, id: ExactString(external))]
  }

  /// The number of sessions.
  package var count: Int { entries.count }

  /// A part of the list.
  package enum Page: Sendable {
    /// - Parameter next: The cursor of the next page; `nil` after the last one.
    case sessions([Entry], next: Int64?)
    /// These sessions must be loaded first: their status is not known.
    case unknown([SessionID])
  }

  /// Sessions that are loaded for one page at the same time.
  private static let unknownMax = 64
  /// The maximum number of sessions that are tested for one page, because the index is locked
  /// meanwhile. A page that tested as many may have less than `limit` sessions, or none.
  package static let testedMax = 10_000

  /// - Parameters:
  ///   - status: Only sessions with it, if any.
  ///   - namespace: Only sessions of it, if any.
  ///   - uses: Only sessions that use this shared definition, if any.
  ///   - unreadable: Sessions whose status cannot be known. They are found without a status.
  ///   - cursor: Only sessions after it; 0: from the first one.
  ///   - limit: The maximum number of sessions.
  package func page(
    external: String?, status: SessionStatus?, namespace: String? = nil, uses: String? = nil,
    unreadable: Set<SessionID> = [], after cursor: Int64, limit: Int
  ) -> Page {
    var found: [Entry] = []
    var unknown: [SessionID] = []
    var next: Int64?
    let candidates = candidates(external, namespace, after: cursor)
    for (ordinal, id) in candidates.prefix(SessionIndex.testedMax) {
      guard let entry = entries[id], ordinal > cursor,
        namespace == nil || namespace == entry.namespace, uses == nil || uses == entry.uses
      else { continue }
      if entry.status == nil, !unreadable.contains(id) {
        unknown.append(id)
        if unknown.count == SessionIndex.unknownMax { break }
        continue
      }
      guard status == nil || status == entry.status else { continue }
      if found.count == limit {
        next = found.last?.ordinal
        break
      }
      found.append(entry)
    }
    guard unknown.isEmpty else { return .unknown(unknown) }
    if next == nil, candidates.count > SessionIndex.testedMax {
      next = candidates[candidates.startIndex + SessionIndex.testedMax - 1].ordinal
    }
    return .sessions(found, next: next)
  }

  /// The sessions of a page before they are tested, in the order of the list.
  private func candidates(
    _ external: String?, _ namespace: String?, after cursor: Int64
  ) -> ArraySlice<(ordinal: Int64, id: SessionID)> {
    if let external {
      let searched: [String?] = namespace == nil ? [nil] + Array(namespaces) : [namespace]
      let found = searched.compactMap { namespace in
        session(external: external, namespace: namespace).flatMap { entries[$0] }
      }
      return found.map { (ordinal: $0.ordinal, id: $0.id) }.sorted { $0.ordinal < $1.ordinal }[...]
    }
    return order[order.partitionPoint { $0.ordinal > cursor }...]
  }
}

extension SessionIndex.Entry {
  fileprivate var name: SessionIndex.ExternalName? {
    external.map { SessionIndex.ExternalName(namespace: namespace, id: ExactString($0)) }
  }
}

extension Hub {
  /// Updates the list of sessions if an entry has changed a session's status.
  func noteStatus(of hosted: HostedSession, before: SessionStatus?) {
    let status = hosted.session.status
    guard status != before else { return }
    // Its definition has waited for the host's decision.
    if before == .confirming { followLater(hosted) }
    shard.names.use { $0.setStatus(status, of: hosted.id) }
  }
}
