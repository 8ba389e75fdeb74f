/// Responses by route, method and class of status.
package struct ResponseCounts: Sendable {
  package struct Key: Hashable, Sendable {
    /// A pattern of the route table, `files`, `websocket`, or `other`: never a client's text.
    package let route: String
    package let method: HTTPMethod
    /// 2 for the statuses 200 to 299.
    package let statusClass: Int
  }

  package private(set) var counts: [Key: Int] = [:]

  package init() {}

  package mutating func count(_ route: String, _ method: HTTPMethod, status: Int) {
    counts[Key(route: route, method: method, statusClass: status / 100), default: 0] += 1
  }

  package static func += (sum: inout ResponseCounts, other: ResponseCounts) {
    sum.counts.merge(other.counts, uniquingKeysWith: +)
  }
}
