import { CAPABILITY } from "../jmap/program.ts";
import { someMail } from "../testing/app.ts";
import { equal } from "../testing/assert.ts";
import { emailIn } from "../testing/mail.ts";
import { tellOfNewMail } from "./newMail.ts";

/** A window that the program tells of changes. */
async function openWindow(text: string | null = null) {
  const mail = await someMail([]);
  const { program } = mail;
  mail.app.client.session.capabilities[CAPABILITY.rules] = {};
  program.answer("NewMail/query", () => ({ ids: ["N"] }));
  program.answer("Email/get", ({ ids }) => ({
    list: (ids as string[] ?? ["N"]).map((id) => ({ ...emailIn(id, ["inbox"]), subject: `About ${id}` })),
  }));
  const notices = new Set(["R"]);
  program.answer("RuleNotice/get", () => ({
    list: [...notices].map((id) => ({ id, emailId: id, rule: "Bills", text, at: "2026-01-01T00:00:00Z" })),
  }));
  program.answer("RuleNotice/set", ({ destroy }) => ({
    destroyed: (destroy as string[]).filter((id) => notices.delete(id)),
  }));
  const page: { visibilityState: DocumentVisibilityState } = { visibilityState: "visible" };
  const hear: ((accountId: string, changed: Record<string, string>) => void)[] = [];
  const app = {
    ...mail.app,
    ownAddresses: new Set<string>(),
    onChange: (listener: (accountId: string, changed: Record<string, string>) => void) => {
      hear.push(listener);
      return () => {};
    },
  };
  tellOfNewMail(app, () => {}, page);
  const heard = async (accountId: string, changed: Record<string, string>) => {
    for (const listener of hear) listener(accountId, changed);
    for (let turn = 0; turn < 10; turn += 1) await mail.settled();
  };
  return { ...mail, page, heard };
}

const said = (told: string[]) => told.map((text) => text.replace(/^.*?: /, ""));

Deno.test("ORG-78: the program says what is new mail, and it is announced once", async () => {
  const { heard, told, program, end } = await openWindow();
  await heard("a", { EmailDelivery: "1" });
  await heard("a", { EmailDelivery: "2" });
  equal(said(told()), ["About N"]);
  equal(program.count("NewMail/query"), 2);
  equal(program.count("RuleNotice/get"), 0);
  end();
});

Deno.test("ORG-78: what waited for a page is shown once the window is visible", async () => {
  const { heard, told, page, end } = await openWindow();
  page.visibilityState = "hidden";
  await heard("a", { RuleNotice: "1" });
  equal(told(), []);
  page.visibilityState = "visible";
  await heard("program", { Window: "2" });
  equal(said(told()), ["About R"]);
  await heard("a", { RuleNotice: "2" });
  equal(told().length, 1);
  end();
});

Deno.test("ORG-78: a rule's text cannot turn the order of letters around, and an empty one is the subject", async () => {
  for (const [text, shown] of [["fdp.\u202eexe\n\u0007 now", "fdp.exe now"], [" \u200b\n", "About R"]]) {
    const { heard, told, end } = await openWindow(text);
    await heard("a", { RuleNotice: "1" });
    equal(said(told()), [shown]);
    end();
  }
});
