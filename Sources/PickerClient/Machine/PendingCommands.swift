/// Commands that have no answer yet, in the order of their refs. They outlive connections.
struct PendingCommands: Sendable {
  struct Entry: Hashable, Sendable {
    let ref: Int
    let command: PickerCommand
    var isSent: Bool
  }

  /// Commands that can be given while nobody listens; more would surprise when they are done.
  static let waitingMax = 20

  private(set) var entries: [Entry] = []
  /// The greatest ref given out so far.
  private(set) var ref: Int

  init(ref: Int) { self.ref = ref }

  /// Goes on after the greatest ref that the server knows; a smaller one may mean another command.
  mutating func startAfter(_ known: Int) { ref = max(ref, known) }

  /// Gives a command its ref; an unsent select of the same column gives way to it.
  ///
  /// - Returns: The ref of the command that gave way.
  mutating func add(_ command: PickerCommand) -> Int? {
    ref += 1
    var replaced: Int?
    if case .select(let column, _, _, _) = command {
      let index = entries.firstIndex { entry in
        guard !entry.isSent, case .select(column, _, _, _) = entry.command else { return false }
        return true
      }
      replaced = index.map { entries.remove(at: $0).ref }
    }
    entries.append(Entry(ref: ref, command: command, isSent: false))
    return replaced
  }

  /// Takes the command with this ref out.
  mutating func answered(_ ref: Int?) -> Entry? {
    entries.firstIndex { $0.ref == ref }.map { entries.remove(at: $0) }
  }

  mutating func sent(_ ref: Int) {
    guard let index = entries.firstIndex(where: { $0.ref == ref }) else { return }
    entries[index].isSent = true
  }

  /// Commands that were sent to a server that forgot us: nobody can say whether they were done.
  mutating func takeUncertain() -> [Entry] {
    let uncertain = entries.filter(\.isSent)
    entries.removeAll(where: \.isSent)
    return uncertain
  }

  mutating func takeAll() -> [Entry] {
    defer { entries = [] }
    return entries
  }
}
