/// The files of `web/`: the demo page under `/` and `/demo/`, the browser client under `/client/`.
///
/// A file is read when it is first asked for and again when it has changed on disk, so that an
/// edit in a checkout shows at the next reload. One loop's, not to be shared.
package final class StaticFiles {
  /// Larger files are not served.
  static let fileByteCountMax = 4 << 20
  /// All kept files together are not larger; beyond it files are read anew each time.
  static let keptByteCountMax = 32 << 20

  private struct Kept {
    let stamp: RegularFile.Stamp
    let body: [UInt8]
    let tag: String
  }

  /// The folder's path without symbolic links, or `nil`: nothing is served.
  private let folder: String?
  private var kept: [String: Kept] = [:]
  private var keptByteCount = 0

  /// - Parameter folder: The folder `web/`; `nil`, or one that is not there, serves nothing.
  package init(folder: String?) {
    self.folder = folder.flatMap(RegularFile.resolved)
  }

  /// Answers a request for a file.
  ///
  /// - Parameters:
  ///   - path: As it was sent, without the query.
  ///   - ifNoneMatch: That header, if it was sent.
  /// - Returns: `nil` if there is no such file: the caller has other routes, or answers 404. The
  ///   body is there for `HEAD` too; who sends the answer leaves it out.
  package func answer(method: String, path: String, ifNoneMatch: String?) -> StaticAnswer? {
    guard let path = StaticPath.inFolder(path), let type = ContentType.of(path),
      let file = file(at: path)
    else { return nil }

    guard method == "GET" || method == "HEAD" else {
      return StaticAnswer(status: 405, headers: [("allow", "GET, HEAD")], body: [])
    }
    let headers = StaticFiles.headers(path: path, type: type, tag: file.tag)
    if let ifNoneMatch, EntityTag.isNamed(file.tag, in: ifNoneMatch) {
      return StaticAnswer(status: 304, headers: headers, body: [])
    }
    return StaticAnswer(status: 200, headers: [("content-type", type)] + headers, body: file.body)
  }

  private func file(at path: String) -> Kept? {
    guard let folder else { return nil }
    // A link that leads out of the folder is as good as none.
    let full = folder + "/" + path
    guard let resolved = RegularFile.resolved(full), resolved.hasPrefix(folder + "/"),
      let stamp = RegularFile.stamp(of: resolved)
    else {
      forget(path)
      return nil
    }
    if let kept = kept[path], kept.stamp == stamp { return kept }

    forget(path)
    guard let read = RegularFile.read(resolved, byteCountMax: StaticFiles.fileByteCountMax) else {
      return nil
    }
    let file = Kept(stamp: read.stamp, body: read.bytes, tag: EntityTag.of(read.bytes))
    if keptByteCount + file.body.count <= StaticFiles.keptByteCountMax {
      kept[path] = file
      keptByteCount += file.body.count
    }
    return file
  }

  private func forget(_ path: String) {
    if let old = kept.removeValue(forKey: path) { keptByteCount -= old.body.count }
  }
}

/// What a request for a file is answered with.
package struct StaticAnswer: Sendable {
  package let status: Int
  /// Names in lower case. `content-length` is left to who sends it.
  package let headers: [(name: String, value: String)]
  package let body: [UInt8]

  init(status: Int, headers: [(String, String)], body: [UInt8]) {
    self.status = status
    self.headers = headers.map { (name: $0.0, value: $0.1) }
    self.body = body
  }
}
