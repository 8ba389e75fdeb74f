import ArgumentParser
import Glibc

/// `pickerd health`: whether a running server answers.
struct Health: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Ask a running server whether it is alive.",
    discussion: """
      Sends GET /healthz to the admin listener (--admin-listen of pickerd serve), and waits four \
      seconds for the answer. It is the health check of the image, which needs no shell for it.

      EXIT STATUS: 0 it is alive. 1 it is not; standard error says why. 64 usage error. 74 the \
      output cannot be written.
      """)

  /// Less than the time that the image's health check has.
  private static let milliseconds = 4_000

  @OptionGroup var admin: AdminAddress

  func run() throws {
    do {
      let client = try AdminClient(url: admin.url)
      _ = try client.request("GET", "/healthz", milliseconds: Health.milliseconds)
    } catch {
      throw complain("health", "\(error)", EXIT_FAILURE)
    }
    print("alive")
  }
}
