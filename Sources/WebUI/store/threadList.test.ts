import { equal } from "../testing/assert.ts";
import { JMAPClient } from "../jmap/client.ts";
import { FakeProgram } from "../testing/program.ts";
import { Emails } from "./emails.ts";
import type { Row } from "./rows.ts";
import { merged, PAGE, shiftOf, ThreadList } from "./threadList.ts";

const row = (id: string, at: number, accountId = "a"): Row => ({
  accountId,
  emailId: id,
  threadId: id,
  receivedAt: `2026-01-${String(at).padStart(2, "0")}T00:00:00Z`,
});

Deno.test("two lists are merged as far as their order is certain", () => {
  const feeds = [
    { rows: [row("1", 9), row("2", 5)], total: 2 },
    { rows: [row("3", 7, "b")], total: 4 },
  ];
  equal(merged(feeds).map((row) => row.emailId), ["1", "3"]);
  equal(merged([feeds[0]!, { rows: [row("3", 7, "b")], total: 1 }]).map((row) => row.emailId), [
    "1",
    "3",
    "2",
  ]);
});

Deno.test("what is visible is found again after new mail came above it", () => {
  const before = [row("1", 9), row("2", 8), row("3", 7), row("4", 6)];
  const after = [row("n", 10), ...before];
  equal(shiftOf(before, after, 2, 4), 1);
  equal(shiftOf(before, [row("3", 10), row("1", 9), row("2", 8), row("4", 6)], 2, 4), 0);
  equal(shiftOf(before, after, 0, 2), 0);
});

/** A program with one draft in account `a`, whose email is replaced right before the given reading of emails. */
async function drafts(replacedAt: number) {
  const program = new FakeProgram();
  let [current, asked, readings] = [1, 1, 0];
  program.answer("Email/query", ({ accountId }) => {
    asked = current;
    return accountId === "a"
      ? { ids: [`${asked}`], position: 0, total: 1 }
      : { ids: [], position: 0, total: 0 };
  });
  program.answer("Email/get", ({ accountId, ids }) => {
    if (accountId !== "a") return { list: [] };
    readings += 1;
    if (readings === replacedAt) current += 1;
    const found = ((ids as string[] | undefined) ?? [`${asked}`]).filter((id) => id === `${current}`);
    return { list: found.map((id) => ({ ...row(id, 9), id, threadId: "t" })) };
  });
  program.answer("Thread/get", () => ({ list: [] }));
  return await JMAPClient.connect(program.sender);
}

Deno.test("a row stays while the email that it shows is replaced by another", async () => {
  for (const accounts of [["a"], ["a", "b"]]) {
    for (const replacedAt of [1, 2, 3, 4, 5, 6]) {
      const [client, emails] = [await drafts(replacedAt), new Emails()];
      const list = new ThreadList(client, emails, accounts.map((accountId) => ({ accountId, filter: {} })));
      list.want(0, PAGE);
      await new Promise((done) => setTimeout(done));
      const shown: boolean[] = [];
      list.subscribe(() => {
        const row = list.row(0);
        shown.push(!!row && emails.get(row.accountId, row.emailId) !== undefined);
      });
      for (let time = 0; time < 2; time += 1) await list.refresh();
      equal([accounts.length, replacedAt, shown.includes(false)], [accounts.length, replacedAt, false]);
    }
  }
});
