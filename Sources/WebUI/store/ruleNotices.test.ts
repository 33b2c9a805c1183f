import { equal } from "../testing/assert.ts";
import { someMail } from "../testing/app.ts";
import { emailIn } from "../testing/mail.ts";
import { takeNotices } from "./ruleNotices.ts";

const notice = (id: string) => ({
  id,
  emailId: id,
  rule: "Bills",
  text: null,
  at: "2026-01-01T11:59:00Z",
});

Deno.test("ORG-78: a window shows what it could take", async () => {
  const { app, program } = await someMail([]);
  program.answer("RuleNotice/get", () => ({ list: ["M1", "M2", "M4", "M5"].map(notice) }));
  program.answer("RuleNotice/set", ({ destroy }) => ({
    destroyed: (destroy as string[]).filter((id) => id !== "M2"),
    notDestroyed: { M2: { type: "notFound" } },
  }));
  // M4 is deleted by now.
  program.answer("Email/get", ({ ids }) => ({
    list: (ids as string[]).filter((id) => id !== "M4").map((id) => ({
      ...emailIn(id, ["inbox"]),
      receivedAt: id === "M5" ? "2026-01-02T00:00:00Z" : "2026-01-01T00:00:00Z",
    })),
  }));
  const taken = await takeNotices(app.client, "a");
  equal(taken.map(({ notice, email }) => [notice.id, email.id]), [["M5", "M5"], ["M1", "M1"]]);
});

Deno.test("ORG-78: what cannot be read is not taken", async () => {
  const { app, program } = await someMail([]);
  program.answer("RuleNotice/get", () => ({ list: [notice("M1")] }));
  program.answer("Email/get", () => ({ error: { type: "serverUnavailable" } }));
  equal(await takeNotices(app.client, "a").catch(() => "failed"), "failed");
  equal(program.count("RuleNotice/set"), 0);
});

Deno.test("ORG-78: without notifications nothing is taken", async () => {
  const { app, program } = await someMail([]);
  program.answer("RuleNotice/get", () => ({ list: [] }));
  equal(await takeNotices(app.client, "a"), []);
  equal(program.count("RuleNotice/set"), 0);
});
