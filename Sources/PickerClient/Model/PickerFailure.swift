/// Why a command failed.
///
/// ```swift
/// do throws(PickerFailure) {
///   try await picker.tap(PickerDay("2026-11-20")!)
/// } catch {
///   switch error {
///   case .refused(.blocked, _, _): show("This day is not available.")
///   case .refused(_, let detail, _): log(detail)
///   case .offline: show("There is no connection.")
///   case .replaced, .lost, .unknownRow, .badName, .badCells, .badValue, .cancelled: break
///   }
/// }
/// ```
public enum PickerFailure: Error, Hashable, Sendable {
  /// The server refused the command, which changed nothing. `detail` is a sentence for developers,
  /// `params` has facts for a text in the user's language.
  case refused(RefusalCode, detail: String, params: RefusalParams = RefusalParams())
  /// There is no connection, and the command was not queued: its effect would depend on commands of
  /// others in the meantime, or the queue is full, or the session has ended.
  case offline
  /// A later select of the same column replaced this one before it was sent.
  case replaced
  /// The command was sent, but the server has forgotten the member or the session's history since.
  /// Whether it was executed is unknown.
  case lost
  /// There is no such column or row, or the row is not loaded. Nothing was sent.
  case unknownRow
  /// A name must have 1 … 64 characters, and not only spaces. Nothing was sent.
  case badName
  /// A mark must have 1 … 64 runs of cells, ascending and without overlaps. Nothing was sent.
  case badCells
  /// A ``PickerValue`` must be a time in the form of its case, or keys of at most 10,000 bytes, and
  /// the text of a search have 1 … 64 characters. Nothing was sent.
  case badValue
  /// The task that awaited the answer was cancelled. The command can have been executed
  /// nevertheless.
  case cancelled
}

/// The facts of a refusal.
///
/// ```swift
/// if case .refused(.stale, _, let params, _) = notice {
///   let name = state.member(params.by)?.name ?? "Somebody"
///   show("\(name) has changed it. Confirm what is there now?")
/// }
/// ```
public struct RefusalParams: Hashable, Sendable {
  /// With ``RefusalCode/stale``: the revision of the change that the user had not seen; `nil` if it
  /// is not in the session's history.
  public let revision: Int?
  /// With ``RefusalCode/stale``: the id of the member that made this change; `nil` if time or the
  /// host made it, or ``revision`` is `nil`.
  public let by: String?

  public init(revision: Int? = nil, by: String? = nil) {
    self.revision = revision
    self.by = by
  }
}

/// The code of a refusal. A newer server can send codes that are not listed here.
///
/// - Source: web/guide/README.md, "Refusals".
public struct RefusalCode: RawRepresentable, Hashable, Sendable {
  public let rawValue: String

  public init(rawValue: String) { self.rawValue = rawValue }

  public static let oldRef = RefusalCode(rawValue: "oldRef")
  public static let unknownType = RefusalCode(rawValue: "unknownType")
  /// The connection sends too many messages per second. The command can be sent again later.
  public static let tooMany = RefusalCode(rawValue: "tooMany")
  /// The log of the session has reached its maximum size, so the session cannot be changed; or the
  /// store of the server has, so no session can; or an availability has as many respondents as it
  /// may have.
  public static let full = RefusalCode(rawValue: "full")
  /// The member's role does not allow it.
  public static let notAllowed = RefusalCode(rawValue: "notAllowed")
  /// The command does not apply to this kind of picker: a tap on columns, or a select on a
  /// calendar.
  public static let wrongKind = RefusalCode(rawValue: "wrongKind")
  /// The session is confirmed or cancelled.
  public static let notOpen = RefusalCode(rawValue: "notOpen")
  /// The host decides on a confirmation.
  public static let confirming = RefusalCode(rawValue: "confirming")
  /// Somebody else has changed the value or the status since the user gave the command. It does not
  /// apply to what is there now; the user may give it again. See ``RefusalParams``.
  public static let stale = RefusalCode(rawValue: "stale")
  public static let noSuchColumn = RefusalCode(rawValue: "noSuchColumn")
  public static let staleColumn = RefusalCode(rawValue: "staleColumn")
  public static let noSuchRow = RefusalCode(rawValue: "noSuchRow")
  public static let outsideMonths = RefusalCode(rawValue: "outsideMonths")
  public static let noSuchCell = RefusalCode(rawValue: "noSuchCell")
  public static let otherMonth = RefusalCode(rawValue: "otherMonth")
  public static let beforeMin = RefusalCode(rawValue: "beforeMin")
  public static let afterMax = RefusalCode(rawValue: "afterMax")
  public static let blocked = RefusalCode(rawValue: "blocked")
  /// Another member has begun a range, and only that member may end it now.
  public static let tapClaimed = RefusalCode(rawValue: "tapClaimed")
  public static let minDays = RefusalCode(rawValue: "minDays")
  /// Of a set, as ``noArrival`` and the following three: a tap is corrected instead.
  public static let maxDays = RefusalCode(rawValue: "maxDays")
  public static let noArrival = RefusalCode(rawValue: "noArrival")
  public static let noDeparture = RefusalCode(rawValue: "noDeparture")
  public static let maxNights = RefusalCode(rawValue: "maxNights")
  public static let minNights = RefusalCode(rawValue: "minNights")
  /// The marks of an availability cannot be changed any more.
  public static let closed = RefusalCode(rawValue: "closed")
  public static let noSuchGrade = RefusalCode(rawValue: "noSuchGrade")
  /// The cells of an availability were numbered anew.
  public static let staleCells = RefusalCode(rawValue: "staleCells")
  public static let past = RefusalCode(rawValue: "past")
  /// The member would have too many runs of equal marks.
  public static let tooManyRuns = RefusalCode(rawValue: "tooManyRuns")
  public static let nothingToUndo = RefusalCode(rawValue: "nothingToUndo")
  public static let notComplete = RefusalCode(rawValue: "notComplete")
  public static let elapsed = RefusalCode(rawValue: "elapsed")
}

extension RefusalCode: CustomStringConvertible {
  public var description: String { rawValue }
}
