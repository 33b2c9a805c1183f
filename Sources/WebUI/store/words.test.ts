import type { EmailHeader } from "../jmap/types.ts";
import { equal } from "../testing/assert.ts";
import {
  comingTime,
  counted,
  displayName,
  inOrder,
  listed,
  listedAddresses,
  nameAndAddress,
  participants,
  senderWarning,
  shortTime,
  size,
  spokenTime,
  subjectOf,
} from "./words.ts";

const now = new Date(2026, 2, 18, 15, 0);
const at = (year: number, month: number, day: number, hour = 12, minute = 0) =>
  new Date(year, month - 1, day, hour, minute).toISOString();

Deno.test("times are as short as they can be and still clear", () => {
  equal(shortTime(at(2026, 3, 18, 15, 0), now), "now");
  equal(shortTime(at(2026, 3, 18, 14, 48), now), "12 min");
  equal(shortTime(at(2026, 3, 17), now), "Yesterday");
  equal(shortTime(at(2026, 3, 14), now).length > 0, true);
  equal(shortTime(at(2024, 3, 14), now).includes("2024"), true);
  equal(shortTime(at(2026, 1, 14), now).includes("2026"), false);
});

Deno.test("signs that turn letters around are left out of what others wrote", () => {
  equal(inOrder("invoice\u202efdp.exe"), "invoicefdp.exe");
  equal(displayName({ name: "\u2067Ana\u2069", email: "ana@example.com" }), "Ana");
  equal(displayName({ name: "\u202e", email: "ana@example.com" }), "ana@example.com");
  equal(subjectOf({ subject: "\u202d" }), "(no subject)");
  equal(subjectOf({ subject: "שלום" }), "שלום");
});

Deno.test("marks on a letter do not pile up over other lines", () => {
  const pile = "\u0301\u0489".repeat(60);
  equal(displayName({ name: `B${pile}ank`, email: "b@x.example" }), `B${pile.slice(0, 4)}ank`);
  equal(subjectOf({ subject: `${pile}x${pile}` }), `${pile.slice(0, 4)}x${pile.slice(0, 4)}`);
  for (const honest of ["Việt", "שָּׁ֑לוֹם", "บ้านที่", "བསྒྲུབས", "2️⃣"]) equal(inOrder(honest), honest);
});

Deno.test("a time in a sentence says the day", () => {
  const coming = (...when: Parameters<typeof at>) => comingTime(new Date(at(...when)), now);
  equal(coming(2026, 3, 18, 18).startsWith("today at "), true);
  equal(coming(2026, 3, 19, 8).startsWith("tomorrow at "), true);
  equal(coming(2026, 3, 24, 8).includes("2026"), false);
  equal([coming(2026, 9, 1, 8).includes("2026"), coming(2027, 3, 1, 8).includes("2027")], [false, true]);
  equal(spokenTime(at(2026, 3, 18, 9), now).startsWith("today at "), true);
  equal(spokenTime(at(2026, 3, 17, 9), now).startsWith("yesterday at "), true);
});

Deno.test("sizes and numbers", () => {
  equal([999, 1000, 1500, 15_400, 999_600, 2_500_000].map(size), [
    "999 bytes",
    "1 KB",
    "1.5 KB",
    "15 KB",
    "1 MB",
    "2.5 MB",
  ]);
  equal([counted(1, "message"), counted(2, "message")], ["1 message", "2 messages"]);
  equal([[], ["Ana"], ["Ana", "Ben"]].map((names) => listed(names)), ["", "Ana", "Ana and Ben"]);
  equal(listed(["Ana", "Ben", "Cid", "Dee"]), "Ana, Ben and 2 others");
});

Deno.test("addresses at other services are named before those at the senders'", () => {
  const all = (...emails: string[]) => emails.map((email) => ({ name: null, email }));
  const from = all("ana@bank.example");
  equal(
    listedAddresses(all("b@bank.example", "c@bank.example", "mallory@evil.example"), from),
    "mallory@evil.example, b@bank.example and 1 other",
  );
  equal(
    listedAddresses(all("a@x.example", "b@y.example", "mallory@evil.example", "b@BANK.example"), from),
    "a@x.example, b@y.example, mallory@evil.example and 1 other",
  );
});

Deno.test("who takes part in a thread", () => {
  const from = (name: string | null, email: string) =>
    ({ from: [{ name, email }] }) as unknown as EmailHeader;
  const isOwn = ({ from }: EmailHeader) => from?.[0]?.email === "me@x.example";
  equal(participants([from("Ana Lima", "ana@x.example")], isOwn), "Ana Lima");
  equal(participants([from("Lima, Ana", "ana@x.example"), from(null, "me@x.example")], isOwn), "Ana, me");
  equal(participants([from(null, "me@x.example"), from("M", "me@x.example")], isOwn), "me");
  equal(participants([from(null, "ben@x.example")], isOwn), "ben@x.example");
  for (const name of ["me", "Me", "m\u200be", "ме", "ＭＥ"]) {
    equal(participants([from(name, "x@evil.example")], isOwn), "x@evil.example");
    equal(
      participants([from(name, "x@evil.example"), from(null, "ana@x.example")], isOwn),
      "x@evil.example, ana",
    );
  }
  equal(participants([from("Me Lee", "me@y.example"), from("Ana", "ana@x.example")], isOwn), "Me Lee, Ana");
  // Their own address, in a message that someone else sent.
  equal(participants([from("Mira", "me@x.example")], () => false), "Mira");
});

Deno.test("what cannot be seen is left out, and what letters are made of stays", () => {
  equal(inOrder("a\u200bb\u2060c\ufeffd\u00ad"), "abcd");
  equal(inOrder("pay\u200dpal"), "paypal");
  equal(inOrder("👩\u200d🚀 می\u200cخواهم"), "👩\u200d🚀 می\u200cخواهم");
  equal(displayName({ name: "Ana\u3164\u2800  Lima\u202e", email: "a@x.example" }), "Ana Lima");
  equal(nameAndAddress({ name: "דנה\u202e", email: "a@x.example" }), "\u2068דנה\u2069 <a@x.example>");
});

Deno.test("a message whose sender is not what it seems says so", () => {
  const from = [{ name: null, email: "a@xn--80ak6aa92e.com" }];
  const email = {
    from,
    addressWarnings: { "a@xn--80ak6aa92e.com": "It imitates." },
  } as unknown as EmailHeader;
  equal(senderWarning(email), "It imitates.");
  equal(senderWarning({ from } as unknown as EmailHeader), null);
});
