/// Why a command was not done.
public enum PickerFailure: Error, Hashable, Sendable {
  /// The server says no; nothing changed by it. `detail` is a sentence for a developer.
  case refused(RefusalCode, detail: String)
  /// There is no connection, and this command does not wait for one: what it would do depends on
  /// what others do meanwhile. Or it is over, or too many wait.
  case offline
  /// A later select of the same column took its place before it was sent.
  case replaced
  /// It was sent, and then the server did not know us any more: nobody can say.
  case lost
  /// There is no such column, or no such row is known here; nothing was sent.
  case unknownRow
  /// The task that waited was cancelled. The command may be done nevertheless.
  case cancelled
}

/// Why a server refuses, in the protocol's words; a newer server may have further ones.
///
/// - Source: protocol.md, "Refusals".
public struct RefusalCode: RawRepresentable, Hashable, Sendable {
  public let rawValue: String

  public init(rawValue: String) { self.rawValue = rawValue }

  public static let oldRef = RefusalCode(rawValue: "oldRef")
  public static let unknownType = RefusalCode(rawValue: "unknownType")
  /// Over the rate of messages: later it may be done.
  public static let tooMany = RefusalCode(rawValue: "tooMany")
  /// The log of the session has reached its maximum of bytes.
  public static let full = RefusalCode(rawValue: "full")
  /// The member's role does not allow it.
  public static let notAllowed = RefusalCode(rawValue: "notAllowed")
  /// A tap for wheels, or a select for a calendar.
  public static let wrongKind = RefusalCode(rawValue: "wrongKind")
  /// The session is confirmed or cancelled.
  public static let notOpen = RefusalCode(rawValue: "notOpen")
  public static let noSuchColumn = RefusalCode(rawValue: "noSuchColumn")
  public static let staleColumn = RefusalCode(rawValue: "staleColumn")
  public static let noSuchRow = RefusalCode(rawValue: "noSuchRow")
  public static let outsideMonths = RefusalCode(rawValue: "outsideMonths")
  public static let noSuchCell = RefusalCode(rawValue: "noSuchCell")
  public static let otherMonth = RefusalCode(rawValue: "otherMonth")
  public static let beforeMin = RefusalCode(rawValue: "beforeMin")
  public static let afterMax = RefusalCode(rawValue: "afterMax")
  public static let blocked = RefusalCode(rawValue: "blocked")
  /// Somebody else has begun a range.
  public static let tapClaimed = RefusalCode(rawValue: "tapClaimed")
  public static let minDays = RefusalCode(rawValue: "minDays")
  public static let nothingToUndo = RefusalCode(rawValue: "nothingToUndo")
  public static let notComplete = RefusalCode(rawValue: "notComplete")
  public static let elapsed = RefusalCode(rawValue: "elapsed")
}

extension RefusalCode: CustomStringConvertible {
  public var description: String { rawValue }
}
