/// The outcome of looking something up in a log.
package enum LogLookup<Found: Sendable>: Sendable {
  case found(Found)
  /// It does not exist, or has ended.
  case absent
  /// Another node owns the session, and is alive.
  case elsewhere
  /// The log cannot be read now.
  case unavailable
  /// What is stored cannot be read.
  case unreadable

  package init(_ found: Found?) { self = found.map { .found($0) } ?? .absent }

  /// - Parameter read: Returns `nil` if there is nothing, and throws if the log cannot be read now.
  package init(read: () throws -> Found?) {
    do { self.init(try read()) } catch { self = .unavailable }
  }

  /// What was found, if anything.
  package var value: Found? { if case .found(let value) = self { value } else { nil } }
}
