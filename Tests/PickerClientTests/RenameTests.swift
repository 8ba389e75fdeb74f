import JSONText
import Testing

@testable import PickerClient

/// A member changes its name.
@Suite struct RenameTests {
  private func name(_ ana: ClientFixture) -> [String?] {
    [ana.state.me?.name, ana.state.members.first?.name]
  }

  @Test func `a member has its new name when the reply arrives`() {
    var ana = ClientFixture()
    ana.join()

    ana.give(.command(.rename("Mia \"M\"")))
    #expect(ana.sent().map(\.compact) == [#"{"type":"rename","ref":1,"name":"Mia \"M\""}"#])
    #expect(name(ana) == ["Ana", "Ana"])
    ana.receive(#"{"type":"reply","ref":1,"revision":0}"#)

    #expect(name(ana) == ["Mia \"M\"", "Mia \"M\""])
    #expect(ana.settled() == [1: .success(0)])
  }

  @Test func `a refused rename changes nothing`() {
    var ana = ClientFixture()
    ana.join()
    ana.give(.command(.rename("Mia")))

    ana.receive(refused(1, "notAllowed", revision: 0))

    #expect(name(ana) == ["Ana", "Ana"])
  }

  @Test(arguments: ["", "  ", String(repeating: "é", count: 65)])
  func `a name that the server would close the connection for is not sent`(name: String) {
    var ana = ClientFixture()
    ana.join()

    ana.give(.command(.rename(name)))

    #expect(ana.effects.contains(.settled(ref: 1, .failure(.badName))))
    #expect(ana.sent().isEmpty && ana.state.pendingCount == 0)
    ana.give(.command(.rename(String(repeating: "é", count: 64))))
    #expect(ana.sentTypes() == ["rename"])
  }

  @Test func `a rename waits for a connection, and the next member joins with the new name`() {
    var ana = ClientFixture(ClientProfile(name: "Ana"))
    ana.join()
    ana.give(.closed(code: 1006))
    ana.give(.command(.rename("Mia")))
    ana.wait(1_000)
    ana.give(.opened)
    ana.receive(welcome(nil))
    #expect(ana.sentTypes() == ["join", "rename"])
    ana.receive(#"{"type":"reply","ref":1,"revision":0}"#)

    ana.readd()

    #expect(ana.sent().map { $0["name"]?.string } == ["Mia"])
  }

  @Test func `others see the new name`() {
    var ana = ClientFixture()
    ana.open()
    ana.receive(welcome(members: ",\(bo)"))
    ana.effects = []

    ana.receive(
      #"{"type":"presence","changed":[\#(bo.replacing("Bo", with: "Mia"))]}"#)

    #expect(ana.state.member("m_bo")?.name == "Mia")
    guard case .renamed(let member, before: "Bo")? = ana.notices().first else {
      Issue.record("there is no notice")
      return
    }
    #expect(member.name == "Mia")
  }
}

extension JSONTree {
  var compact: String { String(decoding: serialized(), as: UTF8.self) }
}
