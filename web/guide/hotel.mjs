/**
 * A hotel's backend with pickerd: guests book nights in two double rooms, and so does the desk.
 *
 *     . ./hotel.env && node hotel.mjs 8000 http://127.0.0.1:7681 books.json
 *
 * Needs Node 18 or later and @pickerd/server. hotel.md explains it step by step.
 */
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { Pickerd, signToken } from "@pickerd/server";

const [PORT, PICKERD, FILE] = process.argv.slice(2);
const { HOTEL_KEY, HOTEL_SIGNING, HOTEL_DESK } = process.env;
const ROOM = { kind: "calendar", unit: "nights", timeZone: "Europe/Berlin", min: "today",
  months: { from: "thisMonth", through: "thisMonth+P6M" }, maxNights: 14, currency: "EUR" };
const INVENTORY = { capacity: 2, few: 1, waiting: true };
const STAY = { uses: "double", title: { en: "Your stay", de: "Ihr Aufenthalt" }, reopen: "host",
  cancel: "host", ttlSeconds: 365 * 86_400 };
const pickerd = new Pickerd(PICKERD, HOTEL_KEY);

let books = { guests: {}, stays: {}, cursor: "" };
if (existsSync(FILE)) books = JSON.parse(readFileSync(FILE));

/** A transaction: the file has all of a change or nothing, and before anybody can see it. */
function write(change) {
  const changed = structuredClone(books);
  change(changed);
  writeFileSync(`${FILE}.new`, JSON.stringify(changed), { mode: 0o600, flush: true });
  renameSync(`${FILE}.new`, FILE);
  books = changed;
}

const nights = (from, count) => Array.from({ length: count }, (_, more) =>
  new Date(Date.parse(from) + more * 86_400_000).toISOString().slice(0, 10));

/** Rooms and prices, in the pickers of all guests. What is equal changes nothing. */
async function showRooms() {
  const next = nights(new Date().toISOString(), 220);
  const days = Object.fromEntries(next.map((night) => [night, { text: "€ 120", amount: 120 }]));
  await pickerd.putShared("double", { definition: ROOM, inventory: INVENTORY, notes: { days } });
}

/** Writes what was booked into the books, together with the cursor. */
async function follow() {
  const types = ["session.confirmed", "session.cancelled", "session.reopened"];
  for await (const { data, cursor } of pickerd.feed({ after: books.cursor, types })) {
    const changes = data ? [data] : await repair(); // Without data, events were missed.
    write((changed) => {
      for (const { session, external, status, result } of changes)
        if (status === "confirmed") changed.stays[session] = { guest: external, ...result };
        else delete changed.stays[session];
      changed.cursor = cursor;
    });
  }
}

/** All sessions. A stay without one was lost with a restored backup: its nights are booked again. */
async function repair() {
  const found = [];
  const query = { uses: "double", include: "result" };
  for await (const one of pickerd.sessions(query)) found.push(one);
  for (const [id, stay] of Object.entries(books.stays))
    if (!found.some(({ session }) => session === id))
      await pickerd.book("double", `lost ${id}`, nights(stay.start, stay.nights), { over: true });
  return found;
}

// The pages of the guests, and of the desk

/** A guest's link leads to pickerd's own page, with a new token each time. */
async function stayPage(guest) {
  const { session } = await pickerd.createBy(guest, STAY);
  const claims = { session, role: "owner", sub: guest, name: books.guests[guest], seconds: 43_200 };
  return [303, `${PICKERD}/s/${session}#token=${signToken(HOTEL_SIGNING, claims)}`];
}

/** Books for somebody at the desk. The same form again, after an error, is the same stay. */
async function walkIn({ guest, arrival, departure }) {
  const { session } = await pickerd.createBy(guest, STAY);
  const set = { type: "set", result: { start: arrival, end: departure } };
  const { type } = await pickerd.command(session, set);
  if (type !== "refused") await pickerd.command(session, { type: "confirm" });
  const { status } = await pickerd.session(session);
  return [200, status === "confirmed" ? "Booked." : "These nights cannot be booked."];
}

const form = (...dates) => `<form method="post"><input type="hidden" name="guest"
  value="${randomUUID()}">Name <input name="name" maxlength="64" required>${dates.map((date) =>
  ` ${date} <input type="date" name="${date}" required>`).join("")} <button>Go on</button></form>`;

/** The status, and the page or the address to which it leads. */
async function answer(path, fields) {
  if (/^[\w-]{36}$/.test(fields.guest) && fields.name)
    write(({ guests }) => (guests[fields.guest] ??= fields.name.slice(0, 64)));
  if (path === "/") return fields.guest ? [303, `/stays/${fields.guest}`] : [200, form()];
  if (path === `/desk/${HOTEL_DESK}`)
    return fields.guest ? walkIn(fields) : [200, form("arrival", "departure")];
  const guest = path.replace("/stays/", "");
  return books.guests[guest] ? stayPage(guest) : [404, "There is no such page."];
}

await showRooms().catch(console.error);
createServer({ captureRejections: true }, async (request, response) => {
  let body = "";
  for await (const chunk of request) if ((body += chunk).length > 10_000) return request.destroy();
  const fields = Object.fromEntries(new URLSearchParams(body));
  const [status, content] = await answer(request.url, fields).catch((error) => {
    console.error(error);
    return [503, "Try again."];
  });
  const headers = { "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store" };
  response.writeHead(status, status === 303 ? { ...headers, Location: content } : headers);
  response.end(status === 303 ? "" : `<!doctype html><title>The hotel</title>${content}`);
}).on("error", console.error).listen(PORT, "127.0.0.1");
setInterval(() => showRooms().catch(console.error), 3_600_000); // Prices for one more night.
for (;;) {
  await showRooms().then(follow).catch(console.error); // It goes on after its cursor.
  await new Promise((resolve) => setTimeout(resolve, 1000));
}
