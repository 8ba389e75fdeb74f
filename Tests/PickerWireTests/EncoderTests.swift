import CivilTime
import JSONText
import Testing

@testable import PickerModel
@testable import PickerSession
@testable import PickerWire

private let noon = Instant(rfc3339: "2026-11-20T12:00:00Z".utf8)!
private let ana = MemberID("m_Ana")
private let bo = MemberID("m_Bo")

private func makeSession(_ definition: String) throws -> Session {
  let made = try Definition.make(from: try JSONTree.parse(Array(definition.utf8))) { _ in .utc }
  let origin = SessionOrigin(id: SessionID("s"), epoch: "e", definition: made, createdAt: noon)
  let session = Session(try SessionFold(origin))
  for (number, member) in [ana, bo].enumerated() {
    let joining = LogEntry.Joining(
      member: member, secret: SecretHash([]), name: number == 0 ? "Ana" : "Bo \"B\"", role: nil)
    _ = session.apply(LogEntry(at: noon, body: .joined(joining)))
  }
  let listener = Listener(
    connection: ConnectionID(raw: 1), member: ana, language: 0, view: nil)
  _ = session.attach(listener)
  return session
}

extension Session {
  fileprivate func give(_ ref: Int, _ command: Command) -> [Effect] {
    apply(LogEntry(at: noon, body: .command(ana, ref: ref, command)))
  }
}

private func text(_ frame: Frame) -> String { String(decoding: frame.bytes, as: UTF8.self) }

private let letters = #"{"kind":"columns","columns":[["a","b\n"],["x"]]}"#
private let calendar =
  #"{"kind":"calendar","weeks":"fit","months":{"from":"2026-11","through":"2026-11"}}"#

private let people =
  ##"[{"id":"m_Ana","name":"Ana","role":"owner","color":"#d1495b","online":true},"##
  + ##"{"id":"m_Bo","name":"Bo \"B\"","role":"editor","color":"#2e86ab","online":false}]"##

private let lettersSnapshot =
  #"{"definition":{"kind":"columns","timeZone":"UTC","locale":"en"},"version":1,"#
  + #""status":"open","result":{"keys":["a","x"]},"columns":[{"generation":1,"count":2,"from":0,"#
  + #""rows":[{"key":"a","text":"a"},{"key":"b\n","text":"b\n"}],"row":0},"#
  + #"{"generation":1,"count":1,"from":0,"rows":[{"key":"x","text":"x"}],"row":0}]}"#

@Suite struct EncoderTests {
  private let encoder = MessageEncoder(limits: ServerLimits())
  private let texts = EnglishTexts()

