import CivilTime
package import PickerModel
package import PickerSession

/// What a hub knows of an inventory from which its sessions take.
struct HubInventory {
  /// What levels depend on, apart from the counts and a claim.
  struct View: Hashable {
    /// Those of the shared definition that the session has got, and that were valid for it: they
    /// have the settings.
    let version: Int
    let accepted: Int
    let units: Int
    let keys: ClosedRange<String>?
  }

  /// What sessions without a claim see: most of them the same.
  private struct Shared {
    /// The change that they have.
    var number: Int
    var levels: KeyLevels
    /// The last news, for sessions that had the known levels.
    var last: (known: KeyLevels, news: LevelNews)?
  }

  /// That of the last change that was read; `nil` before the first.
  fileprivate(set) var number: Int?
  /// The number up to which the claims of the sessions in memory were read. A session that is
  /// created or loaded reads the counts, but not the claims of others.
  fileprivate private(set) var claimsNumber: Int?
  /// The number of the last change that the log has reported.
  fileprivate var newest = 0
  /// The keys of which something is taken, or that somebody waits for.
  fileprivate var counts: [String: KeyCount] = [:]
  fileprivate var isReading = false
  /// Whether a timer reads it.
  fileprivate var isQueued = false
  /// The number up to which the places in the line were read.
  private var placesNumber = 0
  /// When they may be read next, in machine milliseconds.
  private var placesDue: Int64 = 0
  /// Whether a timer reads them.
  private var isLineQueued = false
  /// A changed place is sent within 5 s: one who leaves a long line changes thousands.
  private static let placesMilliseconds: Int64 = 4000
  private var shared: [View: Shared] = [:]
  /// The keys that are kept for somebody in the line.
  private var keptKeys: Set<String> = []
  private static let viewCountMax = 64

  /// - Parameter hasClaims: Whether it has the claims of all sessions in memory.
  fileprivate mutating func take(_ change: InventoryChange, hasClaims: Bool = false) {
    if hasClaims || claimsNumber == nil {
      claimsNumber = max(claimsNumber ?? 0, change.number)
    }
    guard change.number >= number ?? 0 else { return }
    if change.isWhole { (counts, keptKeys) = ([:], []) }
    for (key, count) in change.keys {
      counts[key] = count.isEmpty ? nil : count
      if count.keptSince == nil { keptKeys.remove(key) } else { keptKeys.insert(key) }
    }
    number = change.number
  }

  /// Begins to read it.
  ///
  /// - Returns: The number after which changed places are read, too; `nil`: they are not.
  fileprivate mutating func beginReading(at now: Int64) -> Int? {
    isReading = true
    if now < placesDue { return nil }
    isLineQueued = false
    return placesNumber
  }

  /// The timer of the places has fired while it is being read: ``endReading(_:places:at:)`` adds
  /// another one.
  fileprivate mutating func readLineAgain() { isLineQueued = false }

  /// It was read.
  ///
  /// - Parameter places: What ``beginReading(at:)`` has returned.
  /// - Returns: When to read it again because of the places; `nil`: they are known.
  fileprivate mutating func endReading(
    _ change: InventoryChange, places: Int?, at now: Int64
  ) -> Int64? {
    if change.isWhole || places != nil {
      if change.lineNumber > placesNumber { placesDue = now + HubInventory.placesMilliseconds }
      placesNumber = max(placesNumber, change.number)
    }
    guard change.lineNumber > placesNumber, !isLineQueued else { return nil }
    isLineQueued = true
    return placesDue
  }

  /// What to say to a session of its levels; `nil`: nothing.
  ///
  /// It costs as much as has changed, or as the session has of its own.
  fileprivate mutating func news(
    to session: HostedSession, _ view: View, _ claim: Claim?, _ inventory: KnownInventory,
    for kind: PickerKind
  ) -> LevelNews? {
    updateLevels(view, inventory.settings, for: kind)
    guard let current = shared[view] else { return nil }
    let known = inventory.levels
    if let claim, let own = levels(of: claim, current.levels, view, inventory.settings) {
      session.sameLevels = nil
      return own.news(after: known)
    }
    if known === current.levels { return nil }
    let same = session.sameLevels.flatMap { $0.own === known ? $0.shared : nil } ?? known
    if same === current.levels { return nil }
    let news: LevelNews?
    if let last = current.last, last.known === same {
      news = last.news
    } else {
      news = current.levels.news(after: same)
      if let news { shared[view]?.last = (same, news) }
    }
    session.sameLevels = news == nil ? (known, current.levels) : nil
    return same === known ? news : news?.adapted(to: known)
  }

