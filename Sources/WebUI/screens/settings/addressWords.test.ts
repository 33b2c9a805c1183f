import { equal } from "../../testing/assert.ts";
import { addressesSentence } from "./addressWords.ts";

Deno.test("ACC-94: the addresses that a service names are listed, or that it names none", () => {
  const said = (found: string[] | null) => addressesSentence(found, "ada@example.org");
  equal(said(null), null);
  const none = "The service names no other addresses. If you have aliases, add them under Senders.";
  equal([said([]), said(["Ada@example.org"])], [none, none]);
  equal(
    said(["ada@example.org", "a@example.org", "lovelace@example.org"]),
    "Other addresses at the service: a@example.org, lovelace@example.org.",
  );
  const many = Array.from({ length: 12 }, (_, number) => `a${number}@example.org`);
  equal(said(many)?.endsWith("a9@example.org and 2 more."), true);
});
