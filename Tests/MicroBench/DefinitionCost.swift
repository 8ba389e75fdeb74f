import AllocationCount
import CivilTime
import JSONText
import PickerModel
import PickerWire

/// What a definition of 20,000 rows costs, wherever it is made, shown and freed.
struct DefinitionCost {
  let name: String
  /// Parsing its document, and freeing the parsed one.
  let parse: Cost
  /// Making it from its parsed document.
  let make: Cost
  /// Encoding all its rows as JSON.
  let encode: Cost
  /// Encoding 200 rows, as a welcome has them.
  let window: Cost
  let free: Cost
  /// The memory that it takes, and the estimate of it.
  let bytes: (measured: Int, estimated: Int)

  static func all() throws -> [DefinitionCost] {
    try [
      DefinitionCost("a tree of 141 × 140 rows", BenchKind.sizes[1].1.definition),
      DefinitionCost("columns with short keys", HostRequest.columns(20_000, 0)),
      DefinitionCost("columns with long keys", longColumns(20_000)),
      DefinitionCost("a tree of 3,600 short texts", texts(3_600, 0)),
      DefinitionCost("a tree of 20,000 short texts", texts(20_000, 0)),
      DefinitionCost("a tree of 3,600 texts of 40 bytes", texts(3_600, 40)),
      DefinitionCost("a tree of 20,000 texts of 170 bytes", texts(20_000, 170)),
    ]
  }

  private static func longColumns(_ size: Int) -> String {
    let rows = (0..<size).map {
      #"{"key":"the key of the row \#($0)","text":"the text of the row \#($0)"}"#
    }
    return #"{"kind":"columns","columns":[[\#(rows.joined(separator: ","))]]}"#
  }

  private static func texts(_ size: Int, _ length: Int) -> String {
    let filler = String(repeating: "x", count: length)
    let rows = (0..<size).map { #"{"text":"\#(("\($0)-" + filler).prefix(max(length, 8)))"}"# }
    return #"{"kind":"cascade","nodes":[\#(rows.joined(separator: ","))]}"#
  }

  private init(_ name: String, _ text: String) throws {
    self.name = name
    let bytes = Array(text.utf8)
    let tree = try JSONTree.parse(bytes)
    let zone = { (_: String) in nil as ZoneRules? }
    let made = try Definition.make(from: tree, zone: zone)
    let picker = try Picker(made, now: BenchHub.time.session)
    parse = Cost.measure(count: 1) {
    } run: {
      _ = try? JSONTree.parse(bytes)
    }
    make = Cost.measure(count: 1) {
    } run: {
      // Kept, so that freeing it is not measured.
      last = try? Definition.make(from: tree, zone: zone)
    }
    last = nil
    encode = Cost.measure(count: 1) {
    } run: {
      keep(made.fullJSON)
    }
    window = Cost.measure(count: 1) {
    } run: {
      keep(HTTPDocument.check(picker, texts: EnglishTexts(), windowRows: 200))
    }
    free = Cost.measure(count: 1) {
      // Of a tree of its own, whose strings it does not share then.
      last = (try? JSONTree.parse(bytes)).flatMap { try? Definition.make(from: $0, zone: zone) }
    } run: {
      last = nil
    }
    count_bytes(true)
    let before = allocated_bytes()
    last = (try? JSONTree.parse(bytes)).flatMap { try? Definition.make(from: $0, zone: zone) }
    self.bytes = (Int(allocated_bytes() - before), last?.byteCount ?? 0)
    count_bytes(false)
    // Freed before, they would be subtracted.
    withExtendedLifetime((bytes, tree, made)) {}
  }
}

/// The last definition that was made, which is freed by a measurement.
private nonisolated(unsafe) var last: Definition?
