import CivilTime
import PickerHub
import PickerModel
import PickerSession
import PickerWire

/// A request of a host, or a join, on two sessions that differ only in the size of their definition
/// or notes. The hub's thread may copy bytes of that size, but not encode or evaluate them.
struct HostRequest {
  let name: String
  /// The entries, rows or notes of both sessions.
  let sizes: (small: Int, large: Int)
  /// The definition with a number of entries; `shift` gives another one of the same size.
  let definition: (_ size: Int, _ shift: Int) -> String
  let make: (BenchHub, _ size: Int, _ shift: Int) -> () -> Void

  static var all: [HostRequest] {
    [
      HostRequest(
        name: "PUT, by entries of a slot's `taken`", sizes: (1_000, 5_000), definition: slot
      ) { $0.put(slot($1, $2)) },
      HostRequest(
        name: "PUT, by entries of a calendar's `taken`", sizes: (1_000, 5_000), definition: calendar
      ) { $0.put(calendar($1, $2)) },
      HostRequest(
        name: "PUT, by rows", sizes: (1_000, 20_000), definition: columns
      ) { $0.put(columns($1, $2)) },
      HostRequest(
        name: "PUT of rows with new keys, by rows", sizes: (1_000, 20_000), definition: newColumns
      ) { $0.put(newColumns($1, $2)) },
      HostRequest(
        name: "PATCH of notes, by days", sizes: (1_000, 4_000), definition: { _, _ in months }
      ) { $0.patchNotes(notes($1, $2)) },
      HostRequest(
        name: "join, by entries of `taken`", sizes: (1_000, 5_000), definition: slot
      ) { bench, _, _ in
        { bench.joinAndLeave() }
      },
      HostRequest(
        name: "GET, by entries of `taken`", sizes: (1_000, 5_000), definition: slot
      ) { bench, _, _ in
        { bench.read(isFull: false) }
      },
      HostRequest(
        name: "GET with all rows, by rows", sizes: (1_000, 20_000), definition: columns
      ) { bench, _, _ in
        { bench.read(isFull: true) }
      },
      HostRequest(
        name: "GET of notes, by days", sizes: (1_000, 4_000), definition: { _, _ in months }
      ) { bench, size, shift in
        bench.patchNotes(notes(size, shift))()
        return { bench.readNotes() }
      },
    ]
  }

  private static let months =
    #"{"kind":"calendar","months":{"from":"2026-11","through":"2037-12"}}"#

  private static let tomorrow = CivilDate(iso: "2026-11-21".utf8)!

  /// A booking in every hour from tomorrow on.
  private static func slot(_ size: Int, _ shift: Int) -> String {
    let taken = (0..<size).map { number in
      let hour = tomorrow.adding(days: number / 24)!.iso + "T\(twoDigits(number % 24))"
      return #""b\#(number)":{"from":"\#(hour):05","until":"\#(hour):\#(10 + shift)"}"#
    }
    return #"{"kind":"slot","days":366,"taken":{\#(taken.joined(separator: ","))}}"#
  }

  /// Every other day from tomorrow on.
  private static func calendar(_ size: Int, _ shift: Int) -> String {
    let taken = (0..<size).map { number in
      let date = tomorrow.adding(days: 2 * number + shift)!.iso
      return #""b\#(number)":{"from":"\#(date)","through":"\#(date)"}"#
    }
    return #"{"kind":"calendar","months":{"from":"2026-11","through":"2056-12"},"taken":"#
      + "{\(taken.joined(separator: ","))}}"
  }

  static func columns(_ size: Int, _ shift: Int) -> String {
    let rows = (0..<size).map { #"{"key":"k\#($0)","text":"row \#($0) of \#(shift)"}"# }
    return #"{"kind":"columns","columns":[[\#(rows.joined(separator: ","))]]}"#
  }

  private static func newColumns(_ size: Int, _ shift: Int) -> String {
    let rows = (0..<size).map { #""the key of a row \#(shift * 1_000_000 + $0)""# }
    return #"{"kind":"columns","columns":[[\#(rows.joined(separator: ","))]]}"#
  }

  private static func notes(_ size: Int, _ shift: Int) -> String {
    let days = (0..<size).map { number in
      #""\#(tomorrow.adding(days: number)!.iso)":{"text":"€ \#(number + shift)","tone":"low"}"#
    }
    return #"{"days":{\#(days.joined(separator: ","))}}"#
  }

  private static func twoDigits(_ number: Int) -> String {
    number < 10 ? "0\(number)" : "\(number)"
  }
}

/// The allocations of a request on the hub's thread.
struct HostCost {
  let request: HostRequest
  let small: Cost
  let large: Cost

  private static let memberCount = 10
  private static let count = 10

  init(_ request: HostRequest) throws {
    self.request = request
    small = try HostCost.measure(request, request.sizes.small)
    large = try HostCost.measure(request, request.sizes.large)
  }

  private static func measure(_ request: HostRequest, _ size: Int) throws -> Cost {
    let bench = BenchHub(
      BenchKind(name: request.name, definition: request.definition(size, 0), taps: []))
    try bench.create(1)
    for _ in 0..<memberCount { bench.join() }
    let requests = [1, 0].map { request.make(bench, size, $0) }
    return Cost.measure(count: count) {
    } run: {
      for number in 0..<count { requests[number % 2]() }
    }
  }

  /// How many more allocations the large session needs than the small one. A few are the growth of
  /// buffers, by doubling.
  private static let allocationsMore = 8.0

  var excess: String? {
    guard large.allocations > small.allocations + HostCost.allocationsMore else { return nil }
    return "\(request.name): \(large.allocations) allocations with \(request.sizes.large), "
      + "\(small.allocations) with \(request.sizes.small)"
  }
}
