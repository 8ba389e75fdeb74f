/// The session that is measured, and its members' messages.
enum BenchPicker {
  static let creation = """
    {"definition":{"kind":"columns","columns":[["MacOS","Windows","Linux","Ubuntu"],\
    ["Xcode","VSCode","Sublime","Atom"]]}}
    """

  /// A select that changes the row each time.
  static func command(ref: Int) -> [UInt8] {
    Array(#"{"type":"select","ref":\#(ref),"column":0,"row":\#(ref % 4),"generation":1}"#.utf8)
  }

  /// Whether a message begins with `{"type":"delta"`; each member hears its own deltas only.
  static func isAnswer(_ text: UnsafeRawBufferPointer) -> Bool {
    text.count > 9 && text[9] == UInt8(ascii: "d") && text[10] == UInt8(ascii: "e")
  }

  static func isWelcome(_ text: UnsafeRawBufferPointer) -> Bool {
    text.count > 9 && text[9] == UInt8(ascii: "w")
  }
}
