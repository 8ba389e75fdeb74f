import CivilTime
import PickerModel
import Testing

@Suite struct TextsTests {
  private func texts(_ json: String, _ now: String, _ texts: any RowTexts) throws -> [[String]] {
    try Picker(json, at: now).columns.map { column in
      (0..<column.rows.count).map { column.rows.text(at: $0, in: texts) }
    }
  }

  @Test func `dates have English and Chinese texts`() throws {
    let json = #"{"kind":"date","min":"2018-07-05","max":"2018-07-25"}"#

    let english = try texts(json, "2018-07-25T00:00:00Z", EnglishTexts())
    let chinese = try texts(json, "2018-07-25T00:00:00Z", SimplifiedChineseTexts())

    #expect(english.map(\.first) == ["2018", "July", "5"])
    #expect(english.map(\.last) == ["2018", "July", "25"])
    #expect(chinese.map(\.first) == ["2018年", "07月", "05日"])
    #expect(chinese.map(\.last) == ["2018年", "07月", "25日"])
  }

  @Test func `slots have English and Chinese texts`() throws {
    let json = #"{"kind":"slot","timeZone":"Asia/Shanghai"}"#
    let now = "2018-11-23T08:45:00+08:00"

    let english = try texts(json, now, EnglishTexts())
    let chinese = try texts(json, now, SimplifiedChineseTexts())

    #expect(english[0] == ["Today, Nov 23", "Sat, Nov 24", "Sun, Nov 25"])
    #expect(chinese[0] == ["11月23日 今天", "11月24日 星期六", "11月25日 星期天"])
    #expect(english[1].first == "09")
    #expect(chinese[1].prefix(2) == ["9点", "10点"])
    #expect(english[2].first == "10")
    #expect(chinese[2].first == "10分")
    #expect(
      try texts(#"{"kind":"slot"}"#, "2019-01-01T00:00:00Z", SimplifiedChineseTexts())[0][0]
        == "01月01日 今天")
  }

  @Test func `all months and weekdays have names`() {
    let (english, chinese) = (EnglishTexts(), SimplifiedChineseTexts())
    #expect(
      (1...12).map(english.month).map { $0.prefix(3) }.joined(separator: " ")
        == "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec")
    #expect((1...12).map(chinese.month).first == "01月")
    let days = (18...24).map { CivilDate("2018-11-\($0)") }
    #expect(
      days.map { english.slotDay($0, isToday: false) }.map { $0.prefix(3) }
        == ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"])
    #expect(
      days.map { String(chinese.slotDay($0, isToday: false).last!) }
        == ["天", "一", "二", "三", "四", "五", "六"])
    #expect(english.cell(1) == "1")
    #expect(chinese.cell(31) == "31")
    #expect([english.tag, chinese.tag] == ["en", "zh-Hans"])
    #expect(chinese.minute(0) == "00分")
    #expect(english.minute(0) == "00")
  }
}
