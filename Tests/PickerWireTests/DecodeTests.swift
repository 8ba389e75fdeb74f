import CivilTime
import JSONText
import PickerModel
import PickerSession
import Testing

@testable import PickerWire

func decode(_ text: String) throws(BadMessage) -> ClientMessage {
  try ClientMessage.decode(Array(text.utf8).span)
}

/// Whether decoding fails, which closes the connection with 4400.
func isBad(_ text: String) -> Bool {
  do throws(BadMessage) {
    _ = try decode(text)
    return false
  } catch {
    return !error.detail.isEmpty
  }
}

private let november = CivilMonth(year: 2026, month: 11)!
private let day = CivilDate(year: 2026, month: 11, day: 20)!

@Suite struct DecodeTests {
  @Test func `escaped field names are recognised, and unknown ones are ignored`() throws {
    let plain = try decode(#"{"type":"undo","ref":7}"#)
    for text in [
      #"{"ty\u0070e":"undo","r\u0065f":7}"#, #"{ "type" : "undo" , "ref" : 7 }"#,
      #"{"":1,"type ":2,"typ":3,"types":4,"é":5,"type":"undo","ref":7}"#,
      #"{"a name of more than 16 letters":{"type":1},"ref":7,"sixteen letters.":0,"type":"undo"}"#,
    ] { #expect(try decode(text) == plain, "\(text)") }
    for text in [
      #"{"type":"undo","ty\u0070e":"undo","ref":7}"#, #"{"ref":null,"ref":1,"type":"undo"}"#,
      #"{"type""undo","ref":7}"#,
      #"{"type":"undo","ref"#, #"{"type":"undo","ref"}"#, #"{"type":"undo",ref:7}"#,
    ] { #expect(isBad(text), "\(text)") }
  }

  @Test func `an unknown type is truncated to 64 bytes between two characters`() throws {
    let type = "wish" + String(repeating: "日", count: 20_000)

    let message = try decode(#"{"type":"\#(type)","ref":1}"#)

    let cut = "wish" + String(repeating: "日", count: 20)
    #expect(message == .command(ref: 1, .unknown(type: cut)))
  }

  @Test func `a find has a text of 1 to 64 characters, and a limit that is cut to 1 to 100`() throws
  {
    func find(_ fields: String) throws -> FindRequest? {
      guard case .find(let request) = try decode(#"{"type":"find","id":3,"column":1\#(fields)}"#)
      else { return nil }
      return request
    }
    let plain = try #require(try find(#","text":"mün","ref":"x","more":[1]"#))
    #expect((plain.id, plain.column, plain.text, plain.limit) == (3, 1, "mün", 20))
    for (limit, cut) in [(-1, 1), (0, 1), (1, 1), (100, 100), (101, 100), (Int.max, 100)] {
      #expect(try find(#","text":"a","limit":\#(limit)"#)?.limit == cut)
    }
    let longest = String(repeating: "🙂", count: 64)
    #expect(try find(#","text":"\#(longest)""#)?.text == longest)
    for fields in [
      "", #","text":"""#, #","text":7"#, #","text":null"#, #","text":"\#(longest)a""#,
      #","text":"a","limit":null"#, #","text":"a","limit":1.5"#, #","text":"a","limit":"1""#,
      #","text":"a","text":"b""#, #","text":"\ud800""#,
    ] { #expect(isBad(#"{"type":"find","id":3,"column":1\#(fields)}"#), "\(fields)") }
    for fields in [
      #""id":3"#, #""column":3"#, #""id":"3","column":0"#, #""id":3,"column":null"#,
      #""id":0.5,"column":1"#,
    ] { #expect(isBad(#"{"type":"find","text":"a",\#(fields)}"#), "\(fields)") }
  }

  @Test func `a key is truncated to one character more than a definition allows`() throws {
    let long = String(repeating: "é", count: 60_000)

    let message = try decode(
      #"{"type":"select","ref":1,"column":0,"row":0,"generation":0,"key":"\#(long)"}"#)

    let cut = String(repeating: "é", count: 201)
    #expect(
      message == .command(ref: 1, .act(.select(.init(column: 0, row: 0, generation: 0, key: cut)))))
    #expect("e\u{301}a".prefix(scalarCount: 1) == "e")
    #expect("abc".prefix(scalarCount: 3) == "abc")
  }

  @Test func `the member and the secret of an HTTP command are truncated`() throws {
    let long = String(repeating: "m", count: 60_000)

    let request = try CommandRequest(
      Array(#"{"member":"\#(long)","secret":"\#(long)","type":"undo","ref":1}"#.utf8))

    #expect((request.member ?? "").utf8.count == 65 && request.secret.utf8.count == 65)
  }

  @Test func `every field name is recognised`() {
    #expect(MessageFields.Name.allCases.count == 29)
    for name in MessageFields.Name.allCases {
      #expect(MessageFields.Name(JSONName("\(name)".utf8)!) == name)
    }
  }

  @Test func `every command is decoded`() throws {
    let table: [(String, Command)] = [
      (
        #"{"type":"select","ref":7,"column":1,"row":4,"generation":3,"key":"05"}"#,
        .act(.select(.init(column: 1, row: 4, generation: 3, key: "05")))
      ),
      (
        #"{"type":"select","ref":7,"column":-1,"row":-4,"generation":0}"#,
        .act(.select(.init(column: -1, row: -4, generation: 0, key: nil)))
      ),
      (#"{"type":"tap","ref":7,"date":"2026-11-20"}"#, .act(.tap(.date(day)))),
      (#"{"type":"tap","ref":7,"month":"2026-11","cell":19}"#, .act(.tap(.cell(november, 19)))),
      (
        #"{"type":"tap","ref":7,"month":"2026-11","x":0.42,"y":1}"#,
        .act(.tap(.point(november, x: 0.42, y: 1)))
      ),
      (#"{"type":"clear","ref":7}"#, .act(.clear)), (#"{"type":"undo","ref":7}"#, .undo),
      (#"{"type":"redo","ref":7}"#, .redo), (#"{"type":"confirm","ref":7}"#, .confirm),
      (#"{"type":"cancel","ref":7}"#, .cancel), (#"{"type":"reopen","ref":7}"#, .reopen),
      (#"{"type":"wish","ref":7}"#, .unknown(type: "wish")),
    ]

    for (text, command) in table { #expect(try decode(text) == .command(ref: 7, command)) }
  }

  @Test(arguments: ["clear", "undo", "redo", "confirm", "cancel", "reopen"])
  func `a late command is decoded with the revision that its author had applied`(
    type: String
  ) throws {
    guard
      case .command(ref: 7, _, let precondition) = try decode(
        #"{"type":"\#(type)","ref":7,"at":41}"#)
    else { return #expect(Bool(false)) }
    #expect(precondition == .at(41))
    #expect(isBad(#"{"type":"\#(type)","ref":7,"at":"41"}"#))
    #expect(isBad(#"{"type":"\#(type)","ref":7,"at":1.5}"#))
    #expect(isBad(#"{"type":"\#(type)","ref":7,"at":null}"#))
  }

  @Test func `a set is decoded with a whole value, whose other fields are ignored`() throws {
    func set(_ result: String) throws -> ClientMessage {
      try decode(#"{"type":"set","ref":7,"at":41,"result":\#(result)}"#)
    }
    guard
      case .command(ref: 7, .act(.set(let fields)), .at(41)) = try set(
        #"{"local":"2026-12-03T14:20","instant":"2026-12-03T14:20:00+01:00","until":7,"data":{}}"#)
    else { return #expect(Bool(false)) }
    #expect(fields.tree == .object([.init("instant", .string("2026-12-03T13:20:00.000Z"))]))
    for (result, tree) in [
      (#"{"local":"2026-12-03T14:20","yes":null}"#, #"{"local":"2026-12-03T14:20"}"#),
      (#"{"keys":["é","b"]}"#, #"{"keys":["é","b"]}"#), ("{}", "{}"),
      (
        #"{"end":"2026-12-03","start":"2026-12-01","days":3}"#,
        #"{"start":"2026-12-01","end":"2026-12-03"}"#
      ),
    ] {
      guard case .command(ref: 7, .act(.set(let fields)), _) = try set(result) else {
        return #expect(Bool(false))
      }
      #expect(String(decoding: fields.tree.serialized(), as: UTF8.self) == tree)
    }
    for result in [
      "null", "[]", "7", #""2026-11-20""#, #"{"date":"2026-02-30"}"#, #"{"date":null}"#,
      #"{"date":"2026-11-20","date":"2026-11-20"}"#, #"{"local":"2026-12-03T24:00"}"#,
      #"{"local":"2026-12-03T13:20:00Z"}"#, #"{"instant":"2026-12-03T14:20"}"#,
      #"{"instant":"2026-12-03T13:20:00Z","local":1}"#, #"{"keys":"a"}"#, #"{"keys":["a",null]}"#,
      #"{"start":"2026-12-01","end":true}"#,
    ] { #expect(throws: BadMessage.self, "\(result)") { try set(result) } }
    #expect(isBad(#"{"type":"set","ref":7}"#) && isBad(#"{"type":"set","result":{}}"#))
  }

  @Test func `keys of a set are truncated to more than any picker has`() throws {
    let long = String(repeating: "é", count: 300)
    let keys = Array(repeating: "\"\(long)\"", count: 60).joined(separator: ",")
    guard
      case .command(ref: 7, .act(.set(let fields)), nil) = try decode(
        #"{"type":"set","ref":7,"result":{"keys":[\#(keys)]}}"#)
    else { return #expect(Bool(false)) }
    #expect(fields.tree["keys"]?.array?.count == 33)
    #expect(fields.tree["keys"]?.array?[0].string?.unicodeScalars.count == 201)
  }

  @Test func `a select of the host needs no more than column and key`() throws {
    func host(_ fields: String) throws(BadMessage) -> CommandRequest {
      try CommandRequest(Array(#"{"type":"select","column":1\#(fields)}"#.utf8))
    }
    let byKey = Command.act(.select(.init(column: 1, row: 0, generation: 0, key: "05")))
    #expect(try host(#","key":"05""#).command == byKey)
    #expect(
      try host(#","key":"05","row":4,"generation":3"#).command
        == .act(.select(.init(column: 1, row: 4, generation: 3, key: "05"))))
    for fields in ["", #","key":5"#, #","key":null"#, #","row":4"#, #","key":"05","row":4"#] {
      #expect(throws: BadMessage.self, "\(fields)") { try host(fields) }
    }
    let member = #","key":"05","member":"m","secret":"s","ref":1"#
    #expect(throws: BadMessage.self) { try host(member) }
  }

  @Test func `a tap is decoded with the hits that its author saw`() throws {
    let tap = ClientMessage.command(ref: 7, .act(.tap(.date(day))), .hits(2))
    #expect(try decode(#"{"type":"tap","ref":7,"date":"2026-11-20","hits":2}"#) == tap)
    #expect(isBad(#"{"type":"tap","ref":7,"date":"2026-11-20","hits":true}"#))
    let select = #"{"type":"select","ref":7,"column":0,"row":1,"generation":1"#
    #expect(try decode(select + #","hits":"?","at":{}}"#) == decode(select + "}"))
  }

  @Test func `a name of a rename has 1 to 64 characters`() throws {
    let longest = String(repeating: "é", count: 64)
    #expect(
      try decode(#"{"type":"rename","ref":7,"name":"\#(longest)"}"#)
        == .command(ref: 7, .rename(longest)))
    for name in [#""""#, #""  ""#, #""\#(longest)x""#, "7", "null"] {
      #expect(isBad(#"{"type":"rename","ref":7,"name":\#(name)}"#), "\(name)")
    }
    #expect(isBad(#"{"type":"rename","ref":7}"#) && isBad(#"{"type":"rename","name":"Mia"}"#))
  }

  @Test func `every message without a ref is decoded`() throws {
    let table: [(String, ClientMessage)] = [
      (#"{"type":"months","from":"2026-11","count":3}"#, .months(.init(from: november, count: 3))),
      (
        #"{"type":"rows","column":0,"from":400,"count":100}"#,
        .rows(column: 0, from: 400, count: 100)
      ),
      (#"{"type":"touch","column":1,"row":4}"#, .touch(.row(column: 1, row: 4))),
      (#"{"type":"touch","date":"2026-11-20"}"#, .touch(.date(day))),
      (
        #"{"type":"touch","column":1,"row":4,"hover":true}"#,
        .touch(.row(column: 1, row: 4, isHover: true))
      ),
      (
        #"{"type":"touch","date":"2026-11-20","hover":true}"#,
        .touch(.date(day, isHover: true))
      ),
      (#"{"type":"touch","date":"2026-11-20","hover":false}"#, .touch(.date(day))),
      (#"{"type":"touch","hover":true}"#, .touch(.lifted)),
      (#"{"type":"touch"}"#, .touch(.lifted)), (#"{"type":"leave"}"#, .leave),
      (#"{"type":"wish"}"#, .ignored), (#"{"type":"wish","ref":"7"}"#, .ignored),
    ]

    for (text, message) in table { #expect(try decode(text) == message) }
  }

  @Test func `a join is decoded with all fields and with none`() throws {
    var join = ClientMessage.Join()
    #expect(try decode(#"{"type":"join"}"#) == .join(join))

    join.name = "Ada"
    join.locale = "zh-Hans"
    join.token = "t"
    join.months = MonthView(from: november, count: 3)
    join.resume = .init(member: "m_1", secret: "s", epoch: "e", revision: 41)
    let text =
      #"{"type":"join","name":"Ada","locale":"zh-Hans","token":"t","#
      + #""months":{"from":"2026-11","count":3},"#
      + #""resume":{"member":"m_1","secret":"s","epoch":"e","revision":41}}"#
    #expect(try decode(text) == .join(join))
  }

  @Test func `unknown fields are ignored with any value`() throws {
    let text = #"{"new":{"a":[1,{"b":null}]},"type":"undo","ref":1,"also":[],"x":true}"#

    #expect(try decode(text) == .command(ref: 1, .undo))
  }

  @Test func `an optional field that is null is ill-typed, and one of another message is ignored`()
    throws
  {
    for fields in [
      #""type":"join","name":null"#, #""type":"join","months":null"#,
      #""type":"join","resume":null"#, #""type":"tap","ref":1,"date":"2026-11-20","hits":null"#,
      #""type":"tap","ref":1,"date":null,"month":"2026-11","cell":3"#,
      #""type":"confirm","ref":1,"cell":null"#, #""type":"touch","date":null"#,
      #""type":"touch","column":1,"row":4,"hover":null"#,
    ] { #expect(isBad("{\(fields)}"), "\(fields)") }
    #expect(try decode(#"{"type":"undo","ref":7,"name":null}"#) == .command(ref: 7, .undo))
    #expect(
      try decode(#"{"type":"select","ref":1,"column":0,"row":0,"generation":1,"key":null}"#)
        == .selectWithBadKey(
          ref: 1, .act(.select(.init(column: 0, row: 0, generation: 1, key: nil)))))
    #expect(isBad(#"{"type":"undo","ref":null}"#))
  }

  @Test func `escapes and text of any script are decoded`() throws {
    #expect(
      try decode(#"{"type":"\u006ain","ref":1}"#) == .command(ref: 1, .unknown(type: "jin")))
    var join = ClientMessage.Join()
    join.name = "😀é"
    #expect(try decode(#"{"type":"join","name":"\ud83d\ude00é"}"#) == .join(join))
  }

  @Test(arguments: [
    "", " ", "[]", "7", "null", #""undo""#, "{", #"{"type":"undo","ref":1"#, #"{"ref":1}"#,
    #"{"type":"undo","ref":1}{}"#, #"{"type":"undo","ref":1,}"#, #"{'type':'undo'}"#,
    #"{"type":"undo","ref":01}"#, #"{"type":"undo","ref":+1}"#, "{\"type\":\"un\tdo\"}",
  ])
  func `anything but a JSON object is rejected`(text: String) { #expect(isBad(text)) }

  @Test(arguments: [
    #"{"type":7,"ref":1}"#, #"{"type":"undo"}"#, #"{"type":"undo","ref":1.0}"#,
    #"{"type":"undo","ref":1e2}"#, #"{"type":"undo","ref":"1"}"#, #"{"type":"undo","ref":[1]}"#,
    #"{"type":"undo","ref":9007199254740992}"#, #"{"type":"undo","ref":99999999999999999999}"#,
    #"{"type":"select","ref":1,"column":0,"row":0}"#,
    #"{"type":"select","ref":1,"column":"0","row":0,"generation":1}"#,
    #"{"type":"tap","ref":1}"#, #"{"type":"tap","ref":1,"date":"2026-02-30"}"#,
    #"{"type":"tap","ref":1,"date":"2026-2-3"}"#, #"{"type":"tap","ref":1,"date":20261120}"#,
    #"{"type":"tap","ref":1,"month":"2026-13","cell":1}"#,
    #"{"type":"tap","ref":1,"month":"2026-11"}"#,
    #"{"type":"tap","ref":1,"month":"2026-11","x":0.1}"#,
    #"{"type":"months","from":"2026-11"}"#, #"{"type":"months","from":11,"count":1}"#,
    #"{"type":"rows","column":0,"from":0}"#, #"{"type":"touch","column":1}"#,
    #"{"type":"touch","date":"today"}"#, #"{"type":"join","months":3}"#,
    #"{"type":"touch","date":"2026-11-20","hover":1}"#,
    #"{"type":"join","months":{"from":"2026-11"}}"#, #"{"type":"join","resume":{"member":"m"}}"#,
    #"{"type":"join","resume":"m"}"#,
  ])
  func `a missing or ill-typed required field is rejected`(text: String) { #expect(isBad(text)) }

  @Test(arguments: [
    #"{"type":"undo","type":"undo","ref":1}"#, #"{"type":"undo","ref":1,"ref":1}"#,
    #"{"type":"join","months":{"from":"2026-11","count":1,"count":2}}"#,
    #"{"type":"undo","ref":null,"ref":1}"#, #"{"type":"undo","ref":1,"ref":null}"#,
  ])
  func `a duplicate field is rejected`(text: String) { #expect(isBad(text)) }

  @Test(arguments: [#"\ud800"#, #"\ud83dx"#, #"\ud83d\u0041"#, #"\ude00"#])
  func `a lone surrogate is rejected`(escape: String) {
    #expect(isBad(#"{"type":"join","name":"\#(escape)"}"#))
    #expect(isBad(#"{"type":"join","unknown":"\#(escape)"}"#))
  }

  @Test func `nesting of 64 levels is accepted, of 65 rejected`() throws {
    func nested(_ depth: Int) -> String {
      let brackets =
        String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1)
      return #"{"type":"undo","ref":1,"deep":\#(brackets)}"#
    }

    #expect(try decode(nested(64)) == .command(ref: 1, .undo))
    #expect(isBad(nested(65)))
  }

  @Test(arguments: [
    #"{"type":"tap","ref":601,"date":"2026-01-20"}"#,
    #"{"type":"tap","date":"2026-11-03","hits":4,"ref":1}"#,
    #"{"type":"select","ref":12,"column":0,"row":103,"generation":1,"key":"a key of 17 bytes"}"#,
    #"{"ref":999999999,"type":"undo"}"#, #"{"type":"months","from":"2026-11","count":2}"#,
    #"{"type":"confirm","ref":0,"cell":7,"generation":10}"#, #"{"type":"unheard of type","ref":1}"#,
  ])
  func `texts with and without white space are read alike, whatever a byte of them is`(
    text: String
  ) {
    // White space before a text takes the general way.
    func outcome(_ text: [UInt8]) -> ClientMessage? { try? ClientMessage.decode(text.span) }
    let bytes = Array(text.utf8)
    #expect(outcome(bytes) != nil)
    for place in bytes.indices {
      var shorter = bytes
      shorter.remove(at: place)
      #expect(outcome(shorter) == outcome([0x20] + shorter))
      #expect(outcome(Array(bytes[..<place])) == outcome([0x20] + bytes[..<place]))
      for byte in #""\:,{}[]01e-.nt x"#.utf8 + [0, 0x1F, 0x7F] {
        var other = bytes
        other[place] = byte
        #expect(outcome(other) == outcome([0x20] + other))
        other.insert(bytes[place], at: place)
        #expect(outcome(other) == outcome([0x20] + other))
      }
    }
  }
}
