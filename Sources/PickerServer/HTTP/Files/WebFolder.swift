/// Locates the folder `web/` with the demo page and the browser client.
package enum WebFolder {
  /// Searches relative to the running program: `web/` next to it, `../share/pickerd/web` of an
  /// installation, and the `web/` of the checkout in whose `.build` it was built. The working
  /// directory is not searched.
  ///
  /// - Returns: An absolute path, or `nil` if none of them has a demo page.
  package static func found(beside program: String = "/proc/self/exe") -> String? {
    guard let program = RegularFile.resolved(program) else { return nil }
    let folder = parent(of: program)
    var candidates = [folder + "/web", parent(of: folder) + "/share/pickerd/web"]
    // .build/x86_64-unknown-linux-gnu/release/pickerd
    var above = folder
    for _ in 0..<4 {
      above = parent(of: above)
      let isCheckout = RegularFile.stamp(of: above + "/Package.swift") != nil
      if isCheckout { candidates.append(above + "/web") }
    }
    return candidates.first(where: hasPage)
  }

  /// Whether `folder` has a demo page.
  package static func hasPage(_ folder: String) -> Bool {
    RegularFile.stamp(of: folder + "/demo/index.html") != nil
  }

  /// Whether `web/bundle.py` has bundled the modules of `folder`.
  package static func isBundled(_ folder: String) -> Bool {
    RegularFile.resolved(folder + "/client/-") != nil
  }

  private static func parent(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? path
  }
}
