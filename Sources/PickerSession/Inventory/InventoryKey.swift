package import CivilTime
package import PickerModel

/// The keys of an inventory: what has units.
///
/// - Source: web/guide/holds.md, "Keys".
package enum InventoryKey {
  /// The maximum of keys of a value, a booking or a place in the line.
  package static let countMax = 366
  /// The maximum size of a key. A value with a longer one cannot be had.
  package static let byteCountMax = 1000

  /// Whether pickers of a kind can have an inventory.
  package static func isFor(_ kind: PickerKind) -> Bool {
    switch kind {
    case .calendar, .slot, .cascade: true
    case .date, .columns, .availability: false
    }
  }

  /// Whether a text has the form of a kind's keys: a date, an instant in UTC with seconds, or the
  /// keys of a path, joined with `/`, in which `~` is `~0` and `/` is `~1`.
  package static func isKey(_ text: String, of kind: PickerKind) -> Bool {
    guard (1...byteCountMax).contains(text.utf8.count) else { return false }
    switch kind {
    case .calendar: return CivilDate(iso: text.utf8) != nil
    case .slot: return Instant(rfc3339: text.utf8)?.rfc3339Seconds.isExactly(text) ?? false
    case .cascade: return isPath(text)
    case .date, .columns, .availability: return false
    }
  }

  private static func isPath(_ text: String) -> Bool {
    text.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
      !part.isEmpty
        && part.split(separator: "~", omittingEmptySubsequences: false).dropFirst().allSatisfy {
          $0.first == "0" || $0.first == "1"
        }
    }
  }

  /// What a key of a kind looks like, for error details.
  package static func example(of kind: PickerKind) -> String {
    switch kind {
    case .slot: "an instant such as 2026-11-23T09:00:00Z"
    case .cascade: "a path such as europe/italy"
    case .calendar, .date, .columns, .availability: "a date such as 2026-12-24"
    }
  }
}
