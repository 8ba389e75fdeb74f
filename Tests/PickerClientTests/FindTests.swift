import JSONText
import Testing

@testable import PickerClient

@Suite struct FindTests {
  private let long = """
    "definition":{"kind":"columns"},"status":"open","result":null,"columns":[{"generation":4,\
    "count":900,"from":0,"rows":[{"key":"a","text":"A"}],"row":0}]
    """

  private func found(_ id: Int, generation: Int = 4) -> String {
    #"{"type":"found","id":\#(id),"column":0,"generation":\#(generation),"rows":["#
      + #"{"row":812,"key":"MUC","text":"Munich","at":[0,3]},{"row":7,"key":"b","text":"B"}],"#
      + #""more":true}"#
  }

  private func results(
    _ ana: inout ClientFixture
  ) -> [Int: Result<PickerFound, PickerFailure>] {
    var results: [Int: Result<PickerFound, PickerFailure>] = [:]
    for case .found(let id, let result) in ana.takeEffects() { results[id] = result }
    return results
  }

  @Test func `the rows found are known, and can be selected`() throws {
    var ana = ClientFixture()
    ana.join(long)

    ana.give(.find("mün", column: 0, limit: 2))
    #expect(
      ana.sent().map { String(decoding: $0.serialized(), as: UTF8.self) } == [
        #"{"type":"find","id":1,"column":0,"text":"mün","limit":2}"#
      ])
    ana.receive(found(1))

    let result = try #require(results(&ana)[1]).get()
    #expect(result.hasMore && result.rows.map(\.match) == [0..<3, nil])
    #expect(
      result.selecting(result.rows[0])
        == .select(column: 0, row: 812, generation: 4, key: "MUC"))
    #expect(ana.state.selecting(key: "MUC", column: 0) == result.selecting(result.rows[0]))
    // A row found has no note, so it still has to be loaded.
    ana.give(.want(column: 0, rows: 812...812))
    #expect(ana.sentTypes() == ["rows"])
  }

  @Test func `rows of another generation are returned, and are not those of the column`() throws {
    var ana = ClientFixture()
    ana.join(long)
    ana.give(.find("b", column: 0, limit: 20))

    ana.receive(found(1, generation: 5))

    #expect(try results(&ana)[1]?.get().generation == 5)
    #expect(ana.state.columns[0][812] == nil)
  }

  @Test func `a later search replaces one, and a lost connection ends it`() {
    var ana = ClientFixture()
    ana.join(long)

    ana.give(.find("a", column: 0, limit: 20))
    ana.give(.find("b", column: 0, limit: 20))
    ana.receive(found(1))
    #expect(results(&ana) == [1: .failure(.replaced)])
    ana.give(.closed(code: 1006))
    #expect(results(&ana) == [2: .failure(.offline)])
    ana.give(.find("c", column: 0, limit: 20))
    #expect(results(&ana) == [3: .failure(.offline)])
  }

  @Test func `a refusal is that of the search`() {
    var ana = ClientFixture()
    ana.join(long)
    ana.give(.find("a", column: 9, limit: 20))

    ana.receive(
      #"{"type":"refused","id":1,"code":"noSuchColumn","detail":"no","revision":0,"changes":[]}"#)

    #expect(results(&ana) == [1: .failure(.refused(.noSuchColumn, detail: "no"))])
  }

  @Test(arguments: ["", String(repeating: "é", count: 65)])
  func `a text that the server would close the connection for is not sent`(_ text: String) {
    var ana = ClientFixture()
    ana.join(long)
    ana.give(.find(text, column: 0, limit: 20))

    #expect(ana.sent().isEmpty)
    ana.give(.find(text, column: 0, limit: 20))
    #expect(results(&ana) == [2: .failure(.badValue)])
  }
}
