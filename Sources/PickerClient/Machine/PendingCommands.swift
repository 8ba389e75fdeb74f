/// The commands without an answer, in the order of their refs. They are retained across reconnects.
struct PendingCommands: Sendable {
  struct Entry: Hashable, Sendable {
    /// What the app knows it by.
    let ref: Int
    /// The ref of its message; greater if another device of the same member has used ``ref``.
    var sentAs: Int
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

  /// Continues after the greatest ref that the server knows. A smaller one belongs to another
  /// command, of another device of the same member, so unsent commands get new ones.
  mutating func startAfter(_ known: Int) {
    let renumbers = entries.contains { !$0.isSent && $0.sentAs <= known }
    ref = max(ref, known)
    guard renumbers else { return }
    for index in entries.indices where !entries[index].isSent {
      ref += 1
      entries[index].sentAs = ref
    }
  }

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
    entries.append(Entry(ref: ref, sentAs: ref, command: command, isSent: false))
    return replaced
  }

  /// Removes and returns the command whose message has this ref; `nil` if it is not pending.
  mutating func answered(_ ref: Int?) -> Entry? {
    entries.firstIndex { $0.sentAs == ref }.map { entries.remove(at: $0) }
  }

  mutating func sent(_ ref: Int) {
    guard let index = entries.firstIndex(where: { $0.ref == ref }) else { return }
    entries[index].isSent = true
  }

  /// Removes and returns the commands that were sent, and of which it is unknown whether they were
  /// executed.
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
