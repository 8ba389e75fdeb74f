package import JSONText

/// What a session sees of a key of its inventory; `nil` where there is nothing to say.
///
/// - Source: web/guide/holds.md, "Levels".
package enum KeyLevel: Hashable, Sendable {
  /// It can be had, and so many units are left.
  case few(left: Int)
  /// It cannot be had now, but may come back: others only hold it, or are offered it.
  case held
  /// It cannot be had.
  case gone

  /// Whether the session can have it.
  package var isOpen: Bool { if case .few = self { true } else { false } }

  /// Why it cannot be had; `nil` if it can.
  package var reason: ClampReason? {
    switch self {
    case .few: nil
    case .held: .held
    case .gone: .soldOut
    }
  }
}

extension KeyLevel? {
  package var isOpen: Bool { self?.isOpen ?? true }

  /// The one that says more about a value of both keys: why it cannot be had, or how few are left.
  func worse(_ other: KeyLevel?) -> KeyLevel? {
    switch (self, other) {
    case (.gone, _), (_, .gone): .gone
    case (.held, _), (_, .held): .held
    case (.few(let left), .few(let others)): .few(left: Swift.min(left, others))
    case (let level?, nil), (nil, let level?): level
    case (nil, nil): nil
    }
  }
}

extension KeyLevel {
  /// The members `level` and `left` of a cell or a row.
  package var members: [JSONTree.Member] {
    switch self {
    case .few(let left): [.init("level", .string("few")), .init("left", .integer(left))]
    case .held: [.init("level", .string("held"))]
    case .gone: [.init("level", .string("gone"))]
    }
  }
}

extension JSONWriter {
  /// `,"level":…` and, if few are left, `,"left":…`.
  mutating func level(_ level: KeyLevel?) {
    switch level {
    case nil: return
    case .few(let left):
      literal(",\"level\":\"few\",\"left\":", left)
    case .held: literal(",\"level\":\"held\"")
    case .gone: literal(",\"level\":\"gone\"")
    }
  }
}
