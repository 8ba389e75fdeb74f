import JSONText
import WebSocketTransport

/// The error response of a request: a `code` for programs and a `detail` for their developers.
///
/// - Source: RFC 9457; web/guide/README.md, "HTTP API and server-sent events".
package struct ProblemDocument: Error, Hashable, Sendable {
  /// The media type of ``bytes``.
  package static let contentType = "application/problem+json"

  /// The HTTP status, 400…599.
  package let status: Int
  /// Identifies the problem for programs, such as `badDefinition`.
  package let code: String
  /// One sentence: what is wrong, where, and what a valid request looks like.
  package let detail: String
  /// The location of the error in the definition (RFC 6901); empty for the root.
  package let pointer: String?

  /// With 405: the allowed methods, for the `Allow` header.
  package let allow: [String]
  /// With 429 and 503: the value of the `Retry-After` header. Default: 5.
  package let retryAfterSeconds: Int?
  /// Facts of the code for programs.
  let members: [JSONTree.Member]

  package init(
    status: Int, code: String, detail: String, pointer: String? = nil, allow: [String] = [],
    retryAfterSeconds: Int? = nil
  ) {
    self.init(
      status: status, code: code, detail: detail, pointer: pointer, allow: allow,
      retryAfterSeconds: retryAfterSeconds, members: [])
  }

  init(
    status: Int, code: String, detail: String, pointer: String? = nil, allow: [String] = [],
    retryAfterSeconds: Int? = nil, members: [JSONTree.Member]
  ) {
    precondition((400...599).contains(status), "the status must be an error status")
    self.status = status
    self.code = code
    self.detail = detail
    self.pointer = pointer
    self.allow = allow
    self.retryAfterSeconds = retryAfterSeconds
    self.members = members
  }

  /// The JSON document. `type` is `about:blank`, so `title` is the reason phrase of the status
  /// (RFC 9457, section 4.2.1), and clients distinguish problems by `code`.
  package var bytes: [UInt8] {
    var fields: [JSONTree.Member] = [
      .init("type", .string("about:blank")),
      .init("title", .string(HTTPResponse.reasonPhrase(of: status))),
      .init("status", .integer(status)),
      .init("code", .string(code)),
      .init("detail", .string(detail)),
    ]
    if let pointer { fields.append(.init("pointer", .string(pointer))) }
    return JSONTree.object(fields + members).serialized()
  }
}
