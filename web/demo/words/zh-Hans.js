// The texts of the demo page in simplified Chinese.

/** @type {import("./types").DemoWords} */
export const zhHans = {
  untitled: "共享选择器", qrText: "用手机扫一扫即可加入。",
  qrLocal: (port) => `只有本机能访问此地址；要让手机加入，请用 make run LISTEN=0.0.0.0:${port} 启动 pickerd。`,
  back: "全部选择器", settings: "设置", languageLabel: "语言", theme: "主题",
  themes: { system: "跟随系统", light: "浅色", dark: "深色" },
  name: "您的名字", guest: (number) => `访客 ${number}`, skip: "跳到选择器",
  pickers: {
    date: "不晚于今天的日期", slot: "预约时段", linked: "多列联动", month: "一个月的日历", range: "两次点击选区间",
    table: "预订餐桌", stay: "带价格的住宿", ask: "需要确认的预订", weekend: "找个周末", hour: "找个时间", evening: "一晚六个名额",
  },
  columnLabels: { cascade: "省,市,区", columns: "系统,框架,数据库" },
  yours: "您的选择器", invited: "您受邀参加", invites: (name) => `${name} 邀请您参加`,
  message: (name, title) => `${name} 邀请您参加“${title}”`,
  askName: "您叫什么名字？", nameText: "其他人会看到这个名字。您可以随时更改。", saveName: "保存",
  decides: {
    you: "最后由您确认。", owner: (name) => `最后由 ${name} 确认。`,
    somebody: "最后由邀请您的人确认。", host: "最后由商家确认。",
  },
  confirmedBy: (name) => `确认人：${name}`, cancelledBy: (name) => `取消人：${name}`, you: "您", done: "完成",
  developers: "开发者选项", forgetPicker: "在此设备上移除此选择器",
  nothingHere: "此地址没有页面。", nothingHereText: "地址可能有误或不完整。",
  addToCalendar: "添加到日历", calendarFile: "日历文件 (.ics)",
  share: "邀请其他人", shareText: "打开此链接的每个人都和您一起选择。", copy: "复制链接", copied: "已复制。",
  copyFailed: "浏览器不允许复制，请自行选中链接并复制。",
  roleEditor: "可以编辑", roleViewer: "只能查看",
  secondWindow: "在第二个窗口打开",
  ended: "此选择器已结束。", endedText: "所有者已将其删除，或它已过期或已达到最大大小。此链接已失效。",
  newOne: "打开一个同样的新选择器", notFound: "此链接下没有选择器。", notFoundText: "链接可能不完整。如果以前可以打开，则选择器已被删除或已过期。",
  noAccess: "此链接没有访问权限。", noAccessText: "缺少令牌，或令牌已过期。请向发送者索取新链接并粘贴到这里。",
  pasteLink: "链接", enter: "进入", notALink: "这不是有访问权限的链接或令牌。",
  elsewhere: "您已在另一个窗口中打开此选择器。", elsewhereText: "每个人同时只能使用一个窗口。在此处继续后，另一个窗口会断开。", useHere: "在此处使用",
  away: "此页面与服务器版本不匹配。", awayText: "请刷新页面以获得匹配的版本。", reload: "刷新",
  createFailed: (detail) => `服务器没有创建选择器：${detail}`, unreachable: "无法连接服务器。请检查网络连接后重试。", retry: "重试",
};
