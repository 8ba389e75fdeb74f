/// The commands without an answer, in the order of their refs. They are retained across reconnects.
struct PendingCommands: Sendable {
  struct Entry: Hashable, Sendable {
    let ref: Int
    let command: PickerCommand
    var isSent: Bool
  }

  /// The maximum number of commands queued without a connection. Executing more of them later would
  /// surprise the user.
  static let waitingMax = 20

  private(set) var entries: [Entry] = []
  /// The greatest ref used so far.
  private(set) var ref: Int

  init(ref: Int) { self.ref = ref }

  /// Continues after the greatest ref that the server knows. A smaller ref can already belong to
  /// another command.
  mutating func startAfter(_ known: Int) { ref = max(ref, known) }

  /// Adds a command with the next ref. It replaces an unsent select of the same column.
  ///
  /// - Returns: The ref of the replaced command; `nil` if none was replaced.
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

  /// Removes and returns the command with this ref; `nil` if it is not pending.
  mutating func answered(_ ref: Int?) -> Entry? {
    entries.firstIndex { $0.ref == ref }.map { entries.remove(at: $0) }
  }

  mutating func sent(_ ref: Int) {
    guard let index = entries.firstIndex(where: { $0.ref == ref }) else { return }
    entries[index].isSent = true
  }

  /// Removes and returns the commands that were sent as a member that the server has forgotten.
  /// Whether they were executed is unknown.
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
