import JSONText
import PickerModel
import Testing

@testable import PickerHub
@testable import PickerSession
@testable import PickerWire

/// A member that connects again while its older connection is open.
@Suite struct TakeoverTests {
  /// Connection 1 is Ana, and 2 sees her; nothing is pending.
  private func fixture() throws -> (fixture: HubFixture, ana: JSONTree) {
    let fixture = try HubFixture(letters)
    fixture.join(1)
    fixture.join(2)
    fixture.wait(1000)
    let welcome = try #require(fixture.received(1).first)
    fixture.forgetAll()
    return (fixture, welcome)
  }

  private func isOnline(_ welcome: JSONTree, _ fixture: HubFixture) -> Bool? {
    let member = MemberID(welcome["member"]?["id"]?.string ?? "")
    return fixture.hub.session(fixture.session)?.isOnline(member)
  }

  /// The values of `online` that a connection has received.
  private func changes(_ raw: UInt64, _ fixture: HubFixture) -> [Bool?] {
    fixture.received(raw).flatMap { $0["changed"]?.array ?? [] }.map { $0["online"]?.bool }
  }

  /// Regression: the others saw the member go offline and return.
  @Test func `the others get no message about a member that connects again`() throws {
    let (fixture, ana) = try fixture()

    fixture.join(3, fixture.resume(ana, revision: 0))
    fixture.disconnect(1)
    fixture.wait(1000)

    #expect(fixture.port.closes == [1: 4409])
    #expect(fixture.types(2).isEmpty)
    #expect(isOnline(ana, fixture) == true)
    fixture.disconnect(3)
    fixture.wait(1000)
    #expect(changes(2, fixture) == [false])
  }

  @Test func `a member is online while its new connection waits for the log`() throws {
    let (fixture, ana) = try fixture()
    fixture.log.outcome = .pending
    fixture.send(2, select(1, 0, 1))

    fixture.join(3, fixture.resume(ana, revision: 0))
    fixture.send(2, #"{"type":"touch","column":0,"row":1}"#)
    fixture.wait(1000)
    #expect(isOnline(ana, fixture) == true)
    fixture.store()
    fixture.wait(1000)

    #expect(fixture.types(3).first == "welcome")
    #expect(changes(2, fixture).isEmpty)
  }

  @Test func `a member whose new connection ends before its welcome is offline`() throws {
    let (fixture, ana) = try fixture()
    fixture.log.outcome = .pending
    fixture.send(2, select(1, 0, 1))
    fixture.join(3, fixture.resume(ana, revision: 0))
    fixture.join(4, fixture.resume(ana, revision: 0))
    fixture.disconnect(4)
    fixture.store()
    fixture.wait(1000)

    #expect(isOnline(ana, fixture) == false)
    #expect(changes(2, fixture) == [false])
    fixture.log.outcome = .stored
    fixture.wait(120_000)
    #expect(fixture.fold.members.count == 1)
  }

  @Test func `a touch ends with the connection that is replaced`() throws {
    let (fixture, ana) = try fixture()
    fixture.send(1, #"{"type":"touch","column":0,"row":1}"#)
    fixture.wait(1000)
    fixture.forgetAll()

    fixture.join(3, fixture.resume(ana, revision: 0))
    fixture.wait(1000)

    #expect(fixture.types(2) == ["presence"])
    #expect(fixture.hub.session(fixture.session)?.touches.isEmpty == true)
  }
}
