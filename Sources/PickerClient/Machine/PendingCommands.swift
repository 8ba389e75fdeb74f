/// The commands without an answer, in the order of their refs. They are retained across reconnects.
struct PendingCommands: Sendable {
  struct Entry: Hashable, Sendable {
    /// What the app knows it by.
    let ref: Int
    /// The ref of its message; greater if another device of the same member has used ``ref``, or
    /// if the command was refused with `tooMany`.
    var sentAs: Int
    let command: PickerCommand
    /// `nil` before the first welcome, when there is no value to see.
    var seen: SeenValue?
    var isSent: Bool

    /// Whether sending `other` after this command, which followed it, would have another effect.
    func depends(onOrderAfter other: PickerCommand) -> Bool {
      switch (command, other) {
      case (.mark(_, let cells, _), .mark(_, let others, _)):
        cells.contains { run in others.contains { $0.overlaps(run) } }
      case (.mark, .clear): true
      case (.clear, .mark): true
      case (.set, _), (_, .set): true
      default: selects(sameColumnAs: other)
      }
    }

    func selects(sameColumnAs other: PickerCommand) -> Bool {
      guard case .select(let column, _, _, _) = command, case .select(column, _, _, _) = other
      else { return false }
      return true
    }
  }

  /// The maximum number of commands queued without a connection. Executing more of them later would
  /// surprise the user.
  static let waitingMax = 20

  private(set) var entries: [Entry] = []
  /// The greatest ref used so far.
  private(set) var ref: Int

  init(ref: Int) { self.ref = ref }

  /// Whether commands were sent that have no answer.
  var isWaiting: Bool { entries.contains(where: \.isSent) }

  /// Whether commands were not sent yet. They follow all others.
  var hasUnsent: Bool { entries.last.map { !$0.isSent } ?? false }

  /// The greatest ref that was sent.
  var greatestSent: Int { entries.first { !$0.isSent }.map { $0.sentAs - 1 } ?? ref }

  /// Continues after the greatest ref that the server knows. A smaller one belongs to another
  /// command, of another device of the same member, so unsent commands get new ones.
  mutating func startAfter(_ known: Int) {
    ref = max(ref, known)
    if entries.contains(where: { !$0.isSent && $0.sentAs <= known }) { renumber() }
  }

  /// Makes a command unsent that was not done, if it can be sent after those that followed it.
  ///
  /// - Parameter ref: That of its message.
  /// - Returns: Whether it can.
  mutating func hold(_ ref: Int) -> Bool {
    guard let index = entries.firstIndex(where: { $0.sentAs == ref }) else { return false }
    let (command, later) = (entries[index].command, entries[(index + 1)...])
    guard command.canWait, !later.contains(where: { $0.depends(onOrderAfter: command) }) else {
      return false
    }
    entries[index].isSent = false
    renumber()
    return true
  }

  /// Gives unsent commands refs after those of all others, in their messages.
  private mutating func renumber() {
    let unsent = entries.filter { !$0.isSent }.sorted { $0.ref < $1.ref }
    entries.removeAll { !$0.isSent }
    for var entry in unsent {
      ref += 1
      entry.sentAs = ref
      entries.append(entry)
    }
  }

  /// Adds a command with the next ref. It replaces an unsent select of the same column.
  ///
  /// - Returns: The ref of the replaced command; `nil` if none was replaced.
  mutating func add(_ command: PickerCommand, seen: SeenValue?) -> Int? {
    ref += 1
    let index = entries.firstIndex { !$0.isSent && $0.selects(sameColumnAs: command) }
    let replaced = index.map { entries.remove(at: $0).ref }
    entries.append(Entry(ref: ref, sentAs: ref, command: command, seen: seen, isSent: false))
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

  /// Sets what commands from before the first welcome refer to: the value of that welcome.
  ///
  /// - Parameter value: The value after these commands.
  mutating func see(_ value: ([Entry]) -> SeenValue) {
    for index in entries.indices where entries[index].seen == nil {
      entries[index].seen = value(Array(entries[..<index]))
    }
  }

  /// Removes and returns the commands for which a condition is true.
  mutating func take(where isTaken: (Entry) -> Bool) -> [Entry] {
    let taken = entries.filter(isTaken)
    entries.removeAll(where: isTaken)
    return taken
  }

  mutating func takeAll() -> [Entry] {
    defer { entries = [] }
    return entries
  }
}
