import ArgumentParser
import CivilTime
import CMachine
import Foundation
import PickerServer

/// `pickerd key`: edits the key file of a host.
struct Keys: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key",
    abstract: "Add, list and revoke API keys, in the file of --auth keys:FILE or --admin-keys.",
    discussion: """
      A running server reads the file again when it changes, and on SIGHUP. The file is YAML or \
      JSON. It is written as JSON, which is also YAML; one with comments is not changed. \
      The file contains digests of secrets, public keys, and the secrets of keys that sign tokens \
      with HS256; only its owner may read it (mode 0600). A secret is printed once and cannot be \
      shown again.

        pickerd key add keys.yaml backend --scope sessions
        pickerd key add keys.yaml signing --scope tokens --alg HS256
        pickerd key list keys.yaml
        pickerd key revoke keys.yaml backend

      EXIT STATUS: 0 success. 64 usage error. 65 the file is invalid, already has the key, or does \
      not have it.
      """,
    subcommands: [Add.self, List.self, Revoke.self])

  struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add a key and print it: pk_ID.SECRET.",
      discussion: """
        To rotate a key, add a second one, switch the host to it, and revoke the first one.

        SCOPES: sessions: create, read, change and delete any session. feed: read the feed. \
        metrics: read the metrics, with --admin-keys. decide: settle confirmations. tokens: sign \
        member tokens, with --alg. With HS256 the host signs with the key's secret (the part after \
        the dot), which the file then contains; use a separate key for that. With ES256 or EdDSA \
        the host has a private key, and the file its public key: openssl pkey -in private.pem \
        -pubout.
        """)

    @Argument(help: "The key file; it is created if it does not exist.")
    var file: String

    @Argument(help: "The key's id: letters, digits, - and _. Tokens name it in kid.")
    var id: String

    @Option(
      help: ArgumentHelp(
        "A scope; can be repeated.", valueName: "sessions|feed|metrics|decide|tokens"))
    var scope: [String]

    @Option(help: ArgumentHelp("When the key expires, as 2027-01-31T00:00:00Z.", valueName: "time"))
    var notAfter: String?

    @Option(
      help: ArgumentHelp(
        "A network that may use the key, as 10.0.0.0/8; can be repeated. (default: any)",
        valueName: "cidr"))
    var network: [String] = []

    @Option(
      help: ArgumentHelp(
        "The namespace of the key: it sees, changes and creates only sessions of its namespace, "
          + "and admits only to those. (default: all sessions)",
        valueName: "name"))
    var namespace: String?

    @Option(
      help: ArgumentHelp(
        "The algorithm of member tokens, with the scope tokens.", valueName: "HS256|ES256|EdDSA"))
    var alg: String?

    @Option(help: "A PEM file with the public key, with ES256 and EdDSA.")
    var publicKey: String?

    func run() throws {
      var scopes: Set<KeyScope> = []
      for text in scope {
        guard let scope = KeyScope(rawValue: text) else {
          let known = KeyScope.allCases.map(\.rawValue).joined(separator: ", ")
          throw ValidationError("--scope \(text) is not one of \(known)")
        }
        scopes.insert(scope)
      }
      var key = NewKey(id: id, scopes: scopes)
      key.networks = network
      key.namespace = namespace
      if let notAfter {
        guard let instant = Instant(rfc3339: notAfter.utf8) else {
          throw ValidationError("--not-after must be a time such as 2027-01-31T00:00:00Z")
        }
        key.notAfter = instant
      }
      if let alg {
        guard let algorithm = TokenAlgorithm(rawValue: alg) else {
          throw ValidationError("--alg must be HS256, ES256 or EdDSA")
        }
        key.algorithm = algorithm
      }
      key.publicKey = try publicKey.map { try textFile($0, "--public-key") }
      let added = try changing(file, creates: true) { keys throws(KeyFileProblem) in
        try keys.add(key)
      }
      print(added ?? "key \(id) added; it has no secret")
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the keys, without secrets.")

    @Argument(help: "The key file.")
    var file: String

    func run() throws {
      let keys = try changingNothing(file)
      for key in keys.keys {
        let scopes = KeyScope.allCases.filter(key.scopes.contains).map(\.rawValue)
        var facts = [key.id, scopes.joined(separator: ",")]
        if let algorithm = key.tokenAlgorithm { facts.append(algorithm.rawValue) }
        if let notAfter = key.notAfter {
          let now = Instant(milliseconds: machine_wall_ms())
          facts.append((key.isExpired(at: now) ? "expired " : "until ") + notAfter.rfc3339Seconds)
        }
        if let namespace = key.namespace { facts.append("namespace \(namespace)") }
        if !key.networks.isEmpty { facts.append("from " + key.networks.joined(separator: ",")) }
        print(facts.joined(separator: "  "))
      }
    }
  }

  struct Revoke: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remove a key.",
      discussion: """
        Requests with the key are refused as soon as the server has read the file again, and so \
        are tokens that it signed. Connected members stay until their tokens expire; \
        POST /v1/sessions/ID/revoke closes their connections.
        """)

    @Argument(help: "The key file.")
    var file: String

    @Argument(help: "The key's id.")
    var id: String

    func run() throws {
      try changing(file, creates: false) { keys throws(KeyFileProblem) in try keys.revoke(id) }
      print("key \(id) revoked")
    }
  }
}

@discardableResult
private func changing<Value>(
  _ file: String, creates: Bool, _ body: (inout KeyFile) throws(KeyFileProblem) -> Value
) throws -> Value {
  do {
    return try KeyFile.change(file, creates: creates, body)
  } catch {
    throw complain("key", error.description)
  }
}

private func changingNothing(_ file: String) throws -> KeyFile {
  do {
    return try KeyFile(path: file)
  } catch {
    throw complain("key", error.description)
  }
}

func textFile(_ path: String, _ option: String) throws -> String {
  guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
    throw ValidationError("\(option) \(path) cannot be read")
  }
  return text
}
