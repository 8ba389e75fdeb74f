package import PickerModel

extension LogEntry {
  /// What a hub and a log ask about an entry without opening it: one row for each, computed where
  /// the entry is made.
  package struct Facts: Hashable, Sendable {
    /// Whether a log or a store that has reached its maximum size refuses the entry. Ticks, leaving
    /// and what the host decides are stored nevertheless: they are small, and a session needs them
    /// to end.
    package let needsBudget: Bool
    /// Whether it is a tick, the leave of a member or a shared definition, which may be due in
    /// thousands of sessions at the same time.
    package let isTimed: Bool
    /// Whether it is a change of the host. The next one must not be checked before it is applied.
    package let isHostChange: Bool
    /// Whether it can make a member the owner, in a session without tokens, where the member that
    /// joined first is the owner.
    package let mayChangeOwners: Bool
    package fileprivate(set) var isCommand = false
    /// Whether the inventory has not decided it.
    package fileprivate(set) var isUndecided = false
    /// Whether it says only what the inventory has become by others.
    package fileprivate(set) var isNews = false
    private let texts: Int32
    private let other: Int32
    private let source: Int32

    /// - Parameters:
    ///   - texts: The size of the texts from a client, in bytes.
    ///   - other: The rest of ``byteCount``.
    ///   - source: What is in memory only, in bytes.
    fileprivate init(
      needsBudget: Bool = false, isTimed: Bool = false, isHostChange: Bool = false,
      mayChangeOwners: Bool = false, isCommand: Bool = false, isNews: Bool = false, texts: Int = 0,
      other: Int, source: Int = 0
    ) {
      (self.isCommand, self.isNews) = (isCommand, isNews)
      self.needsBudget = needsBudget
      self.isTimed = isTimed
      self.isHostChange = isHostChange
      self.mayChangeOwners = mayChangeOwners
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
        needsBudget: true, isCommand: true, texts: command.byteCount,
        other: 160 + (op?.utf8.count ?? 0))
    case .joined(let joining):
      return LogEntry.Facts(
        needsBudget: true, mayChangeOwners: true, texts: joining.textByteCount,
        other: 224 + 2 * joining.secret.bytes.count)
    case .roleChanged, .returned:
      return LogEntry.Facts(needsBudget: true, mayChangeOwners: true, other: 104)
    case .left: return LogEntry.Facts(isTimed: true, mayChangeOwners: true, other: 104)
    case .tick, .clockSet: return LogEntry.Facts(isTimed: true, other: 64)
    case .revoked(let revocation):
      return LogEntry.Facts(texts: revocation.target.textByteCount, other: 160)
    case .roleSet(let role):
      return LogEntry.Facts(mayChangeOwners: true, texts: role.target.textByteCount, other: 160)
    case .revised(let change):
      return LogEntry.Facts(
        needsBudget: true, isTimed: change.follows != nil, isHostChange: true,
        texts: change.textByteCount,
        other: 160 + (change.definition?.encoded?.json.count ?? 0), source: change.sourceByteCount)
    case .settle(let settle):
      return LogEntry.Facts(isHostChange: true, texts: settle.textByteCount, other: 160)
    case .decided(let decided):
      var facts = decided.body.facts(op: op)
      facts.isUndecided = decided.outcome == nil
      return facts
    case .inventory(let news):
      return LogEntry.Facts(
        needsBudget: true, isTimed: true, isNews: true,
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
