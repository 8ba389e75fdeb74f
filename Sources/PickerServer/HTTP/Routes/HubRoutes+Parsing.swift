import CivilTime
import PickerHub
import PickerWire
import WebSocketTransport

/// Checks that several routes share.
extension HubRoutes {
  /// - Throws: 413 for a body larger than the limit `messageBytes`.
  func limitBody(of request: HTTPRequest) throws(ProblemDocument) {
    let byteCountMax = hub.configuration.limits.messageBytes
    guard request.body.count <= byteCountMax else {
      throw ProblemDocument(
        status: 413, code: "tooLarge", detail: "this body may have at most \(byteCountMax) bytes")
    }
  }

  func month(
    _ text: String, named name: String
  ) throws(ProblemDocument) -> CivilMonth {
    guard let month = CivilMonth(iso: text.utf8) else {
      throw badRequest("\(name) must be a month such as 2026-11")
    }
    return month
  }

  func badRequest(_ detail: String) -> ProblemDocument {
    ProblemDocument(status: 400, code: "badRequest", detail: detail)
  }
}
