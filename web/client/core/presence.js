// Members and their touches, from `presence` messages and member lists.

/** @typedef {import("./types").Member} Member */
/** @typedef {import("./types").Message} Message */
/** @typedef {import("./types").Notice} Notice */
/** @typedef {import("./state.js").PickerState} PickerState */

/** @param {PickerState} state @param {Message} message @returns {Notice[]} */
export function takePresence(state, message) {
  /** @type {Notice[]} */
  const notices = [];
  for (const member of message.joined ?? []) {
    if (!state.members.has(member.id)) notices.push({ kind: "joined", member, mine: false });
    state.members.set(member.id, member);
  }
  for (const member of message.changed ?? []) notices.push(...change(state, member));
  for (const id of message.left ?? []) {
    const member = state.members.get(id);
    if (member) notices.push({ kind: "left", member, mine: false });
    state.members.delete(id);
    state.touching.delete(id);
  }
  for (const touch of message.touching ?? []) {
    if (touch.column === undefined && touch.date === undefined) state.touching.delete(touch.member);
    else state.touching.set(touch.member, touch);
  }
  return notices;
}

/**
 * Replaces the list of members by the one of `welcome` or `snapshot`.
 * @param {PickerState} state @param {Member[]} members
 */
export function takeMembers(state, members) {
  if (members.length === 0) return;
  state.members = new Map(members.map((member) => [member.id, member]));
  const self = state.self && state.members.get(state.self.id);
  if (self) state.self = self;
}

/** @param {PickerState} state @param {Member} member @returns {Notice[]} */
function change(state, member) {
  /** @type {Notice[]} */
  const notices = [];
  const before = state.members.get(member.id);
  if (before?.online && !member.online) notices.push({ kind: "away", member, mine: false });
  if (before && !before.online && member.online) notices.push({ kind: "back", member, mine: false });
  if (before && before.role !== member.role) {
    notices.push({ kind: "promoted", member, mine: member.id === state.self?.id });
  }
  state.members.set(member.id, member);
  if (!member.online) state.touching.delete(member.id);
  if (member.id === state.self?.id) state.self = member;
  return notices;
}
