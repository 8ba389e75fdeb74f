/**
 * A ticket shop with pickerd: holds, a waiting list, payment, and bookings by telephone.
 *
 *     . ./tickets.env && node tickets.mjs 8000 http://127.0.0.1:7681 books.json
 *
 * Needs Node 18 or later, @pickerd/server, and tickets.html. tickets.md explains it.
 */
import { execSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { Pickerd, signToken } from "@pickerd/server";

const [PORT, PICKERD, FILE] = process.argv.slice(2);
const { TICKETS_KEY, TICKETS_SIGNING, TICKETS_DESK, TICKETS_MAIL } = process.env;
const EVENINGS = {
  definition: { kind: "calendar", selection: "single", min: "today", weeks: "fit",
    months: { from: "thisMonth", through: "thisMonth+P3M" } },
  inventory: { capacity: 6, units: { max: 4 }, few: 3, holdSeconds: 300, waiting: true } };
const ORDER = { uses: "evenings", title: "Your evening", reopen: "host", cancel: "host",
  oneMember: true, decide: { by: "host", seconds: 600 }, ttlSeconds: 60 * 86_400 };
const REFUSALS = { noSuchSession: "There is no such page.", soldOut: "This evening is sold out.",
  held: "Others hold these places.", waiting: "Others wait for these places." };
const PAGE = readFileSync("tickets.html", "utf8");
const pickerd = new Pickerd(PICKERD, TICKETS_KEY);
let books = existsSync(FILE) ? JSON.parse(readFileSync(FILE)) : { cursor: "", sales: {} };

/** Replaces the file as a whole: a crash leaves the old one or the new one. */
function write(changed) {
  writeFileSync(`${FILE}.new`, JSON.stringify(changed), { mode: 0o600, flush: true });
  renameSync(`${FILE}.new`, FILE);
  books = changed;
}

const orderOf = (id) => pickerd.request("GET", `/v1/sessions/by/${encodeURIComponent(id)}`);

/** Grants what is being confirmed, at € 40 a place: pickerd has booked it, and waits for that. */
async function pay(id) {
  const { session, op, snapshot: { result } } = await orderOf(id);
  if (op) await pickerd.settle(session, op, true, { data: { euros: 40 * result.units } });
}

/** Writes to the person of an order: it is confirmed, or offered what it waits for. */
function report(id, { session, status, meta, external, result, until }) {
  if (books.sales[session]) return;
  const places = `${result.units} x ${result.date}`;
  const text = status === "confirmed" ? `You have paid ${result.data.euros} EUR for ${places}.`
    : `${places} is yours until ${until}: http://127.0.0.1:${PORT}/orders/${external}`;
  const head = `To: ${meta.mail}\nSubject: Your evening\nMessage-ID: <${id}@theatre>\n`;
  execSync(TICKETS_MAIL, { input: `${head}\n${text}\n\n` });
  if (status === "confirmed") books.sales[session] = { ...result, meta };
}

async function follow() {
  await pickerd.putShared("evenings", EVENINGS);
  const types = ["session.offered", "session.confirmed"];
  for await (const { id, data, cursor } of pickerd.feed({ after: books.cursor, types })) {
    if (data) report(id, data);
    else for await (const { session } of pickerd.sessions({ uses: "evenings" })) {
      const { snapshot: { hold, result }, ...order } = await pickerd.session(session);
      if (order.status === "confirmed" || hold?.state === "offered")
        report(`${session}-${order.revision}`, { ...order, result, ...hold });
    }
    write({ ...books, cursor });
  }
}

const escaped = (text) => text.replace(/[&<"]/g, (one) => `&#${one.charCodeAt()};`);
const form = (label, id, ...names) => `<form method="post"><input type="hidden" name="id"
  value="${escaped(id)}">${names.map((name) => `<label>${name} <input name="${name}" required>
  </label> `).join("")}<button>${label}</button></form>`;

/** A form for callers, what they have booked, and what is sold of each evening. */
async function desk() {
  let text = form("Book", randomUUID(), "name", "evening", "places");
  for await (const { booking, keys, units, session } of pickerd.bookings("evenings"))
    if (!session) text += `${keys[0]}, ${units}: ${escaped(booking)}${form("Give back", booking)}`;
  for await (const { key, booked, held, offered, free, waiting } of pickerd.counts("evenings"))
    text += `<p>${key}: ${booked} booked, ${held + offered} held, ${free} free, ${waiting} wait`;
  return text;
}

/** Books for a caller, or gives that back; the same form again, after an error, does it once. */
const call = ({ id, name, evening, places }) => name
  ? pickerd.book("evenings", `${name.slice(0, 27)} ${id}`, [evening], { units: +places })
  : pickerd.deleteBooking("evenings", id);

/** The status, and the page or the address to which it leads. */
async function answer(path, { id, ...fields }) {
  if (path === "/" && /^[\w-]{36}$/.test(id) && /^[^\s@]+@[^\s@]+$/.test(fields.mail)) {
    await pickerd.createBy(id, { ...ORDER, meta: fields });
    return [303, `/orders/${id}`];
  }
  if (path === "/") return [200, form("Choose an evening", randomUUID(), "name", "mail")];
  if (path === `/desk/${TICKETS_DESK}`)
    return [200, (id && await call({ id, ...fields }), await desk())];
  const order = path.replace("/orders/", "");
  if (id) return [303, (await pay(order), path)];
  const { session, meta } = await orderOf(order);
  const claims = { session, role: "owner", sub: order, name: meta.name, seconds: 43_200 };
  const values = { PICKERD, SESSION: session, TOKEN: signToken(TICKETS_SIGNING, claims) };
  return [200, PAGE.replace(/PICKERD|SESSION|TOKEN/g, (name) => values[name])];
}

createServer({ captureRejections: true }, async (request, response) => {
  let body = "";
  for await (const chunk of request) if ((body += chunk).length > 10_000) return request.destroy();
  const fields = Object.fromEntries(new URLSearchParams(body));
  const [status, content] = await answer(request.url, fields).catch((error) => {
    console.error(error);
    return [error.status || 503, REFUSALS[error.code] ?? "Try again."];
  });
  const headers = { "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store" };
  response.writeHead(status, status === 303 ? { ...headers, Location: content } : headers);
  response.end(`<!doctype html><title>The theatre</title>${content}`);
}).on("error", console.error).listen(PORT, "127.0.0.1");
for (;;) {
  await follow().catch((error) => console.error(error)); // It goes on after its cursor.
  await new Promise((resolve) => setTimeout(resolve, 1000));
}
