package import PickerModel

extension LogEntry {
  /// What a hub and a log ask about an entry without opening it: one row for each, computed where
  /// the entry is made.
  package struct Facts: Hashable, Sendable {
    /// Whether a log or a store that has reached its maximum size refuses the entry. Ticks, leaving
    /// and what the host decides are stored nevertheless: they are small, and a session needs them
    /// to end.
    package var needsBudget: Bool { flags.contains(.needsBudget) }
    /// Whether it is a tick, the leave of a member or a shared definition, which may be due in
    /// thousands of sessions at the same time.
    package var isTimed: Bool { flags.contains(.isTimed) }
    /// Whether it is a change of the host. The next one must not be checked before it is applied.
    package var isHostChange: Bool { flags.contains(.isHostChange) }
    /// Whether it can make a member the owner, in a session without tokens, where the member that
    /// joined first is the owner.
    package var mayChangeOwners: Bool { flags.contains(.mayChangeOwners) }
    package var isCommand: Bool { flags.contains(.isCommand) }
    /// Whether the inventory has not decided it.
    package var isUndecided: Bool { flags.contains(.isUndecided) }
    /// Whether it says only what the inventory has become by others.
    package var isNews: Bool { flags.contains(.isNews) }
    // One byte: a tap copies an entry seven times, and a longer one by a call.
    fileprivate var flags: Flags
    private let texts: Int32
    private let other: Int32
    private let source: Int32

    fileprivate struct Flags: OptionSet, Hashable, Sendable {
      let rawValue: UInt8
      static let needsBudget = Flags(rawValue: 1)
      static let isTimed = Flags(rawValue: 2)
      static let isHostChange = Flags(rawValue: 4)
      static let mayChangeOwners = Flags(rawValue: 8)
      static let isCommand = Flags(rawValue: 16)
      static let isUndecided = Flags(rawValue: 32)
      static let isNews = Flags(rawValue: 64)
    }

    /// - Parameters:
    ///   - texts: The size of the texts from a client, in bytes.
    ///   - other: The rest of ``byteCount``.
    ///   - source: What is in memory only, in bytes.
    fileprivate init(_ flags: Flags = [], texts: Int = 0, other: Int, source: Int = 0) {
      self.flags = flags
      self.texts = Int32(clamping: texts)
      self.other = Int32(clamping: other)
      self.source = Int32(clamping: source)
    }

    /// The size of the texts from a client, in bytes.
    package var textByteCount: Int { Int(texts) }
    /// The size of the entry in memory, an estimate. Its stored size is about the same.
    package var byteCount: Int { Int(texts) + Int(other) }
    /// The memory of the entry in a log that retains it, in bytes, an estimate. Definitions count
    /// themselves.
    package var memoryByteCount: Int { byteCount + Int(source) }
  }
}

extension LogEntry.Body {
  /// - Parameter op: See ``LogEntry/op``.
  func facts(op: String?) -> LogEntry.Facts {
    switch self {
    case .command(_, ref: _, let command, _):
      return LogEntry.Facts(
        [.needsBudget, .isCommand], texts: command.byteCount, other: 160 + (op?.utf8.count ?? 0))
    case .joined(let joining):
      return LogEntry.Facts(
        [.needsBudget, .mayChangeOwners], texts: joining.textByteCount,
        other: 224 + 2 * joining.secret.bytes.count)
    case .roleChanged, .returned:
      return LogEntry.Facts([.needsBudget, .mayChangeOwners], other: 104)
    case .left: return LogEntry.Facts([.isTimed, .mayChangeOwners], other: 104)
    case .tick, .clockSet: return LogEntry.Facts(.isTimed, other: 64)
    case .revoked(let revocation):
      return LogEntry.Facts(texts: revocation.target.textByteCount, other: 160)
    case .roleSet(let role):
      return LogEntry.Facts(.mayChangeOwners, texts: role.target.textByteCount, other: 160)
    case .revised(let change):
      return LogEntry.Facts(
        change.follows == nil
          ? [.needsBudget, .isHostChange] : [.needsBudget, .isTimed, .isHostChange],
        texts: change.textByteCount,
        other: 160 + (change.definition?.encoded?.json.count ?? 0), source: change.sourceByteCount)
    case .settle(let settle):
      return LogEntry.Facts(.isHostChange, texts: settle.textByteCount, other: 160)
    case .decided(let decided):
      var facts = decided.body.facts(op: op)
      if decided.outcome == nil { facts.flags.insert(.isUndecided) }
      return facts
    case .inventory(let news):
      return LogEntry.Facts(
        [.needsBudget, .isTimed, .isNews],
        other: 160 + 32 * ((news.levels?.named.count ?? 0) + (news.claim?.claim?.keys.count ?? 0)))
    }
  }

  /// The entry itself, without the inventory's decision.
  package var undecided: LogEntry.Body {
    if case .decided(let decided) = self { decided.body } else { self }
  }

  /// Whether this entry can give a member at least a role, in a session whose tokens grant roles.
  package func mayGive(_ needed: Role, to member: MemberID) -> Bool {
    switch self {
    case .joined(let joining): joining.member == member && (joining.role ?? .owner) >= needed
    case .roleChanged(let changed, let role): changed == member && role >= needed
    // Without a role the member gets its former one.
    case .returned(let returned, let role): returned == member && (role ?? .owner) >= needed
    case .roleSet(let set): set.role >= needed
    case .decided(let decided): decided.body.mayGive(needed, to: member)
    case .left, .command, .revised, .settle, .tick, .clockSet, .revoked, .inventory: false
    }
  }

  /// Whether the entry is a `confirm`.
  package var isConfirm: Bool {
    switch self {
    case .command(_, ref: _, .confirm, _), .command(_, ref: _, .confirmWindow, _): true
    case .decided(let decided): decided.body.isConfirm
    default: false
    }
  }

  /// Whether the entry only moves the session in time.
  package var isTick: Bool {
    switch self {
    case .tick, .clockSet: true
    case .decided(let decided): decided.body.isTick
    case .joined, .roleChanged, .left, .returned, .command, .revoked, .roleSet, .revised, .settle,
      .inventory:
      false
    }
  }
}

extension Command {
  /// The memory of its texts and lists in bytes, an estimate.
  package var byteCount: Int {
    switch self {
    case .act(let action): action.byteCount
    case .unknown(let text), .rename(let text): text.utf8.count
    case .cancelWithReason(let reason): reason.tree.serialized().count
    case .inventory(let command): command.byteCount
    case .undo, .redo, .confirm, .confirmWindow, .cancel, .reopen: 0
    }
  }
}

extension LogEntry.Joining {
  fileprivate var textByteCount: Int {
    [name, subject, info, meta].reduce(0) { $0 + ($1?.utf8.count ?? 0) }
  }
}

extension Revocation.Target {
  fileprivate var textByteCount: Int {
    if case .subject(let subject) = self { subject.utf8.count } else { 64 }
  }
}

extension DocumentChange {
  fileprivate var textByteCount: Int {
    64 * ((definition?.definition.weight ?? 0) + (notes?.tree.valueCount ?? 0))
  }

  fileprivate var sourceByteCount: Int {
    (definition?.source.byteCount ?? 0) + (notes?.tree.byteCount ?? 0)
  }
}

extension Settle {
  fileprivate var textByteCount: Int {
    op.utf8.count + (data?.text.utf8.count ?? 0) + (reason?.tree.serialized().count ?? 0)
  }
}

extension DefinitionChange.Source {
  fileprivate var byteCount: Int {
    switch self {
    case .whole: 0
    case .mergePatch(let patch): patch.byteCount
    }
  }
}
