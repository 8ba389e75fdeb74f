import JSONText
import PickerModel
import PickerSession

extension InventoryCommand {
  /// Reads the fields of a `wait`: 1 … 366 keys.
  init(waiting fields: inout MessageFields, _ text: Span<UInt8>) throws(BadMessage) {
    let wanted = "an array of 1 to \(Picker.keyCountMax) strings"
    guard let elements = try fields.array(.keys, text), !elements.isEmpty,
      elements.count <= Picker.keyCountMax
    else { throw BadMessage("keys must be \(wanted)", pointer: "/keys") }
    var keys: [String] = []
    for (index, element) in elements.enumerated() {
      guard let key = element.string, !key.isEmpty else {
        throw BadMessage("keys must be \(wanted)", pointer: "/keys/\(index)")
      }
      keys.append(key.prefix(utf8Count: InventoryCommand.keyBytesMax + 1))
    }
    self = .wait(keys)
  }

  /// The maximum length of a key in bytes: longer ones are none of a value.
  private static let keyBytesMax = 4096
}
