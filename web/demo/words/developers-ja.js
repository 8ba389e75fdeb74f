// The texts of the panels for developers in Japanese.

/** @type {import("./types").DeveloperWords} */
export const ja = {
  host: {
    heading: "ホスト", text: "ホストのバックエンドになってみましょう。みんなが選んでいる間に選択肢を変えると、全員のピッカーにすぐ反映されます。",
    command: "シェルのコマンド", copy: "コピー", selected: "選択しました。コピーしてください",
    days: "変更する日をクリックします", soldOut: "空きなし", price: "料金",
    noteText: "メモ", tone: "評価", tones: { none: "なし", low: "低め", high: "高め", good: "良い", bad: "悪い" },
    longest: "最大日数", daysLabel: "日数", nightsLabel: "泊数", latest: "選べる最後の日", dateLabel: "日付", set: "設定",
    take: "選択中の時間をほかの人が予約します", takeTime: (time) => `${time} を予約済みにする`,
    free: "最後の予約を取り消します", freeTime: (time) => `${time} を空ける`,
    lunch: "昼休み", closeLunch: (day) => `${day} の 12 時から 14 時を休業にする`, openLunch: (day) => `${day} を通常営業に戻す`,
    column: "列", rename: "選択中の行の名前を変えます", newName: "新しい名前", renameButton: "変更",
    remove: "選択中の行を削除します", removeRow: (text) => `${text} を削除`, note: "選択中の行につけるメモ",
    asked: "予約を承認します", grant: "承認", denied: "理由をつけて拒否します", deny: "拒否", reason: "理由",
    failed: (detail) => `サーバーは変更しませんでした：${detail}`,
  },
  definition: "定義", definitionText: "このピッカーの現在の JSON です。編集して新しいピッカーとして開けます。",
  checking: "確認中…", fine: "この定義は有効です。", openThis: "新しいピッカーとして開く", reset: "リセット",
  mistakeAt: (pointer, detail) => `${pointer || "定義"}：${detail}`,
  noJSON: (detail) => `有効な JSON ではありません：${detail}`, line: (line) => `${line} 行目`,
  messages: "メッセージ", messagesText: "このウィンドウとサーバーの間のメッセージを、そのまま表示します。",
  pause: "一時停止", resume: "続ける", empty: "まだ何もありません。",
  latency: (milliseconds) => `${milliseconds} ミリ秒`, latencyTitle: "最後のタップからサーバーの応答まで",
  revision: (revision) => `リビジョン ${revision}`,
};
