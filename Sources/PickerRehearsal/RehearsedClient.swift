package import JSONText

/// The client that is rehearsed, however it runs. Called on the scene's thread only.
package protocol RehearsedClient: AnyObject {
  /// Starts it as a new member of the session at `url`, with nothing remembered.
  func open(_ url: String) throws
  /// Has its user do something: a command of the wire without `ref`, `generation` and `key`.
  func act(_ command: JSONTree)
  /// Asks for its folded state, and waits for it.
  ///
  /// - Returns: `nil` if none comes within `seconds`, or the client has ended.
  func state(within seconds: Double) -> JSONTree?
  /// Ends it.
  func close()
  /// What helps to find out what went wrong: the end of its standard error.
  var notes: String { get }
}

extension RehearsedClient {
  package var notes: String { "" }
}

extension JSONTree {
  /// The question for the folded state.
  static let stateQuestion = JSONTree.object([.init("type", .string("state"))])

  var text: String { String(decoding: serialized(), as: UTF8.self) }

  /// Whether this is a client's state: `pickerd join --json` marks its lines with `event`.
  var isState: Bool {
    self["revision"] != nil && (self["event"] == nil || self["event"]?.string == "show")
  }
}
