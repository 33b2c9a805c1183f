import type { Email } from "../../jmap/types.ts";
import { equal } from "../../testing/assert.ts";
import { listName, wayTo } from "./Addressing.tsx";

const own = new Set(["mira@demo.example"]);
const address = (email: string, name: string | null = null) => ({ email, name });

function way(about: Partial<Email>): string[] {
  const email = { from: [address("ana@elsewhere.example")], to: null, keywords: {}, ...about } as Email;
  return wayTo(email, email, own);
}

Deno.test("a message says how it reached the user", () => {
  equal(way({ to: [address("Mira+shop@demo.example"), address("ben@x.example", "Ben")] }), ["to me and Ben"]);
  equal(way({ to: [address("ben@x.example", "Ben")], cc: [address("mira@demo.example")] }), [
    "to Ben",
    "Cc to me",
  ]);
  equal(way({ to: [address("rowers@x.example")], "header:List-Id:asText": "Rowers <rowers.x.example>" }), [
    "to rowers@x.example",
    "through the list “Rowers”",
  ]);
  equal(way({ to: [address("ben@x.example", "Ben")] }), ["to Ben", "not addressed to you by name"]);
  equal(way({ from: [address("mira@demo.example")], to: [address("ben@x.example", "Ben")] }), ["to Ben"]);
});

Deno.test("a stranger is not the user", () => {
  equal(way({ to: [address("x@evil.example", "me")] })[0], "to x@evil.example");
});

Deno.test("a message that came without encryption says so", () => {
  const received = ["from a.example.net by mx.demo.example with ESMTP; now"];
  equal(way({ to: [address("mira@demo.example")], "header:Received:asRaw:all": received }), [
    "to me",
    "not encrypted in transit",
  ]);
});

Deno.test("a list without a name has its id", () => {
  equal(listName("<rowers.x.example>"), "rowers.x.example");
  equal(listName("rowers.x.example"), "“rowers.x.example”");
});
