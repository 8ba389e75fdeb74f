import Foundation

/// Prints the tables.
enum MicroReport {
  private static func micros(_ cost: Cost) -> String {
    String(format: "%.2f (%.1f)", cost.nanoseconds / 1000, cost.allocations)
  }

  private static func table(_ head: [String], _ lines: [[String]]) -> String {
    let widths = head.indices.map { column in
      ([head] + lines).map { $0[column].count }.max() ?? 0
    }
    return ([head] + lines).map { line in
      line.indices.map { column in
        let space = String(repeating: " ", count: widths[column] - line[column].count)
        return column == 0 ? line[column] + space : space + line[column]
      }.joined(separator: "  ")
    }.joined(separator: "\n") + "\n"
  }

  static func taps(_ costs: [TapCost]) -> String {
    let lines = costs.map { cost in
      [
        cost.kind.name, micros(cost.decode), micros(cost.rule), micros(cost.encode),
        micros(cost.sum), cost.sum.nanoseconds < Thresholds.tapNanoseconds ? "pass" : "MISS",
        micros(cost.hub),
      ]
    }
    let goal = String(format: "≤ %.0f µs", Thresholds.tapNanoseconds / 1000)
    let head = ["µs (allocations) a tap", "decode", "rule", "encode", "together", goal, "hub"]
    return table(head, lines)
  }

  static func sizes(_ sizes: [(small: TapCost, large: TapCost)]) -> String {
    let lines = sizes.map { small, large in
      [
        "\(small.kind.name), \(large.kind.name)", micros(small.sum), micros(large.sum),
        String(format: "%.2f", large.sum.nanoseconds / small.sum.nanoseconds),
      ]
    }
    return table(["µs (allocations) a tap", "small", "large", "ratio"], lines)
  }

  static func series(_ costs: [SeriesCost]) -> String {
    costs.map { cost in
      let figures = cost.costs.map(micros)
      let ratio = cost.costs.last!.nanoseconds / cost.costs[1].nanoseconds
      return table(
        [cost.series.name] + cost.series.kinds.map(\.name) + ["last ÷ second"],
        [["µs (allocations) a tap"] + figures + [String(format: "%.2f", ratio)]])
    }.joined(separator: "\n")
  }

  static func hosts(_ costs: [HostCost]) -> String {
    let lines = costs.map { cost in
      [
        cost.request.name, "\(cost.request.sizes.small)", micros(cost.small),
        "\(cost.request.sizes.large)", micros(cost.large),
      ]
    }
    return table(
      ["µs (allocations) of the hub's thread", "size", "small", "size", "large"], lines)
  }

  static func definitions(_ costs: [DefinitionCost]) -> String {
    let lines = costs.map { cost in
      [cost.name] + [cost.parse, cost.make, cost.encode, cost.window, cost.free].map(micros)
        + ["\(cost.bytes.measured)", "\(cost.bytes.estimated)"]
    }
    let head = [
      "µs (allocations) of a definition", "parse", "make", "encode", "200 rows", "free", "bytes",
      "estimated",
    ]
    return table(head, lines)
  }

  static func finds(_ costs: [FindCost]) -> String {
    let lines = costs.map { cost in [cost.name] + [cost.none, cost.every, cost.part].map(micros) }
    return table(
      ["µs (allocations) of a find in 20,000 rows", "finds none", "finds all", "one part"], lines)
  }

  static func memories(_ memories: [SessionMemory]) -> String {
    let lines = memories.map { [$0.kind.name, "\($0.empty)", "\($0.joined)"] }
    return table(["bytes of a session more", "nobody in it", "with a member"], lines)
  }
}
