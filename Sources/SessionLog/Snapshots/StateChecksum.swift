import PickerHub
import PickerModel
import PickerSession

/// A checksum of the visible state of a session: value, rows, status, revision, undo list, members.
///
/// It excludes the members' refs and names, because a compacted log does not contain all, and
/// what members do not see: those that have left, the status changes and the time that was reached.
/// - Source: draft-eastlake-fnv, FNV-1a of 64 bits.
struct StateChecksum {
  private var hash = FNV1aHash()
  var value: Int64 { Int64(bitPattern: hash.value) }

  init(_ state: SessionFold.StoredState, _ picker: Picker) {
    var state = state.withoutRefsAndNames
    state.facts.remembered = RememberedMembers()
    state.facts.statusChangeCount = 0
    (state.facts.statusChangedAt, state.facts.reached) = (.first, .first)
    add(state.tree.serialized())
    add(Array(picker.definition.zone.localDate(at: state.picker.asOf).iso.utf8))
    for column in picker.columns { add(column) }
  }

  init(of fold: SessionFold) { self.init(fold.state, fold.picker) }

  /// Only the first and last row of long columns are added. Changes of zone rules show in hours and
  /// minutes, which are short columns.
  private mutating func add(_ column: ColumnState) {
    let count = column.rows.count
    add(Array("\(count) \(column.selected ?? -1)".utf8))
    let rows = count <= 64 ? Array(0..<count) : [0, count - 1]
    for row in rows { add(Array(column.rows.key(at: row).utf8)) }
  }

  private mutating func add(_ bytes: [UInt8]) {
    hash.add(bytes)
    // A separator, so that "ab", "c" and "a", "bc" differ.
    hash.combine(0x1_00)
  }
}
