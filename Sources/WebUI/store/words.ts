/** How the page says names, dates, sizes and numbers. */
import { currentZone } from "../base/zones.ts";
import type { Address, EmailHeader } from "../jmap/types.ts";

let number: Intl.NumberFormat | undefined;

export function count(value: number): string {
  return (number ??= new Intl.NumberFormat()).format(value);
}

/** `1 message`, `3 messages`. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

export function size(bytes: number): string {
  if (bytes < 1000) return counted(bytes, "byte");
  const units = ["KB", "MB", "GB", "TB"];
  let value = bytes / 1000;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value < 10 ? value.toFixed(1).replace(/\.0$/, "") : Math.round(value)} ${units[unit]}`;
}

function sameDay(left: Date, right: Date): boolean {
  return left.toDateString() === right.toDateString();
}

function daysBefore(date: Date, now: Date): number {
  const midnight = (day: Date) => new Date(day.getFullYear(), day.getMonth(), day.getDate()).getTime();
  return Math.round((midnight(now) - midnight(date)) / 86_400_000);
}

// Making a formatter takes longer than using it a hundred times, and longer than to wait for until it is needed.
const clock = later({ hour: "numeric", minute: "2-digit" });
const weekday = later({ weekday: "short" });
const dayAndMonth = later({ day: "numeric", month: "short" });
const dayAndLongMonth = later({ day: "numeric", month: "long" });
const shortDate = later({ day: "numeric", month: "short", year: "numeric" });
const longWeekday = later({ weekday: "long" });
const longDay = later({ day: "numeric", month: "long", year: "numeric" });
const fullDate = later({ dateStyle: "full", timeStyle: "short" });

function later(options: Intl.DateTimeFormatOptions): { format(date: Date): string } {
  let made: Intl.DateTimeFormat | undefined;
  let madeIn = "";
  const format = (date: Date) => {
    const zone = currentZone();
    // A formatter keeps the zone that it was made in.
    if (!made || madeIn !== zone) [made, madeIn] = [new Intl.DateTimeFormat(undefined, options), zone];
    return made.format(date);
  };
  return { format };
}

/** Makes what the rows of a list need. It takes long, so it is best done while there is nothing else to do. */
export function prepareWords(): void {
  count(0);
  for (const format of [clock, weekday, dayAndMonth, longDay]) format.format(new Date());
}

/** For a narrow column: `now`, `12 min`, `14:05`, `Yesterday`, `Tue`, `3 Mar`, `3 Mar 2024`. */
export function shortTime(text: string, now = new Date()): string {
  const date = new Date(text);
  const minutes = Math.floor((now.getTime() - date.getTime()) / 60_000);
  const days = daysBefore(date, now);
  if (minutes >= 0 && minutes < 1) return "now";
  if (minutes >= 0 && minutes < 60) return `${minutes} min`;
  if (sameDay(date, now)) return clock.format(date);
  if (days === 1) return "Yesterday";
  if (days > 1 && days < 7) return weekday.format(date);
  if (date.getFullYear() === now.getFullYear()) return dayAndMonth.format(date);
  return shortDate.format(date);
}

/** For a sentence: `today at 14:05`, `yesterday at 14:05`, `Tuesday at 14:05`, `3 March 2024`. */
export function spokenTime(text: string, now = new Date()): string {
  const date = new Date(text);
  const days = daysBefore(date, now);
  const time = clock.format(date);
  if (days === 0) return `today at ${time}`;
  if (days === 1) return `yesterday at ${time}`;
  if (days > 1 && days < 7) return `${longWeekday.format(date)} at ${time}`;
  return longDay.format(date);
}

/** For a sentence: `3 May`, `3 May 2024`. */
export function spokenDay(text: string, now = new Date()): string {
  const date = new Date(text);
  return (date.getFullYear() === now.getFullYear() ? dayAndLongMonth : longDay).format(date);
}

/** For a time to come: `today at 18:00`, `tomorrow at 8:00`, `Friday at 9:00`, `12 March at 8:00`. */
export function comingTime(at: Date, now = new Date()): string {
  const days = -daysBefore(at, now);
  const time = clock.format(at);
  if (days === 0) return `today at ${time}`;
  if (days === 1) return `tomorrow at ${time}`;
  if (days > 1 && days < 7) return `${longWeekday.format(at)} at ${time}`;
  const isThisYear = at.getFullYear() === now.getFullYear();
  return `${(isThisYear ? dayAndLongMonth : longDay).format(at)} at ${time}`;
}

/** As the program reads it. */
export function utc(at: Date): string {
  return at.toISOString().replace(/\.\d+Z$/, "Z");
}

export function fullTime(text: string): string {
  return fullDate.format(new Date(text));
}

/** Signs that cannot be seen, besides those that letters of Persian and India, flags and emoji are made of. */
const UNSEEN =
  /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\uffa0\ufff0-\ufffb]|(?<=[\0-\x7f]|^)[\u200c\u200d]/gu;
