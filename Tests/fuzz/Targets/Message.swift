/// Generates client messages, most of them valid.
enum Message {
  private static let locales = ["en", "zh-Hans", "zh-Hans-CN", "tlh", ""]
  private static let dates = [
    "2026-11-20", "2026-11-24", "2026-12-31", "2026-10-01", "2027-02-29", "0000-00-00",
  ]
  private static let months = ["2026-11", "2026-10", "2026-12", "1999-01", "2026-13"]
  private static let numbers = [0, 1, 2, 3, 5, 41, 42, -1, 1_000_000, Int.max]

  static func join(_ source: inout ByteSource) -> String {
    let locale = source.pick(locales)
    let view =
      source.number(below: 3) == 0 ? #","months":\#(months(&source))"# : ""
    return #"{"type":"join","name":"Ana","locale":"\#(locale)"\#(view)}"#
  }

  static func resume(member: String, secret: String, epoch: String, revision: Int) -> String {
    #"{"type":"join","resume":{"member":"\#(member)","secret":"\#(secret)","#
      + #""epoch":"\#(epoch)","revision":\#(revision)}}"#
  }

  /// A command with its type and fields.
  static func command(_ source: inout ByteSource, ref: Int) -> String {
    #"{"ref":\#(ref),\#(commandFields(&source))}"#
  }

  static func commandFields(_ source: inout ByteSource) -> String {
    switch source.number(below: 12) {
    case 0, 1, 2:
      let column = source.pick(numbers)
      let row = source.pick(numbers)
      let generation = source.pick([1, 1, 2, 3, 4, 0])
      return
        #""type":"select","column":\#(column),"row":\#(row),"generation":\#(generation)"#
    case 3: return #""type":"select","column":0,"row":1,"generation":1,"key":"b""#
    case 4, 5: return #""type":"tap","date":"\#(source.pick(dates))""#
    case 6:
      return #""type":"tap","month":"\#(source.pick(months))","cell":\#(source.pick(numbers))"#
    case 7: return #""type":"clear""#
    case 8: return #""type":"\#(source.pick(["undo", "redo"]))""#
    case 9: return #""type":"\#(source.pick(["confirm", "cancel"]))""#
    case 10: return #""type":"reopen""#
    default: return #""type":"areYouThere""#
    }
  }

  /// A message without a ref.
  static func question(_ source: inout ByteSource) -> String {
    switch source.number(below: 6) {
    case 0: return #"{"type":"leave"}"#
    case 1, 2:
      let view = months(&source)
      return #"{"type":"months",\#(view.dropFirst())"#
    case 3:
      let (column, from, count) = (source.pick(numbers), source.pick(numbers), source.pick(numbers))
      return #"{"type":"rows","column":\#(column),"from":\#(from),"count":\#(count)}"#
    case 4: return #"{"type":"touch","column":\#(source.pick(numbers)),"row":0}"#
    default: return #"{"type":"touch","date":"\#(source.pick(dates))"}"#
    }
  }

  private static func months(_ source: inout ByteSource) -> String {
    #"{"from":"\#(source.pick(months))","count":\#(source.pick(numbers))}"#
  }
}
