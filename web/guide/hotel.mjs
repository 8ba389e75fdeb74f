/**
 * A hotel's backend with pickerd: guests choose nights in a double room, and the hotel decides.
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
const ROOMS = 2;
const ROOM = { kind: "calendar", unit: "nights", timeZone: "Europe/Berlin", min: "today",
  months: { from: "thisMonth", through: "thisMonth+P6M" }, maxNights: 14, currency: "EUR" };
const STAY = { uses: "double", title: { en: "Your stay", de: "Ihr Aufenthalt" }, reopen: "host",
  decide: { by: "host", seconds: 300 } };
const SOLD_OUT = { en: "The last room has just been booked.",
  de: "Das letzte Zimmer wurde gerade gebucht." };
const pickerd = new Pickerd(PICKERD, HOTEL_KEY);

let books = { guests: {}, decisions: {}, cursor: "" };
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
const stays = () => Object.values(books.decisions).filter((one) =>
  one.isGranted && !["late", "ended"].includes(one.outcome));
const isFull = (night) => stays().filter(({ start, end }) =>
  start <= night && night < end).length >= ROOMS;

/** Writes a decision, once: the stay is granted if each night has a room. */
function decide({ op, session, external, result }) {
  if (!books.guests[external] || books.decisions[op]) return;
  const isGranted = !nights(result.start, result.nights).some(isFull);
  write(({ decisions }) => (decisions[op] = { session, guest: external, ...result, isGranted }));
}

// The books and pickerd are brought together. Each step may be repeated after an error or a crash.

const attempt = (step) => step().catch((error) => console.error(error)); // Stops nothing else.

async function settleAll() {
  for (const [op, { session, isGranted, outcome }] of Object.entries(books.decisions))
    if (!outcome) await attempt(async () => {
      const reason = isGranted ? undefined : SOLD_OUT;
      const stands = await pickerd.settle(session, op, isGranted, { reason });
      write(({ decisions }) => (decisions[op].outcome = stands));
    });
}

async function decideMissed() {
  for await (const { session } of pickerd.sessions({ status: "confirming" }))
    await attempt(async () => {
      const found = await pickerd.session(session);
      if (found.op) decide({ ...found, result: found.snapshot.result });
    });
}

async function showRooms() {
  const next = nights(new Date().toISOString(), 220);
  const taken = next.filter(isFull).map((night) => [night, { from: night, through: night }]);
  const days = next.map((night) => [night, { text: "€ 120", amount: 120 }]);
  await pickerd.putShared("double", { definition: { ...ROOM, taken: Object.fromEntries(taken) },
    notes: { days: Object.fromEntries(days) } });
}

async function round() {
  for (const step of [settleAll, decideMissed, settleAll, showRooms]) await attempt(step);
}

async function follow() {
  const types = ["session.confirming"];
  for await (const { data, cursor } of pickerd.feed({ after: books.cursor, types })) {
    if (data) decide(data); // Without data, events were missed: the round decides about those.
    write((changed) => (changed.cursor = cursor));
    await round();
  }
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
  if ((await pickerd.session(session)).status === "open") {
    await pickerd.command(session, { type: "clear" });
    await pickerd.command(session, { type: "tap", date: arrival, hits: 0 });
    await pickerd.command(session, { type: "tap", date: departure, hits: 1 });
    const { revision, snapshot: { result } } = await pickerd.session(session);
    if (result?.start === arrival && result.end === departure)
      await pickerd.command(session, { type: "confirm", at: revision });
  }
  await round();
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

const server = createServer((request, response) => attempt(async () => {
  let body = "";
  for await (const chunk of request) if ((body += chunk).length > 10_000) return request.destroy();
  const fields = Object.fromEntries(new URLSearchParams(body));
  const [status, content] = await attempt(() => answer(request.url, fields)) ?? [503, "Try again."];
  const headers = { "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store" };
  response.writeHead(status, status === 303 ? { ...headers, Location: content } : headers);
  response.end(status === 303 ? "" : `<!doctype html><title>The hotel</title>${content}`);
}));
await round();
server.listen(PORT, "127.0.0.1");
follow();
for (;;) {
  await new Promise((resolve) => setTimeout(resolve, 10_000));
  await round();
}