/** Signs that look like a space. */
// deno-lint-ignore no-control-regex
const BLANK = /[\u2800\u3164\0-\x08\x0e-\x1f\x7f-\x9f]/g;

/** Hardly a language puts more than four marks on a letter, and stacks of them reach over other lines. */
const STACKED = /(?<=[\p{Mn}\p{Me}]{4})[\p{Mn}\p{Me}]+/gu;

/**
 * What a stranger wrote, without signs that turn the order of letters around or cannot be seen: with them `exe.pdf`
 * is read where `fdp.exe` is written, and one name reaches into the next.
 */
export function inOrder(text: string): string {
  return text.replace(UNSEEN, "").replace(BLANK, " ").replace(STACKED, "");
}

/** The same, on one line. */
export function onOneLine(text: string): string {
  return inOrder(text).replace(/\s+/g, " ").trim();
}

/** `Ana Lima <ana@example.com>`. Letters that run from right to left stay on their side. */
export function nameAndAddress({ name, email }: Address): string {
  const shown = onOneLine(name ?? "");
  return shown ? `\u2068${shown}\u2069 <${inOrder(email)}>` : inOrder(email);
}

/** A name, or the address where there is none. */
export function displayName(address: Address): string {
  return onOneLine(address.name ?? "") || inOrder(address.email);
}

/** The first name, for lists of several. */
function firstName(address: Address): string {
  const name = inOrder(address.name ?? "").trim();
  if (!name) return address.email.split("@")[0] ?? address.email;
  // “Lima, Ana” has its first name last.
  const [family, first] = name.split(/,\s*/);
  return (first ?? family ?? name).split(/\s+/)[0] ?? name;
}

/** Represents all of the user's addresses. */
const ME = "";
/** In the alphabets that have these letters. */
const CALLED_ME = /^[mм][eе]$/iu;

/** A stranger's name, which must not be what the user is called. */
export function strangersName(address: Address, name = displayName): string {
  return [name(address), displayName(address)].find((one) => !CALLED_ME.test(one.normalize("NFKC"))) ??
    inOrder(address.email);
}

/** Who takes part in a thread: `Ana Lima`, `Ana, me`, `Ana, Ben, me`. `isOwn` are the messages of the user. */
export function participants(emails: EmailHeader[], isOwn: (email: EmailHeader) => boolean): string {
  const seen = new Map<string, Address>();
  for (const email of emails) {
    for (const from of email.from ?? []) seen.set(isOwn(email) ? ME : from.email.toLowerCase(), from);
  }
  const all = [...seen.entries()];
  if (all.length === 0) return "No sender";
  const [only] = all;
  if (all.length === 1 && only) return only[0] === ME ? "me" : strangersName(only[1], displayName);
  const names = all.map(([email, address]) => email === ME ? "me" : strangersName(address, firstName));
  if (names.length <= 3) return names.join(", ");
  return `${names[0]} … ${names.slice(-2).join(", ")}`;
}

/** The recipients of a message, for lists of the user's messages. */
export function recipients(email: EmailHeader): string {
  const names = (email.to ?? []).map(displayName);
  if (names.length === 0) return "No recipient";
  return names.length <= 2 ? names.join(", ") : `${names[0]} and ${counted(names.length - 1, "other")}`;
}

export function subjectOf(email: { subject: string | null }): string {
  return onOneLine(email.subject ?? "") || "(no subject)";
}

/** Names in a sentence: `Ana`, `Ana and Ben`, `Ana, Ben and 3 others`. */
export function listed(names: string[], most = 2): string {
  const shown = names.slice(0, names.length > most ? most : -1);
  const rest = names.length > most ? counted(names.length - most, "other") : names.at(-1) ?? "";
  return shown.length > 0 ? `${shown.join(", ")} and ${rest}` : rest;
}

/** Addresses in a sentence, first those at other services than the senders': a reader must not miss them. */
export function listedAddresses(addresses: Address[], senders: Address[]): string {
  const near = new Set(senders.map(serviceOf));
  const isFar = (address: Address) => !near.has(serviceOf(address));
  const far = addresses.filter(isFar);
  const ordered = [...far, ...addresses.filter((address) => !isFar(address))];
  return listed(ordered.map(nameAndAddress), Math.max(2, Math.min(far.length, 5)));
}

/** What stands behind the `@`. */
export function serviceOf({ email }: Address): string {
  return email.slice(email.lastIndexOf("@") + 1).toLowerCase();
}

/** A warning about the addresses in a message's From field; usually null. */
export function senderWarning(email: EmailHeader): string | null {
  const warnings = (email.from ?? []).map((from) => email.addressWarnings?.[from.email]);
  return warnings.find((warning) => warning !== undefined) ?? null;
}
