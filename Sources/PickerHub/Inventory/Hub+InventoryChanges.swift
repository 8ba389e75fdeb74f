import CivilTime
package import PickerModel
package import PickerSession

/// What a hub knows of an inventory from which its sessions take.
struct HubInventory {
  /// What levels depend on, apart from the counts and a claim.
  struct View: Hashable {
    let settings: InventorySettings
    let units: Int
    let keys: ClosedRange<String>?
  }

  /// That of the last change that was read; `nil` before the first.
  fileprivate(set) var number: Int?
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
  /// A changed place is told within 5 s: one who leaves a long line changes thousands.
  private static let placesMilliseconds: Int64 = 4000
  /// The levels of sessions without a claim: most see the same.
  private var levels: [View: KeyLevels] = [:]
  private static let viewCountMax = 64

  fileprivate mutating func take(_ change: InventoryChange) {
    guard change.number >= number ?? 0 else { return }
    if change.isWhole { counts = [:] }
    for (key, count) in change.keys { counts[key] = count.isEmpty ? nil : count }
    number = change.number
    levels = [:]
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

  /// The levels that a session sees.
  fileprivate mutating func levels(
    _ view: View, _ claim: Claim?, for kind: PickerKind
  ) -> KeyLevels {
    if claim == nil, let known = levels[view] { return known }
    let new = KeyLevels(counts, view, claim, for: kind)
    if claim == nil {
      if levels.count >= HubInventory.viewCountMax { levels = [:] }
      levels[view] = new
    }
    return new
  }
}

extension KeyLevels {
  fileprivate convenience init(
    _ counts: [String: KeyCount], _ view: HubInventory.View, _ claim: Claim?, for kind: PickerKind
  ) {
    let (units, few) = (view.units, view.settings.few)
    let others = KeyCount(capacity: view.settings.capacity).level(
      of: "", units: units, claim: nil, few: few)
    var named: [String: KeyLevel?] = [:]
    func add(_ key: String, _ count: KeyCount) {
      guard view.keys?.contains(key) ?? true else { return }
      let level = count.level(of: key, units: units, claim: claim, few: few)
      if level != others { named[key] = .some(level) }
    }
    for (key, capacity) in view.settings.keys where counts[key] == nil {
      add(key, KeyCount(capacity: capacity))
    }
    for (key, count) in counts { add(key, count) }
    self.init(named, others: others, for: kind)
  }

  /// What to say to a session that has the `known` levels; `nil`: nothing.
  fileprivate func news(after known: KeyLevels) -> (levels: KeyLevels, isWhole: Bool)? {
    if self == known { return nil }
    guard others == known.others else { return (self, true) }
    var changed: [String: KeyLevel?] = [:]
    for key in known.named.keys where self[key] != known[key] { changed[key] = .some(self[key]) }
    for key in named.keys where self[key] != known[key] { changed[key] = .some(self[key]) }
    return (KeyLevels(changed, like: self), false)
  }
}

extension Definition {
  /// The keys that a picker's list can show, apart from those of a cascade.
  fileprivate func view(_ inventory: KnownInventory, at now: Instant) -> HubInventory.View {
    HubInventory.View(
      settings: inventory.settings, units: inventory.units, keys: keysListed(at: now))
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
    guard let known = inventories[name], !known.isReading else { return }
    let sessions = directory.sessions(using: name)
      .filter { $0.session.fold.inventory?.claim.claim != nil }.map(\.id)
    let places = inventories[name]?.beginReading(at: now.machine)
    performOnHub { [unowned self] in
      let outcome = await answered {
        log.inventory(
          name, since: known.number, places: places, of: sessions, hub: shard.index,
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
    inventories[change.name]?.take(change)
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
    let kind = definition.kind
    let empty = KnownInventory(settings: settings, levels: KeyLevels([:], others: nil, for: kind))
    let view = definition.view(empty, at: now.session)
    return KnownInventory(
      settings: settings, levels: KeyLevels(change.keys, view, nil, for: kind))
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
    var levels: (levels: KeyLevels, isWhole: Bool)?
    if fold.status == .open {
      let view = fold.definition.view(inventory, at: fold.picker.asOf)
      let now = inventories[name]!.levels(
        view, (claim ?? inventory.claim).claim, for: fold.definition.kind)
      levels = now.news(after: inventory.levels)
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
