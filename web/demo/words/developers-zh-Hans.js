// The texts of the panels for developers in simplified Chinese.

/** @type {import("./types").DeveloperWords} */
export const zhHans = {
  host: {
    heading: "商家", text: "扮演商家的后台：在大家选择的同时更改可选内容，每个人的选择器会立即随之变化。",
    command: "命令行命令", copy: "复制", selected: "已选中，请复制",
    days: "点击要更改的日期", soldOut: "售完", price: "价格",
    noteText: "备注", tone: "评价", tones: { none: "无", low: "偏低", high: "偏高", good: "好", bad: "差" },
    longest: "最多天数", daysLabel: "天数", nightsLabel: "晚数", latest: "最晚日期", dateLabel: "日期", set: "设置",
    take: "其他人预订了所选时间", takeTime: (time) => `占用 ${time}`,
    free: "取消最后一个预订", freeTime: (time) => `释放 ${time}`,
    lunch: "午休", closeLunch: (day) => `${day} 12 点至 14 点停业`, openLunch: (day) => `${day} 恢复正常营业`,
    column: "列", rename: "重命名所选行", newName: "新名称", renameButton: "重命名",
    remove: "移除所选行", removeRow: (text) => `移除 ${text}`, note: "所选行旁的备注",
    asked: "同意这个预订", grant: "同意", denied: "说明原因并拒绝", deny: "拒绝", reason: "原因",
    failed: (detail) => `服务器未作更改：${detail}`,
  },
  definition: "定义", definitionText: "此选择器当前的 JSON。修改后可作为新的选择器打开。",
  checking: "正在检查…", fine: "此定义有效。", openThis: "作为新选择器打开", reset: "重置",
  mistakeAt: (pointer, detail) => `${pointer || "定义"}：${detail}`,
  noJSON: (detail) => `JSON 无效：${detail}`, line: (line) => `第 ${line} 行`,
  messages: "消息", messagesText: "此窗口与服务器之间的原始消息。",
  pause: "暂停", resume: "继续", empty: "还没有消息。",
  latency: (milliseconds) => `${milliseconds} 毫秒`, latencyTitle: "从您上次点击到服务器回应",
  revision: (revision) => `修订 ${revision}`,
};
