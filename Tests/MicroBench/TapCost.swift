import PickerHub
import PickerModel
import PickerSession
import PickerWire

/// The cost of a tap on one kind of picker, by part.
struct TapCost {
  let kind: BenchKind
  /// Decoding the bytes of a message.
  let decode: Cost
  /// Applying the message.
  let rule: Cost
  /// Encoding the changes into a frame.
  let encode: Cost
  /// The whole tap in the hub, including log, outbox, the author's copy and bands.
  let hub: Cost

  /// The sum that the goal of 3 µs applies to.
  var sum: Cost { decode + rule + encode }

  private static let count = 2000

  init(_ kind: BenchKind) throws {
    self.kind = kind
    let bench = BenchHub(kind)
    try bench.create(1)
    bench.join()
    // Fills the history, the undo list and the refs, as in a session in use.
    bench.give(bench.taps(1100))
    hub = Cost.measure(count: TapCost.count) {
      bench.taps(TapCost.count)
    } run: { taps in
      bench.give(taps)
    }
    decode = Cost.measure(count: TapCost.count) {
      bench.taps(TapCost.count)
    } run: { taps in
      for tap in taps { keep(try? ClientMessage.decode(tap.span)) }
    }
    (rule, encode) = TapCost.ruleAndEncode(bench)
  }

  private static func ruleAndEncode(_ bench: BenchHub) -> (Cost, Cost) {
    let session = bench.session
    let member = session.listeners[0].member!
    var deltas: [Delta] = []
    var effects: [Effect] = []
    deltas.reserveCapacity(2 * count)
    let rule = Cost.measure(count: count) {
      deltas.removeAll(keepingCapacity: true)
      return bench.taps(count).map { entry($0, of: member) }
    } run: { entries in
      for entry in entries {
        _ = session.apply(entry, &effects)
        for case .delta(let delta) in effects { deltas.append(delta) }
        effects.removeAll(keepingCapacity: true)
      }
    }
    precondition(deltas.count == count, "a tap changed nothing")
    let encoder = MessageEncoder(limits: ServerLimits())
    let texts = EnglishTexts()
    let encode = Cost.measure(count: count) {
    } run: {
      for delta in deltas { keep(encoder.frame(encoder.encode(delta, texts: texts), ref: nil)) }
    }
    return (rule, encode)
  }

  private static func entry(_ tap: [UInt8], of member: MemberID) -> LogEntry {
    guard case .command(let ref, let command, _)? = try? ClientMessage.decode(tap.span) else {
      fatalError("not a command: \(String(decoding: tap, as: UTF8.self))")
    }
    return LogEntry(at: BenchHub.time.session, body: .command(member, ref: ref, command))
  }
}
