import { equal } from "../testing/assert.ts";
import { emailIn } from "../testing/mail.ts";
import { Emails } from "./emails.ts";

const email = (id: string, ...keywords: string[]) => emailIn(id, ["inbox"], ...keywords);

Deno.test("a change shows at once and stays once it is confirmed", () => {
  const emails = new Emails();
  emails.put("a", [email("m")], [], 0);
  const changes = [{ accountId: "a", id: "m", keywords: { $seen: true as const } }];
  emails.lay(changes);
  equal(emails.get("a", "m")?.keywords, { $seen: true });
  emails.settle(changes, () => false);
  equal(emails.get("a", "m")?.keywords, { $seen: true });
});

Deno.test("a refused change is gone", () => {
  const emails = new Emails();
  emails.put("a", [email("m", "$seen")], [], 0);
  const changes = [{
    accountId: "a",
    id: "m",
    keywords: { $seen: null, $flagged: true as const },
  }];
  emails.lay(changes);
  equal(emails.get("a", "m")?.keywords, { $flagged: true });
  emails.settle(changes, () => true);
  equal(emails.get("a", "m")?.keywords, { $seen: true });
});

Deno.test("an answer to what was asked before a change does not undo it", () => {
  const emails = new Emails();
  emails.put("a", [email("m")], [], 0);
  const askedAt = emails.epoch;
  const changes = [{ accountId: "a", id: "m", keywords: { $flagged: true as const } }];
  emails.lay(changes);
  emails.settle(changes, () => false);
  emails.put("a", [email("m")], [], askedAt);
  equal(emails.get("a", "m")?.keywords, { $flagged: true });
});

Deno.test("only the latest are kept", () => {
  const emails = new Emails(2);
  emails.put("a", [email("1"), email("2"), email("3")], [], 0);
  equal(["1", "2", "3"].map((id) => emails.get("a", id) !== undefined), [false, true, true]);
});