  @Test func `a welcome has the member, the members and the snapshot`() throws {
    let session = try makeSession(letters)
    let member = session.fold.members[ana]!

    let frame = encoder.welcome(
      member, secret: "s3", in: session, resumedAt: nil, texts: texts, now: noon)

    #expect(
      text(frame)
        == #"{"type":"welcome","member":{"id":"m_Ana","secret":"s3","name":"Ana","role":"owner","#
        + ##""color":"#d1495b"},"ref":0,"locale":"en","epoch":"e","revision":0,"##
        + #""resumed":false,"snapshot":"#
        + lettersSnapshot + #","members":"# + people
        + #","now":"2026-11-20T12:00:00.000Z","limits":{"messageBytes":65536,"months":24,"#
        + #""rows":500,"windowRows":200,"joinMilliseconds":10000,"memberMilliseconds":120000,"#
        + #""refs":256,"undo":100,"history":1000,"members":1000,"messagesPerSecond":50,"runs":400}}"#
    )
  }

  @Test func `a welcome has the member's greatest ref and the locale of its texts`() throws {
    let session = try makeSession(letters)
    _ = session.give(77, .undo)
    _ = session.give(3, .undo)

    let frame = encoder.welcome(
      session.fold.members[ana]!, secret: "s3", in: session, resumedAt: 0,
      texts: SimplifiedChineseTexts(), now: noon)
    #expect(text(frame).contains(#""},"ref":77,"locale":"zh-Hans","epoch":"e""#))

    let watching = encoder.welcome(
      nil, secret: "", in: session, resumedAt: 0, texts: texts, now: noon)
    #expect(text(watching).hasPrefix(#"{"type":"welcome","locale":"en","epoch":"e""#))
  }

  @Test func `the welcome of a resumed member has its revision and no snapshot`() throws {
    let session = try makeSession(letters)

    let frame = encoder.welcome(
      session.fold.members[ana]!, secret: "s3", in: session, resumedAt: 41, texts: texts, now: noon)

    #expect(text(frame).contains(#""revision":41,"resumed":true,"members":["#))
    #expect(!text(frame).contains("snapshot"))
  }

  @Test func `a snapshot message repeats the status of its snapshot`() throws {
    let session = try makeSession(letters)

    #expect(
      text(encoder.snapshot(of: session, texts: texts, now: noon))
        == #"{"type":"snapshot","revision":0,"status":"open","snapshot":"# + lettersSnapshot
        + #","members":"# + people + #","now":"2026-11-20T12:00:00.000Z"}"#)
  }

  @Test func `copies of a delta differ only in ref and bands`() throws {
    let session = try makeSession(letters)
    guard
      case .delta(let delta)? = session.give(
        7,
        .act(
          .select(
            .init(column: 0, row: 1, generation: 1, key: nil)))
      ).first
    else {
      Issue.record("the select was not broadcast")
      return
    }

    let encoded = encoder.encode(delta, texts: texts)

    let changes =
      #""by":"m_Ana","at":"2026-11-20T12:00:00.000Z","changes":[{"change":"row","column":0,"#
      + #""row":1,"key":"b\n","text":"b\n","cause":"select"}"#
    let result = #",{"change":"result","result":{"keys":["b\n","x"]}}"#
    #expect(
      text(encoder.frame(encoded, ref: 7)) == #"{"type":"delta","revision":1,"ref":7,"#
        + changes + result + "]}")
    // Bands differ between copies, but the result is always last.
    let bands = #",{"b":1}"#
    let copy = #"{"type":"delta","revision":1,"# + changes + bands + result + "]}"
    #expect(text(encoder.frame(encoded, ref: nil, bands: Array(bands.utf8))) == copy)
    #expect(
      text(encoder.frame(of: delta, ref: nil, bands: Array(bands.utf8), texts: texts)) == copy)
    #expect(encoder.deltaEncodeCount == 2)
  }

  @Test func `a frame that somebody has is not filled again`() throws {
    let session = try makeSession(letters)
    func delta(_ ref: Int, row: Int) throws -> Delta? {
      let effects = session.give(
        ref, .act(.select(.init(column: 0, row: row, generation: 1, key: nil))))
      guard case .delta(let delta)? = effects.first else { return nil }
      return delta
    }
    let (first, second) = (try #require(try delta(1, row: 1)), try #require(try delta(2, row: 0)))
    let kept = encoder.frame(encoder.encode(first, texts: texts), ref: nil)
    let before = text(kept)

    let other = text(encoder.frame(encoder.encode(second, texts: texts), ref: nil))

    #expect(text(kept) == before)
    #expect(other == text(encoder.frame(encoder.encode(second, texts: texts), ref: nil)))
    #expect(other.contains(#""revision":2"#))
  }

  @Test func `a delta may have only a result`() throws {
    let delta = Delta(
      revision: 4, at: noon,
      change: .picker([], tappedBy: nil), notes: nil, result: .null)

    #expect(
      text(encoder.frame(encoder.encode(delta, texts: texts), ref: nil)).hasSuffix(
        #""changes":[{"change":"result","result":null}]}"#))
  }

  @Test(arguments: [
    (PickerResult.null, "null"), (.date(["2018", "07", "25"]), #"{"date":"2018-07-25"}"#),
    (
      .slot(
        ["2018-11-23", "10", "20"], Instant(rfc3339: "2018-11-23T02:20:00Z".utf8)!,
        until: Instant(rfc3339: "2018-11-23T03:00:00Z".utf8)!),
      #"{"local":"2018-11-23T10:20","instant":"2018-11-23T02:20:00Z","#
        + #""until":"2018-11-23T03:00:00Z"}"#
    ),
    (.keys(["a\"", "b"]), #"{"keys":["a\"","b"]}"#), (.keys([]), #"{"keys":[]}"#),
    (.day(CivilDate(iso: "2016-08-11".utf8)!), #"{"date":"2016-08-11"}"#),
    (
      .range(start: CivilDate(iso: "2016-08-11".utf8)!, end: CivilDate(iso: "2016-09-01".utf8)!),
      #"{"start":"2016-08-11","end":"2016-09-01","days":22}"#
    ),
  ])
  func `each kind has its form of result`(_ result: PickerResult, _ json: String) {
    #expect(result.tree.serialized() == Array(json.utf8))
  }

  @Test func `an open range has its author and its reach`() throws {
    let session = try makeSession(calendar)
    let date = CivilDate(year: 2026, month: 11, day: 20)!
    guard case .delta(let delta)? = session.give(1, .act(.tap(.date(date)))).first else { return }

    let encoded = encoder.encode(delta, texts: texts)

    #expect(
      text(encoder.frame(encoded, ref: nil)).contains(
        #""changes":[{"change":"range","start":"2026-11-20","end":"2026-11-20","hits":1,"#
          + #""by":"m_Ana","#
          + #""reach":{"from":"2026-11-01","through":"2026-11-30"},"cause":"tap"}]"#))
  }

  @Test func `a cleared range has null start and end`() throws {
    let session = try makeSession(calendar)
    let date = CivilDate(year: 2026, month: 11, day: 20)!
    _ = session.give(1, .act(.tap(.date(date))))
    guard case .delta(let delta)? = session.give(2, .act(.clear)).first else { return }

    #expect(
      text(encoder.frame(encoder.encode(delta, texts: texts), ref: nil)).hasSuffix(
        #""changes":[{"change":"range","start":null,"end":null,"hits":0,"cause":"clear"}]}"#))
  }

  @Test func `the status confirmed has the result`() throws {
    let session = try makeSession(letters)
    guard case .delta(let delta)? = session.give(1, .confirm).first else { return }

    #expect(
      text(encoder.frame(encoder.encode(delta, texts: texts), ref: 1))
        == #"{"type":"delta","revision":1,"ref":1,"by":"m_Ana","at":"2026-11-20T12:00:00.000Z","#
        + #""changes":[{"change":"status","status":"confirmed","result":{"keys":["a","x"]}}]}"#)
  }

  @Test func `a reply has a ref and a revision`() {
    #expect(text(encoder.reply(ref: 7, revision: 42)) == #"{"type":"reply","ref":7,"revision":42}"#)
  }

  @Test func `a refusal has the current rows without a cause`() throws {
    let session = try makeSession(letters)
    let refusal = Refusal(.staleColumn, "why", ["generation": .integer(1)])

    let frame = encoder.refused(
      ref: 7, refusal, .column(1, reloads: true), in: session.fold, texts: texts)

    #expect(
      text(frame) == #"{"type":"refused","ref":7,"code":"staleColumn","detail":"why","#
        + #""params":{"generation":1},"revision":0,"#
        + #""changes":[{"change":"reload","column":1,"generation":1,"count":1,"from":0,"#
        + #""rows":[{"key":"x","text":"x"}],"row":0},"#
        + #"{"change":"row","column":1,"row":0,"key":"x","text":"x"}]}"#)
    #expect(
      text(
        encoder.refused(
          ref: nil, Refusal(.tooMany, "why"), .nothing, in: session.fold, texts: texts))
        == #"{"type":"refused","code":"tooMany","detail":"why","params":{},"revision":0,"#
        + #""changes":[]}"#)
  }

  @Test func `rows has the requested rows`() throws {
    let session = try makeSession(letters)

    #expect(
      text(encoder.rows(column: 0, 1..<2, in: session.fold, texts: texts))
        == #"{"type":"rows","column":0,"generation":1,"from":1,"#
        + #""rows":[{"key":"b\n","text":"b\n"}]}"#)
  }

  @Test func `months has cells and bands of the months in the calendar`() throws {
    let session = try makeSession(calendar)
    let view = MonthView(from: CivilMonth(year: 2026, month: 10)!, count: 3)

    let message = text(encoder.months(view, in: session.fold, texts: texts))

    #expect(
      message.hasPrefix(
        #"{"type":"months","revision":0,"months":[{"month":"2026-11","title":"November 2026","#
          + #""cells":["#
          + #"{"date":"2026-11-01","text":"1"}"#))
    #expect(message.contains(#"{"date":"2026-11-20","text":"20","today":true}"#))
    #expect(message.contains(#"{"date":"2026-12-05","text":"5","outside":true,"disabled":true}"#))
    #expect(message.hasSuffix(#"],"bands":[]}]}"#))
    #expect(message.components(of: #""month":"#) == 1)
  }

  @Test func `weekdays start with firstWeekday`() throws {
    let monday =
      #"{"kind":"calendar","firstWeekday":2,"months":{"from":"2026-11","through":"2026-11"}}"#
    let session = try makeSession(monday)

    let english = text(encoder.snapshot(of: session, texts: texts, now: noon))
    let chinese = text(encoder.snapshot(of: session, texts: SimplifiedChineseTexts(), now: noon))

    #expect(
      english.contains(
        #""range":null,"weekdays":["Mon","Tue","Wed","Thu","Fri","Sat","Sun"]}"#))
    #expect(chinese.contains(#""weekdays":["周一","周二","周三","周四","周五","周六","周日"]}"#))
  }

  @Test func `bands have one entry per week row`() {
    let month = CivilMonth(year: 2026, month: 8)!
    let bands = MonthBands(cells: 10..<14, hasHead: true, hasTail: false)

    #expect(
      String(decoding: encoder.bands([(month, bands)]), as: UTF8.self)
        == #",{"change":"bands","month":"2026-08","bands":[{"row":1,"from":3,"to":6,"#
        + #""shape":"pill","#
        + #""head":true,"tail":false}]}"#)
  }

  @Test(arguments: 1...7)
  func `bands of whole months are encoded identically the second time`(_ weekday: Int) throws {
    let picker = try makeSession(
      #"{"kind":"calendar","months":{"from":"2023-01","through":"2024-12"},"weeks":"fit","#
        + #""firstWeekday":\#(weekday)}"#
    ).fold.picker
    let months = (0..<24).map { picker.months!.month(at: $0) }
    let range = DateRange(start: months[0].first, end: months[23].last, hits: 2)
    let bands = months.map { (month: $0, bands: picker.bands(of: $0, for: range)) }
    let expected = bands.map { month, bands in
      let objects = bands.map { band in
        #"{"row":\#(band.row),"from":\#(band.from),"to":\#(band.to),"shape":"\#(band.shape)","#
          + #""head":\#(band.head),"tail":\#(band.tail)}"#
      }
      return #",{"change":"bands","month":"\#(month)","bands":["#
        + objects.joined(separator: ",") + "]}"
    }

    for _ in 1...2 {
      #expect(String(decoding: encoder.bands(bands), as: UTF8.self) == expected.joined())
    }
  }

  @Test func `presence leaves out the recipient itself`() throws {
    let session = try makeSession(letters)
    _ = session.touch(ana, .row(column: 0, row: 1))
    let encoded = EncodedPresence(session.takeUpdates(), in: session)

    #expect(
      encoded.frame(for: bo).map(text)
        == ##"{"type":"presence","joined":[{"id":"m_Ana","name":"Ana","role":"owner","##
        + ##""color":"#d1495b","##
        + #""online":true}],"touching":[{"member":"m_Ana","column":0,"row":1}]}"#)
    #expect(encoded.mentions(bo) && encoded.mentions(ana))
  }

  @Test func `a member that has just joined gets its new role as a change`() throws {
    let session = try makeSession(letters)
    let bosUpdates = session.takeUpdates()
    #expect(bosUpdates.joined.contains(bo))
    _ = session.apply(LogEntry(at: noon, body: .left(bo)))
    _ = session.takeUpdates()
    _ = session.apply(LogEntry(at: noon, body: .returned(bo, nil)))
    _ = session.apply(LogEntry(at: noon, body: .roleChanged(bo, .viewer)))
    let encoded = EncodedPresence(session.takeUpdates(), in: session)

    let viewer =
      ##"{"id":"m_Bo","name":"Bo \"B\"","role":"viewer","color":"#2e86ab","online":false}"##
    #expect(
      encoded.frame(for: bo).map(text) == #"{"type":"presence","changed":["# + viewer + "]}")
    #expect(
      encoded.frame(for: ana).map(text) == #"{"type":"presence","joined":["# + viewer + "]}")
  }

  @Test func `a pointer is encoded with hover`() throws {
    let session = try makeSession(letters)
    _ = session.takeUpdates()
    _ = session.touch(ana, .row(column: 0, row: 1, isHover: true))

    #expect(
      EncodedPresence(session.takeUpdates(), in: session).frame().map(text)
        == #"{"type":"presence","touching":[{"member":"m_Ana","column":0,"row":1,"hover":true}]}"#)
  }

  @Test func `presence about the recipient only is not sent`() throws {
    let session = try makeSession(letters)
    _ = session.takeUpdates()
    _ = session.touch(ana, .row(column: 0, row: 1))
    _ = session.touch(ana, .lifted)
    let encoded = EncodedPresence(session.takeUpdates(), in: session)

    #expect(encoded.frame(for: ana) == nil)
    #expect(
      encoded.frame().map(text) == #"{"type":"presence","touching":[{"member":"m_Ana"}]}"#)
  }

  @Test func `draining and error messages are encoded`() {
    #expect(
      text(encoder.draining(reconnectAfterMilliseconds: 1500))
        == #"{"type":"draining","reconnectAfterMs":1500}"#)
    #expect(
      text(encoder.error(code: "badMessage", detail: "no \"type\""))
        == #"{"type":"error","code":"badMessage","detail":"no \"type\""}"#)
  }

  @Test func `a long column has 200 rows around the selected one`() throws {
    let rows = (0..<700).map { "\"r\($0)\"" }.joined(separator: ",")
    let session = try makeSession(#"{"kind":"columns","columns":[[\#(rows)]]}"#)

    func from(_ row: Int) -> String {
      var column = session.fold.picker.columns[0]
      column.selected = row
      var writer = JSONWriter()
      var cache = RowsCache(count: 0)
      writer.column(column, nil, texts: texts, windowRows: 200, &cache)
      return String(decoding: writer.bytes.prefix(45), as: UTF8.self)
    }

    #expect(from(0).contains(#""count":700,"from":0,"#))
    #expect(from(350).contains(#""from":250,"#))
    #expect(from(699).contains(#""from":500,"#))
  }

  @Test func `rows from the cache equal newly encoded ones`() throws {
    let trees = try ["a", "b"].map { name in
      let leaves = (0..<8).map { #"{"text":"\#(name)\#($0)"}"# }.joined(separator: ",")
      return try makeSession(
        #"{"kind":"cascade","nodes":[{"text":"x","children":[\#(leaves)]}]}"#
      ).fold.picker.columns[1].rows
    }
    let numbers: [ColumnRows] = [.days(1...30), .days(1...31), .months(1...12), .years(1...31)]
    let lists = numbers + trees
    let languages: [any RowTexts] = [EnglishTexts(), SimplifiedChineseTexts()]
    // Small enough that entries evict each other; each row is written twice to hit the cache, too.
    var cache = RowsCache(count: 2)
    for _ in 1...2 {
      for (rows, texts) in lists.flatMap({ rows in languages.map { (rows, $0) } }) {
        for range in [0..<rows.count, 1..<7, 2..<4] {
          for _ in 1...2 {
            var plain = JSONWriter()
            var cached = JSONWriter()
            plain.rows(rows, range, texts: texts)
            cache.write(rows, range, texts: texts, to: &cached)
            #expect(cached.bytes == plain.bytes)
          }
        }
      }
    }
  }

  @Test func `a released tree is not confused with a new one at its address`() throws {
    var cache = RowsCache(count: 1)
    for name in ["a", "b", "c", "d"] {
      let leaves = (0..<8).map { #"{"text":"\#(name)\#($0)"}"# }.joined(separator: ",")
      let rows = try makeSession(#"{"kind":"cascade","nodes":[\#(leaves)]}"#)
        .fold.picker.columns[0].rows
      var writer = JSONWriter()
      cache.write(rows, 0..<8, texts: texts, to: &writer)
      #expect(String(decoding: writer.bytes, as: UTF8.self).contains(#""text":"\#(name)0""#))
    }
  }

  @Test func `cached rows do not retain their tree`() throws {
    var cache = RowsCache(count: 1)
    weak var tree: NodeTable?
    do {
      let leaves = (0..<8).map { #"{"text":"\#($0)"}"# }.joined(separator: ",")
      let rows = try makeSession(#"{"kind":"cascade","nodes":[\#(leaves)]}"#)
        .fold.picker.columns[0].rows
      if case .nodes(let siblings) = rows { tree = siblings.table }
      var writer = JSONWriter()
      cache.write(rows, 0..<8, texts: texts, to: &writer)
      #expect(tree != nil)
    }
    #expect(tree == nil)
    // Keeps the cache alive until here.
    var writer = JSONWriter()
    cache.write(.days(1...30), 0..<30, texts: texts, to: &writer)
  }

  @Test func `integers of every length are encoded exactly`() {
    var numbers: [Int] = [0, .max, .min, .max - 1, .min + 1]
    var ten = 1
    for _ in 0...18 {
      numbers += [ten - 1, ten, ten + 1, -ten]
      ten &*= 10
    }
    for number in numbers {
      var writer = JSONWriter()
      writer.integer(number)
      #expect(String(decoding: writer.bytes, as: UTF8.self) == "\(number)")
    }
  }

  @Test func `a text longer than the writer's capacity is encoded completely`() {
    var writer = JSONWriter(capacity: 1)
    let long = String(repeating: "é\"", count: 500)
    for _ in 0..<3 { writer.string(long) }
    let once = "\"" + String(repeating: #"é\""#, count: 500) + "\""
    #expect(String(decoding: writer.bytes, as: UTF8.self) == once + once + once)
  }
}

extension String {
  /// The number of occurrences of `part`.
  fileprivate func components(of part: String) -> Int {
    var count = 0
    var rest = self[...]
    while let first = rest.first {
      if rest.hasPrefix(part) { count += 1 }
      _ = first
      rest = rest.dropFirst()
    }
    return count
  }
}
