package import PickerHub
import PickerSession
import PickerWire

/// What an application's backend asks of a hub: to create, change, decide, read and end sessions.
///
/// Each `answer` is called exactly once, on the hub's thread: at once, or when the log has stored
/// what it must.
/// - Source: web/guide/README.md, "HTTP API and server-sent events".
package struct HostOperations {
  let seam: HostSeam

  /// The answer to a change that changes nothing.
  func unchanged(_ hosted: HostedSession) -> DefinitionAnswer {
    let (revision, version) = (hosted.session.revision, hosted.session.fold.version)
    return DefinitionAnswer(
      version: version, body: HTTPDocument.unchanged(revision: revision, version: version))
  }
}

extension Hub {
  package var host: HostOperations { HostOperations(seam: seam) }
}
