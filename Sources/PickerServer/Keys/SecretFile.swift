import Glibc

/// Files with secrets, which only their owner may access. Those of root may be readable by a group,
/// such as that of the server's user, as the files of a Kubernetes secret are.
package enum SecretFile {
  /// - Throws: ``KeyFileProblem`` if there is no such file, others than its owner can access it, or
  ///   it has more than `byteCountMax` bytes.
  package static func read(_ path: String, byteCountMax: Int) throws(KeyFileProblem) -> RegularFile
  {
    var status = Glibc.stat()
    guard stat(path, &status) == 0 else {
      throw KeyFileProblem("\(path) cannot be read: \(String(cString: strerror(errno)))")
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw KeyFileProblem("\(path) is not a regular file")
    }
    guard status.st_mode & (status.st_uid == 0 ? 0o037 : 0o077) == 0 else {
      let mode = String(status.st_mode & 0o777, radix: 8)
      throw KeyFileProblem(
        "\(path) has mode \(mode), so that others can access it; use chmod 600 \(path)")
    }
    guard let content = RegularFile.read(path, byteCountMax: byteCountMax) else {
      throw KeyFileProblem(
        "\(path) is not a regular file that can be read and has at most \(byteCountMax) bytes")
    }
    return content
  }

  /// Puts the path before a problem that `body` throws: `keys.yaml:4:11: …`.
  package static func naming<Value>(
    _ path: String, _ body: () throws(KeyFileProblem) -> Value
  ) throws(KeyFileProblem) -> Value {
    do throws(KeyFileProblem) {
      return try body()
    } catch {
      throw error.of(path)
    }
  }
}
