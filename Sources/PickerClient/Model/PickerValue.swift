import CivilTime
import JSONText

/// A whole value of a picker, for ``PickerCommand/set(_:)``: a typed date, the first free time, or
/// what was chosen elsewhere.
///
/// ```swift
/// try await picker.set(.day(PickerDay("2026-11-20")!))
/// try await picker.set(.local("2026-12-03T14:20"))
/// if let result = other.state.result { try await picker.set(PickerValue(result)) }
/// ```
///
/// The server refuses a value of another kind of picker with ``RefusalCode/wrongKind``, and one
/// that a select or a tap would correct with the reason of that correction. An `availability` has
/// no such value: its members mark.
public enum PickerValue: Hashable, Sendable {
  /// The value of a `date` picker, or of a calendar that selects single days.
  case day(PickerDay)
  /// The value of a `slot` picker, in the session's local time: `2026-12-03T14:20`.
  case local(String)
  /// The value of a `slot` picker as an instant, in RFC 3339: `2026-12-03T13:20:00Z`.
  case instant(String)
  /// The values of `cascade` and `columns`: one key per column that has rows.
  case keys([String])
  /// The value of a calendar that selects ranges or stays: its first and last day, or the days of
  /// arrival and departure.
  case range(PickerDay, PickerDay)

  public init(_ result: PickerResult) {
    switch result {
    case .day(let day): self = .day(day)
    case .slot(let local): self = .local(local)
    case .keys(let keys): self = .keys(keys)
    case .days(let start, let end), .nights(let start, let end): self = .range(start, end)
    }
  }
}

extension PickerValue {
  /// The bytes of all keys that surely fit into a message, however they are escaped.
  private static let keyBytesMax = 10_000

  /// Whether the server accepts the value's message: times are times, and it is not too long.
  package var isValid: Bool {
    switch self {
    case .day, .range: true
    case .local(let local):
      local.utf8.count == 16 && local.utf8.dropFirst(10).first == UInt8(ascii: "T")
        && Instant(rfc3339: (local + ":00Z").utf8) != nil
    case .instant(let instant): Instant(rfc3339: instant.utf8) != nil
    case .keys(let keys): keys.reduce(0) { $0 + $1.utf8.count + 1 } <= Self.keyBytesMax
    }
  }

  /// The number of hits of a calendar's range with this value.
  package var hits: Int { if case .range = self { 2 } else { 1 } }

  /// The fields by which a `set` names the value.
  var fields: JSONTree {
    switch self {
    case .day(let day): .object([.init("date", .string(day.iso))])
    case .local(let local): .object([.init("local", .string(local))])
    case .instant(let instant): .object([.init("instant", .string(instant))])
    case .keys(let keys): .object([.init("keys", .array(keys.map(JSONTree.string)))])
    case .range(let start, let end):
      .object([.init("start", .string(start.iso)), .init("end", .string(end.iso))])
    }
  }

  /// The keys of the rows that the value selects; `nil` if it does not say.
  var rowKeys: [String]? {
    switch self {
    case .day(let day): day.iso.split(separator: "-").map(String.init)
    case .local(let local):
      isValid
        ? [String(local.prefix(10)), String(local.dropFirst(11).prefix(2)), String(local.suffix(2))]
        : nil
    case .instant, .range: nil
    case .keys(let keys): keys
    }
  }
}
