import { equal } from "../testing/assert.ts";
import { someMail } from "../testing/app.ts";
import { emailIn } from "../testing/mail.ts";
import { loadMuted, mutedTarget } from "./muted.ts";

Deno.test("ORG-19: muted conversations are listed with their number, and unmuted as a whole", async () => {
  const { app, program, performer, asked, settled, end } = await someMail([]);
  const emails = [
    { ...emailIn("M1", ["archive"], "$muted"), receivedAt: "2026-01-01T00:00:00Z" },
    { ...emailIn("M2", ["archive"]), threadId: "u", receivedAt: "2026-02-01T00:00:00Z" },
  ];
  program.answer("Email/query", ({ filter, collapseThreads }) => {
    equal(filter, { someInThreadHaveKeyword: "$muted" });
    equal(collapseThreads, true);
    return { ids: ["M1", "M2"], total: 7 };
  });
  program.answer("Email/get", () => ({ list: emails }));
  const muted = await loadMuted(app, 2);
  equal(muted.total, 7);
  equal(muted.list.map(({ email }) => email.id), ["M2", "M1"]);
  const [first] = muted.list;
  if (first) performer.perform({ verb: "unmute" }, [mutedTarget(first)]);
  await settled();
  equal(asked(), [{ verb: "unmute", threadIds: ["u"] }]);
  end();
});
