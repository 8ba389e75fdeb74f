// The texts of the demo page in Japanese.

/** @type {import("./types").DemoWords} */
export const ja = {
  untitled: "共有ピッカー", qrText: "スマートフォンで読み取ると参加できます。",
  qrLocal: (port) => `このアドレスにはこのコンピューターからしかアクセスできません。スマートフォンから参加するには make run LISTEN=0.0.0.0:${port} で起動してください。`,
  back: "すべてのピッカー", settings: "設定", languageLabel: "言語", theme: "テーマ",
  themes: { system: "システムに合わせる", light: "ライト", dark: "ダーク" },
  name: "お名前", guest: (number) => `ゲスト ${number}`, skip: "ピッカーへ移動",
  pickers: {
    date: "今日までの日付", slot: "予約の時間枠", linked: "連動する列", month: "月間カレンダー", range: "2 回のタップで期間",
    table: "テーブルを予約", stay: "料金つきの滞在", ask: "承認が必要な予約", weekend: "週末を探す", hour: "時間を探す", evening: "一晩に6席",
  },
  columnLabels: { cascade: "省,市,区", columns: "システム,フレームワーク,データベース" },
  yours: "あなたのピッカー", invited: "招待されています", invites: (name) => `${name}さんからの招待`,
  message: (name, title) => `${name}さんが「${title}」に招待しています`,
  askName: "お名前を教えてください", nameText: "ほかの参加者に表示されます。いつでも変更できます。", saveName: "保存",
  decides: {
    you: "最後にあなたが確定します。", owner: (name) => `最後に${name}さんが確定します。`,
    somebody: "最後に招待した人が確定します。", host: "最後にホストが確定します。",
  },
  confirmedBy: (name) => `確定した人：${name}`, cancelledBy: (name) => `中止した人：${name}`, you: "あなた", done: "完了",
  developers: "開発者向け", forgetPicker: "この端末からこのピッカーを削除",
  nothingHere: "このアドレスにページはありません。", nothingHereText: "アドレスが間違っているか、不完全な可能性があります。",
  addToCalendar: "カレンダーに追加", calendarFile: "カレンダーファイル (.ics)",
  share: "ほかの人を招待", shareText: "このリンクを開いた全員がいっしょに選べます。", copy: "リンクをコピー", copied: "コピーしました。",
  copyFailed: "ブラウザーがコピーを許可しませんでした。リンクを選んでコピーしてください。",
  roleEditor: "編集可", roleViewer: "閲覧のみ",
  secondWindow: "別のウィンドウで開く",
  ended: "このピッカーは終了しました。", endedText: "オーナーが削除したか、有効期限が切れたか、最大サイズに達しました。このリンクはもう使えません。",
  newOne: "同じものを新しく開く", notFound: "このリンクにピッカーはありません。", notFoundText: "リンクが不完全な可能性があります。以前は開けた場合、ピッカーが削除されたか、有効期限が切れています。",
  noAccess: "このリンクではアクセスできません。", noAccessText: "トークンがないか、期限が切れています。送った人に新しいリンクを依頼し、ここに貼り付けてください。",
  pasteLink: "リンク", enter: "参加", notALink: "アクセスできるリンクまたはトークンではありません。",
  elsewhere: "別のウィンドウで開いています。", elsewhereText: "1 人が使えるウィンドウは 1 つです。こちらで続けると、もう一方は切断されます。", useHere: "ここで使う",
  away: "このページのバージョンがサーバーと一致しません。", awayText: "再読み込みしてください。", reload: "再読み込み",
  createFailed: (detail) => `サーバーはピッカーを作れませんでした：${detail}`, unreachable: "サーバーに接続できません。接続を確認して、もう一度お試しください。", retry: "再試行",
};
