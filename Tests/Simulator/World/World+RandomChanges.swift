import CivilTime
import JSONText
import PickerHost
import PickerHub
import PickerModel

/// Random changes by a host, mostly valid ones.
extension World {
  /// The body of a request that changes the definition.
  func randomChange(of record: SessionRecord) -> (DocumentRequest.Format, [UInt8]) {
    let kind = random.once(in: 20) ? "slot" : record.definition["kind"]?.string
    switch random.below(16) {
    case 0..<7:
      return (.whole, RandomDefinition.make(&random, today: today, kind: kind).serialized())
    case 7, 8:
      let current = replicas[record.id]?.fold.definition.document(full: true)
      return (.whole, (current ?? .null).serialized())
    case 9..<12: return (.mergePatch, randomMerge(kind).serialized())
    case 12..<15: return (.jsonPatch, randomPatch().serialized())
    default: return (.jsonPatch, Array(random.coin() ? "[{]".utf8 : "{}".utf8))
    }
  }

  /// A merge patch with some fields of another definition; others are reset to their defaults.
  func randomMerge(_ kind: String?) -> JSONTree {
    let other = RandomDefinition.make(&random, today: today, kind: kind).members ?? []
    var members = other.filter { $0.key != "kind" && random.coin() }
    var names = ["hours", "taken", "blocked", "maxDays", "locale", "onParentChange"]
    if kind == "availability" { names = ["taken", "blocked", "closes", "maybe", "length"] }
    for name in names
    where random.once(in: 6) && !members.contains(where: { $0.key == name }) {
      members.append(.init(name, .null))
    }
    return .object(members)
  }

  private func randomPatch() -> JSONTree {
    let texts = [
      #"{"op":"remove","path":"/columns/0/0"}"#, #"{"op":"remove","path":"/nodes/0"}"#,
      #"{"op":"add","path":"/columns/0/1","value":"nova \#(random.below(9))"}"#,
      #"{"op":"add","path":"/columns/-","value":["sola","dua"]}"#,
      #"{"op":"remove","path":"/columns/1"}"#, #"{"op":"remove","path":"/maxDays"}"#,
      #"{"op":"replace","path":"/nodes/0/text","value":"alia"}"#,
      #"{"op":"move","from":"/nodes/0","path":"/nodes/1"}"#,
      #"{"op":"add","path":"/firstWeekday","value":\#(random.within(1...7))}"#,
      #"{"op":"replace","path":"/weeks","value":"fit"}"#,
      #"{"op":"replace","path":"/days","value":\#(random.within(1...9))}"#,
      #"{"op":"test","path":"/locale","value":"en"}"#, #"{"op":"remove","path":"/taken"}"#,
      #"{"op":"replace","path":"/locale","value":"eo"}"#,
      #"{"op":"add","path":"/rememberDay","value":true}"#,
    ]
    let operations = (0..<random.within(1...2)).map { _ in
      (try? JSONTree.parse(Array(random.pick(texts).utf8))) ?? .null
    }
    return .array(operations)
  }

  /// A patch of the notes on days in view, or on existing rows.
  func randomNotes(of record: SessionRecord) -> JSONTree {
    guard record.isCalendar != random.once(in: 20) else { return randomRowNotes(of: record) }
    if random.once(in: 12) { return .object([.init("days", .null)]) }
    let days = (0..<random.within(1...5)).map { _ in
      let date = today.adding(days: random.within(-40...40)) ?? today
      let price = random.within(0...30_000)
      let note = JSONTree.object([
        .init("text", .string("€")), .init("amount", .number(Double(price) / 100)),
      ])
      return JSONTree.Member(date.iso, random.coin() ? note : randomNote())
    }
    return .object([.init("days", .object(unique(days)))])
  }

  private func randomRowNotes(of record: SessionRecord) -> JSONTree {
    if random.once(in: 12) { return .object([.init("columns", .null)]) }
    let columns = replicas[record.id]?.fold.picker.columns ?? []
    let index = random.below(max(1, columns.count))
    var rows: [JSONTree.Member] = []
    for _ in 0..<random.within(1...5) {
      let isKnown = columns.indices.contains(index) && columns[index].rows.count > 0
      let key =
        isKnown && !random.once(in: 8)
        ? columns[index].rows.key(at: random.below(columns[index].rows.count)) : "nova 3"
      rows.append(.init(key, randomNote()))
    }
    let column = JSONTree.object([.init("\(index)", .object(unique(rows)))])
    return .object([.init("columns", column)])
  }

  private func randomNote() -> JSONTree {
    let texts = [
      "null", #"{"text":"€ 120","tone":"low"}"#, #"{"text":"plena"}"#,
      #"{"text":{"en":"sold out","zh-Hans":"售罄","eo":"for"},"tone":"bad"}"#,
      #"{"text":{"eo-DE":"nur tie","tlh":"Qapla'"}}"#, #"{"text":"last one","tone":"high"}"#,
    ]
    return (try? JSONTree.parse(Array(random.pick(texts).utf8))) ?? .null
  }

  /// The members without those that have a duplicate key.
  private func unique(_ members: [JSONTree.Member]) -> [JSONTree.Member] {
    var keys: Set<ExactString> = []
    return members.filter { keys.insert(ExactString($0.key)).inserted }
  }
}
