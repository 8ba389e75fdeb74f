import PickerModel
import PickerSession

/// The memory of a hub's sessions in bytes, an estimate. A definition counts once, however many
/// sessions have it.
///
/// Invariant: the ``SessionMemory`` of the server has the sum of the charges of the sessions in
/// memory, and each of their definitions once.
struct ResidentMemory {
  /// What is counted of a session.
  struct Charge {
    /// Its memory without definitions.
    fileprivate var byteCount: Int
    /// Its definitions besides that of its creation.
    fileprivate var later: [Definition]
  }

  private let total: any SessionMemory
  /// The number of charges that have each definition.
  private var useCounts: [Definition: Int] = [:]

  init(total: any SessionMemory) { self.total = total }

  /// Whether the sessions of all hubs take as much memory as they may.
  var isFull: Bool { !total.hasRoom(for: 1) }

  /// Whether there is room for a new session.
  func hasRoom(for session: Session) -> Bool {
    total.hasRoom(for: session.byteCount + addedByteCount(of: session.fold.origin.definition))
  }

  /// Whether there is room for a definition.
  func hasRoom(for definition: Definition) -> Bool {
    total.hasRoom(for: addedByteCount(of: definition))
  }

  private func addedByteCount(of definition: Definition) -> Int {
    useCounts[definition] == nil ? definition.byteCount : 0
  }

  /// Counts a session.
  mutating func add(_ session: Session) -> Charge {
    let charge = Charge(byteCount: session.byteCount, later: session.laterDefinitions)
    total.add(charge.byteCount)
    for definition in [session.fold.origin.definition] + charge.later { use(definition) }
    return charge
  }

  /// Counts a session again, which has changed.
  mutating func update(_ charge: inout Charge, of session: Session) {
    let byteCount = session.byteCount
    total.add(byteCount - charge.byteCount)
    charge.byteCount = byteCount
    let later = session.laterDefinitions
    if later == charge.later { return }
    for definition in later { use(definition) }
    for definition in charge.later { release(definition) }
    charge.later = later
  }

  /// Counts a session no more.
  mutating func remove(_ charge: Charge, of session: Session) {
    total.add(-charge.byteCount)
    for definition in [session.fold.origin.definition] + charge.later { release(definition) }
  }

  private mutating func use(_ definition: Definition) {
    let useCount = useCounts[definition, default: 0]
    if useCount == 0 { total.add(definition.byteCount) }
    useCounts[definition] = useCount + 1
  }

  private mutating func release(_ definition: Definition) {
    guard let useCount = useCounts[definition] else {
      preconditionFailure("only a definition that was counted is released")
    }
    useCounts[definition] = useCount == 1 ? nil : useCount - 1
    if useCount == 1 { total.add(-definition.byteCount) }
  }
}
