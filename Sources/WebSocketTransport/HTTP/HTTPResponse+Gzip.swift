import CMachine

/// Compression of responses with gzip.
/// - Source: RFC 9110, sections 8.4.1.3, 8.8.3.3 and 12.5.3.
extension HTTPResponse {
  /// Smaller bodies are not compressed.
  static let compressedBytesMin = 1_024
  /// Larger bodies are compressed on another thread. This many bytes take about 0.1 ms.
  static let compressedBytesOnLoop = 16_384

  /// Larger bodies are compressed on a queue of their own, so that they do not delay smaller ones.
  static let longBytesMin = 262_144

  /// Whether the response depends on `Accept-Encoding`.
  var isNegotiated: Bool {
    if status == 304 { return hasTagOfContent }
    return body.count >= HTTPResponse.compressedBytesMin && isText
  }

  /// Whether the content type is compressible.
  private var isText: Bool {
    guard let type = header("content-type")?.lowercased() else { return false }
    return ["text/", "application/", "image/svg+xml"].contains(where: type.hasPrefix)
  }

  /// Adds a field name to `Vary`.
  mutating func vary(by name: String) {
    if let index = headers.firstIndex(where: { $0.name.lowercased() == "vary" }) {
      headers[index].value += ", " + name
    } else {
      headers.append(("Vary", name))
    }
  }

  /// Makes an entity tag of the content weak, because it then identifies all encodings of it.
  mutating func weakenTag() {
    guard hasTagOfContent,
      let index = headers.firstIndex(where: { $0.name.lowercased() == "etag" }),
      !headers[index].value.hasPrefix("W/")
    else { return }
    headers[index].value = "W/" + headers[index].value
  }

  /// The response with a gzip body, or unchanged if gzip does not make the body shorter.
  func compressed() -> HTTPResponse {
    guard !body.isEmpty else { return self }
    var response = self
    response.body = [UInt8](unsafeUninitializedCapacity: body.count) { bytes, count in
      count = machine_gzip(body, body.count, bytes.baseAddress, bytes.count)
    }
    if response.body.isEmpty { return self }
    response.headers.append(("Content-Encoding", "gzip"))
    return response
  }

  private func header(_ name: String) -> String? {
    headers.first { $0.name.lowercased() == name }?.value
  }
}

enum AcceptEncoding {
  /// Whether `Accept-Encoding` prefers gzip to no encoding.
  static func acceptsGzip(_ header: String?) -> Bool {
    var weights: [String: Double] = [:]
    for entry in (header ?? "").split(separator: ",") {
      let parts = entry.split(separator: ";").map { part in
        part.filter { $0 != " " && $0 != "\t" }.lowercased()
      }
      guard let coding = parts.first else { continue }
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }
      weights[coding] = weight.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
    }
    let gzip = weights["gzip"] ?? weights["x-gzip"] ?? weights["*"] ?? 0
    return gzip > 0 && gzip >= weights["identity"] ?? 0
  }
}
