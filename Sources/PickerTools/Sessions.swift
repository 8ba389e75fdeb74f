import ArgumentParser
import Foundation
import JSONText
import PickerServer

/// `pickerd session`: the sessions of a running server.
struct Sessions: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "session",
    abstract: "List, show and end the sessions of a running server.",
    discussion: """
      Uses the admin listener (--admin-listen of pickerd serve), from the same machine. If the \
      server has --admin-keys or --auth keys, an API key with the scope sessions is needed, from \
      any machine.

        pickerd session list --status open
        pickerd session show SESSION
        pickerd session end SESSION

      EXIT STATUS: 0 success. 1 there is no such session. 64 usage error. 69 the server cannot be \
      reached, or refuses. 74 the output cannot be written.
      """,
    subcommands: [List.self, Show.self, End.self])

  struct Access: ParsableArguments {
    @OptionGroup var admin: AdminAddress
    @OptionGroup var key: AdminKey

    @Flag(help: "Print JSON.")
    var json = false

    func request(
      _ method: String, _ path: String, expecting statuses: Set<Int> = [200]
    ) throws -> AdminClient.Answer {
      do {
        let client = try AdminClient(url: admin.url, key: try key.read())
        return try client.request(method, path, expecting: statuses)
      } catch {
        throw complain("session", "\(error)", EX_UNAVAILABLE)
      }
    }

    /// Requests a session.
    func session(
      _ method: String, _ id: String, query: String = "", expecting status: Int
    ) throws -> [UInt8] {
      guard !id.isEmpty, id.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"/?#%".utf8.contains($0) })
      else {
        throw complain("session", "“\(id.prefix(80))” is not the id of a session", EX_USAGE)
      }
      let answer = try request(
        method, "/v1/admin/sessions/\(id)\(query)", expecting: [status, 404])
      guard answer.status == status else {
        throw complain("session", "there is no session \(id)", EXIT_FAILURE)
      }
      return answer.body
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the sessions: id, status, and the host's name.")

    @OptionGroup var access: Access

    @Option(
      help: ArgumentHelp(
        "Only sessions with this status.", valueName: "open|confirming|confirmed|cancelled"))
    var status: String?

    func run() throws {
      let filter = status.map { "&status=\($0)" } ?? ""
      var next: String? = "0"
      while let after = next {
        let answer = try access.request("GET", "/v1/sessions?limit=500&after=\(after)\(filter)")
        guard let page = try? JSONTree.parse(answer.body) else { return }
        for session in page["sessions"]?.array ?? [] { write(session) }
        next = page["next"]?.string
      }
    }

    private func write(_ session: JSONTree) {
      if access.json {
        return print(String(decoding: session.serialized(), as: UTF8.self))
      }
      let texts = ["session", "status", "external"].compactMap { session[$0]?.string }
      print(texts.map(printable).joined(separator: "  "))
    }
  }

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show a session: status, revision, title, hold and members; with --json all of it.")

    @OptionGroup var access: Access

    @Argument(help: "The session's id.")
    var session: String

    func run() throws {
      let body = try access.session("GET", session, expecting: 200)
      if access.json { return print(String(decoding: body, as: UTF8.self)) }
      guard let document = try? JSONTree.parse(body, depthMax: 160) else { return }
      for name in ["session", "external", "title", "status", "epoch", "revision", "version"] {
        guard let value = document[name] else { continue }
        let text = value.string ?? value.integer.map(String.init) ?? ""
        print("\(name): \(printable(text))")
      }
      if let units = document["snapshot"]?["units"]?.integer { print("units: \(units)") }
      if let hold = document["snapshot"]?["hold"] { print("hold: \(words(of: hold))") }
      for member in document["members"]?.array ?? [] {
        let texts = ["id", "role", "name"].compactMap { member[$0]?.string }
        let online = member["online"]?.bool == true ? "online" : "offline"
        print("member: " + (texts.map(printable) + [online]).joined(separator: "  "))
      }
    }

    /// `held 2026-12-24 until 2026-12-01T12:05:00.000Z`
    private func words(of hold: JSONTree) -> String {
      let keys = hold["keys"]?.array?.compactMap(\.string) ?? []
      let more: [String?] = [
        hold["until"]?.string.map { "until \($0)" }, hold["place"]?.integer.map { "place \($0)" },
      ]
      let words = [hold["state"]?.string ?? ""] + keys + more.compactMap(\.self)
      return words.map(printable).joined(separator: " ")
    }
  }

  struct End: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "End a session for good. Its members are disconnected, and its log is deleted.")

    @OptionGroup var access: Access

    @Flag(help: "Delete what the session has booked of an inventory, too.")
    var release = false

    @Argument(help: "The session's id.")
    var session: String

    func run() throws {
      _ = try access.session(
        "DELETE", session, query: release ? "?release=true" : "", expecting: 204)
      print("session \(session) has ended")
    }
  }
}
