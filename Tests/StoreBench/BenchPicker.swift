/// The definition of the measured sessions and the messages of their members.
enum BenchPicker {
  static let creation = """
    {"definition":{"kind":"columns","columns":[["MacOS","Windows","Linux","Ubuntu"],\
    ["Xcode","VSCode","Sublime","Atom"]]}}
    """

  /// A select that always changes the row.
  static func command(ref: Int) -> [UInt8] {
    Array(#"{"type":"select","ref":\#(ref),"column":0,"row":\#(ref % 4),"generation":1}"#.utf8)
  }

  /// Whether a message begins with `{"type":"delta"`; members only receive their own deltas.
  static func isAnswer(_ text: UnsafeRawBufferPointer) -> Bool {
    text.count > 9 && text[9] == UInt8(ascii: "d") && text[10] == UInt8(ascii: "e")
  }

  static func isWelcome(_ text: UnsafeRawBufferPointer) -> Bool {
    text.count > 9 && text[9] == UInt8(ascii: "w")
  }
}
