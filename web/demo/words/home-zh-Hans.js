// The texts of the home page in Simplified Chinese.

/** @type {import("./types").HomeWords} */
export const zhHans = {
  headline: "一个选择器，大家一起选。",
  lead: "一个开源服务器：让大家在各自的设备上，实时地一起选择日期、预约时段和入住期间。",
  docs: "阅读文档", free: "免费，Apache 2.0",
  tour: {
    phone: "Ana 的手机", laptop: "Bo 的电脑", hint: "在一边点选，另一边同步变化。", sellOut: (day) => `${day}售罄`,
    closed: "此服务器只为它自己的应用创建选择器。",
  },
  doors: {
    find: { title: "找个时间", text: "每个人标出有空的时间，最合适的排在最前面。" },
    stay: { title: "预订住宿", text: "入住、离店、价格，以及已被预订的日期。" },
    any: { title: "各种选择器", text: "时段、日期、联动列：十一个示例，每个只需一个链接。" },
  },
  embed: {
    title: "在您的页面中只需六行", text: "规则、更改的顺序和库存都在服务器上，您的页面只负责显示。",
    run: "运行服务器", runText: "从源代码运行，需要 Linux 和 Swift 6.2：单个进程，使用 SQLite 或 PostgreSQL。第二条命令创建一个选择器，响应中有它的 ID。", install: "作为容器或 Debian 软件包",
  },
  figures: { tap: "从点选到其他一百人看到的中位时间", size: "日历的大小（压缩后）", kill: "已确认的更改不会丢失" },
  footer: { docs: "文档", examples: "示例", packages: "软件包" },
  start: "一起挑选日期", cards: "十一个选择器，十一个链接",
  open: "打开", openLinked: "打开联动列", openColumns: "不联动的多列",
  texts: {
    date: "年、月、日。今天之后的日期不会置灰显示，而是不在列表中。",
    slot: "日期、小时、分钟：至少 20 分钟以后，每 10 分钟一档，随时间自动更新。",
    linked: "省、市、区：每一列都取决于前一列。",
    month: "月份列表，选择其中一天。",
    range: "第一天、最后一天，可以跨月；两个人可以各点一次。",
    table: "午餐或晚餐的餐桌：有营业时间、午休和已被预订的时段。",
    stay: "选择入住和离店日期，显示每晚价格和总价；商家可随时更改价格。",
    ask: "确认一个时间后由商家决定：同意预订、说明原因后拒绝，或在两分钟内不作答复。",
    weekend: "每个人标出合适的日子，最合适的周末实时显示在最上面。",
    hour: "每个人按自己的时区标出有空的时间：柏林和纽约并排显示。",
    evening: "每个周五和周六各有六个名额。暂留几个、让暂留到期，或者候补：由服务器计数。",
  },
  sale: {
    text: "每个周五和周六各有六个名额。一个人暂留的，其他人就订不到。",
    you: "您", other: "其他人", link: "打开此链接的人从同样的名额中选：",
  },
  find: {
    title: "标题", first: "从", last: "到", from: "最早", until: "最晚", zone: (city) => `时间为 ${city} 时间，每个人也会看到自己时区的时间。`,
    minutes: "时长", duration: (minutes) => (minutes < 60 ? `${minutes} 分钟` : `${minutes / 60} 小时`), weekends: "仅周六和周日", days: "连续天数",
    results: "谁能看到回答", everyone: "所有人，含姓名", counts: "所有人，仅人数", owner: "仅所有者",
    create: "创建链接", cancel: "取消",
    problems: {
      noTitle: "请输入标题。", past: "这个时间已经过去。", lastBeforeFirst: "请选择不早于第一天的日期。",
      tooManyDays: (days) => `最多可选 ${days} 天。`, untilBeforeFrom: "请选择晚于“最早”的时间。",
      tooLong: "所选时长超过了这段时间。", noWeekend: "所选日期内没有这样的周末。", tooFewDays: "所选日期范围没有这么多天。",
    },
  },
  what: "这次要定什么？", whatExample: "湖边的周末", plan: "一起的日子",
  recent: "您最近的选择器", forget: "清空列表",
};