  /// The levels as a session with a claim sees them: others of the keys of its claim, and, while
  /// it waits, of those that are kept for somebody behind it.
  ///
  /// - Returns: `nil` if it sees the same.
  private func levels(
    of claim: Claim, _ shared: KeyLevels, _ view: View, _ settings: InventorySettings
  ) -> KeyLevels? {
    var named: [String: KeyLevel?]?
    func see(_ key: String) {
      guard view.keys?.contains(key) ?? true else { return }
      let count = counts[key] ?? KeyCount(capacity: settings.capacity(of: key))
      let level = count.level(of: key, units: view.units, claim: claim, few: settings.few)
      if level == shared[key] { return }
      if named == nil { named = shared.named }
      named?[key] = level == shared.others ? nil : .some(level)
    }
    for key in claim.keys { see(key) }
    if claim.order != nil { for key in keptKeys { see(key) } }
    return named.map { KeyLevels($0, like: shared) }
  }

  /// Counts the levels of a view again, if the counts are newer. Those that are equal stay the same
  /// object, which the sessions have already.
  private mutating func updateLevels(
    _ view: View, _ settings: InventorySettings, for kind: PickerKind
  ) {
    guard let number, shared[view]?.number != number else { return }
    let new = KeyLevels(counts, view, settings, for: kind)
    if let known = shared[view], known.levels == new {
      shared[view]?.number = number
      return
    }
    if shared[view] == nil, shared.count >= HubInventory.viewCountMax { shared = [:] }
    shared[view] = Shared(number: number, levels: new)
  }
}

/// What a session has not seen of its levels.
private struct LevelNews {
  /// Those that have changed, or all.
  let levels: KeyLevels
  let isWhole: Bool
  /// What they make together with those before.
  let after: KeyLevels

  /// The same to a session that has an equal object.
  func adapted(to known: KeyLevels) -> LevelNews {
    if isWhole { return self }
    let adapted = KeyLevels(
      levels.named, like: levels, step: LevelStep(from: known, to: after))
    return LevelNews(levels: adapted, isWhole: false, after: after)
  }
}

extension KeyLevels {
  /// What a session without a claim sees.
  fileprivate convenience init(
    _ counts: [String: KeyCount], _ view: HubInventory.View, _ settings: InventorySettings,
    for kind: PickerKind
  ) {
    let (units, few) = (view.units, settings.few)
    let others = KeyCount(capacity: settings.capacity).level(
      of: "", units: units, claim: nil, few: few)
    var named: [String: KeyLevel?] = [:]
    func add(_ key: String, _ count: KeyCount) {
      guard view.keys?.contains(key) ?? true else { return }
      let level = count.level(of: key, units: units, claim: nil, few: few)
      if level != others { named[key] = .some(level) }
    }
    for (key, capacity) in settings.keys where counts[key] == nil {
      add(key, KeyCount(capacity: capacity))
    }
    for (key, count) in counts { add(key, count) }
    self.init(named, others: others, for: kind)
  }

  /// What to say to a session that has the `known` levels; `nil`: nothing.
  fileprivate func news(after known: KeyLevels) -> LevelNews? {
    if self == known { return nil }
    guard others == known.others else {
      return LevelNews(levels: self, isWhole: true, after: self)
    }
    var changed: [String: KeyLevel?] = [:]
    for key in known.named.keys where self[key] != known[key] { changed[key] = .some(self[key]) }
    for key in named.keys where self[key] != known[key] { changed[key] = .some(self[key]) }
    let levels = KeyLevels(changed, like: self, step: LevelStep(from: known, to: self))
    return LevelNews(levels: levels, isWhole: false, after: self)
  }
}

extension Definition {
  /// The keys that a picker's list can show, apart from those of a cascade.
  ///
  fileprivate func view(
    _ shared: SharedState?, units: Int, at now: Instant
  ) -> HubInventory.View {
    HubInventory.View(
      version: shared?.version ?? 0, accepted: shared?.accepted ?? 0, units: units,
      keys: keysListed(at: now))
  }
}

/// Sessions in memory see what others take of their inventory: within a second, or two in a busy
/// sale, as an entry of their own logs.
///
/// What they see is for the eye. What is granted is decided by the log.
extension Hub {
  /// When a change is read: several that follow one another are read together.
  private static let readMilliseconds: Int64 = 300

  /// An inventory has changed.
  ///
  /// - Parameters:
  ///   - name: Of the shared definition, with its namespace.
  ///   - number: That of the change.
  package func inventoryChanged(_ name: String, number: Int, at time: HubTime) {
    now = time
    // Sessions that are loaded or created may have read what was before.
    guard directory.uses(name) || directory.loadingCount > 0 || following.creationCount > 0 else {
      return
    }
    inventories[name, default: HubInventory()].newest = number
    queueReading(of: name, after: Hub.readMilliseconds)
  }

  /// Sessions were offered something: those that are not in memory are loaded, because their hosts
  /// write to people who have closed the page.
  package func offered(_ sessions: [SessionID], at time: HubTime) {
    now = time
    for session in sessions where mayExist(session) && directory.hosted(session) == nil {
      directory.loadLater(BackgroundLoad(session))
    }
    loadInBackground()
  }

  private func queueReading(of name: String, after milliseconds: Int64) {
    guard let known = inventories[name], !known.isQueued, !known.isReading else { return }
    inventories[name]?.isQueued = true
    schedule.add(.inventory(name), due: now.machine + milliseconds)
  }

