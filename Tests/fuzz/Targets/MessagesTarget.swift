import JSONText
import PickerWire

/// Decodes a message in every way in which a client can send one.
enum MessagesTarget {
  static func run(_ input: [UInt8]) throws(FuzzFailure) {
    _ = try? CreateRequest(input)
    _ = try? MemberRequest(input)
    let request = try? CommandRequest(input)
    // The socket checks the encoding before it delivers a text message.
    guard String(validating: input, as: UTF8.self) != nil else {
      return try require(request == nil, "a body that is no UTF-8 is refused")
    }
    let message = try? ClientMessage.decode(input.span)
    let tree = try? JSONTree.parse(input)
    // A message may have an unknown field twice, which a tree may not.
    try require(message == nil || tree == nil || tree?.members != nil, "a message is an object")
    guard let request else { return }
    guard case .command(let ref, let command) = message else {
      throw FuzzFailure("a posted command is a command on a WebSocket, too")
    }
    try require(ref == request.ref && command == request.command, "a command means the same twice")
  }
}