  /// Reads what has changed of an inventory, and of the claims that the sessions know.
  func readInventory(_ name: String) {
    inventories[name]?.isQueued = false
    guard let known = inventories[name] else { return }
    if known.isReading {
      inventories[name]?.readLineAgain()
      return
    }
    let sessions = directory.sessions(using: name).filter(\.session.hasClaim).map(\.id)
    let places = inventories[name]?.beginReading(at: now.machine)
    performOnHub { [unowned self] in
      let outcome = await answered {
        log.inventory(
          name, since: known.claimsNumber, places: places, of: sessions, hub: shard.index,
          completion: $0)
      }
      inventories[name]?.isReading = false
      switch outcome {
      case .found(let change):
        note(change)
        let due = inventories[name]?.endReading(change, places: places, at: now.machine)
        if let due { schedule.add(.inventory(name), due: due) }
        if let known = inventories[name], known.newest > change.number {
          queueReading(of: name, after: Hub.readMilliseconds)
        }
      case .absent, .unreadable: break
      case .elsewhere, .unavailable: queueReading(of: name, after: retryMilliseconds)
      }
    }
  }

  /// Takes what was read, and shows it to the sessions.
  private func note(_ change: InventoryChange) {
    inventories[change.name]?.take(change, hasClaims: true)
    for (session, claim) in change.claims { directory.hosted(session)?.otherClaim = claim }
    for hosted in directory.sessions(using: change.name) { queue(hosted) }
  }

  /// Takes what was read for a session that is created or loaded.
  package func note(_ change: InventoryChange, for hosted: HostedSession) {
    inventories[change.name, default: HubInventory()].take(change)
    if let known = inventories[change.name], known.newest > change.number {
      queueReading(of: change.name, after: Hub.readMilliseconds)
    }
    if let claim = change.claims[hosted.id] { hosted.otherClaim = claim }
  }

  /// What a new session sees.
  package func inventory(
    _ settings: InventorySettings, _ change: InventoryChange, for definition: Definition
  ) -> KnownInventory {
    // An older change that is being read must not take back what the session sees.
    inventories[change.name, default: HubInventory()].take(change)
    let view = definition.view(nil, units: settings.units.lowerBound, at: now.session)
    return KnownInventory(
      settings: settings, levels: KeyLevels(change.keys, view, settings, for: definition.kind))
  }

  /// Shows a session what has become of its inventory, once no entry is pending of which that
  /// depends.
  func see(_ hosted: HostedSession) {
    let fold = hosted.session.fold
    // Counts of before its own last change would take its own value away.
    guard let inventory = fold.inventory, let name = fold.origin.uses?.name,
      let number = inventories[name]?.number, hosted.phase == .loaded
    else { return }
    guard number >= inventory.claim.number, !hosted.hasNews, !hosted.steps.hasUndecided else {
      hosted.missesNews = true
      return
    }
    let claim = hosted.otherClaim.flatMap { $0.isNews(to: inventory.claim) ? $0 : nil }
    if claim == nil { hosted.otherClaim = nil }
    var levels: LevelNews?
    if fold.status == .open {
      let view = fold.definition.view(
        fold.shared, units: inventory.units, at: fold.picker.asOf)
      levels = inventories[name]?.news(
        to: hosted, view, (claim ?? inventory.claim).claim, inventory, for: fold.definition.kind)
    }
    guard levels != nil || claim != nil else { return }
    let news = InventoryNews(
      levels: levels?.levels, isWhole: levels?.isWhole ?? false, claim: claim)
    hosted.hasNews = true
    if !append(.inventory(news), to: hosted, at: now) { newsWasRefused(of: hosted) }
  }

  /// The log has not accepted an entry about the inventory: it is tried again.
  func newsWasRefused(of hosted: HostedSession) {
    hosted.hasNews = false
    guard hosted.phase == .loaded else { return }
    schedule.add(.follow(hosted.id), due: now.machine + retryMilliseconds)
  }

  /// An entry was applied: the session may see other levels.
  func seeLater(_ hosted: HostedSession, after entry: LogEntry) {
    if entry.isNews { hosted.hasNews = false }
    if hosted.missesNews {
      hosted.missesNews = false
      return queue(hosted)
    }
    switch entry.body {
    case .decided, .inventory, .revised, .tick: queue(hosted)
    case .command(_, ref: _, let command, _):
      switch command {
      case .inventory, .undo, .redo, .reopen: queue(hosted)
      default: return
      }
    default: return
    }
  }

  /// A session has left memory.
  func forgetInventories() {
    if inventories.isEmpty { return }
    inventories = inventories.filter { directory.uses($0.key) || $0.value.isReading }
  }
}

extension NumberedClaim {
  /// Whether it says more than a known one.
  fileprivate func isNews(to known: NumberedClaim) -> Bool {
    number >= known.number && claim != known.claim
  }
}
