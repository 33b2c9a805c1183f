import { equal } from "../../testing/assert.ts";
import type { AccountSetup } from "../../jmap/accounts.ts";
import { jmapWay, RECOGNIZED, waysFor } from "./waysToMail.ts";

function setup(id: string, pluginId: string, protocols: AccountSetup["protocols"] = []): AccountSetup {
  const texts = { title: id, serviceName: id, explanation: "", helpUrl: null };
  return { id, pluginId, kind: "account", protocols, ...texts };
}

const SETUPS = [
  setup("imap", "i", ["imap"]),
  setup("proton", "i"),
  setup("jmap", "j", ["jmap"]),
  setup("fastmail", "j"),
  setup("gmail", "g"),
];

Deno.test("ACC-99: ways through another plugin are those for services of any domain", () => {
  const ways = waysFor({ pluginId: "i" }, SETUPS, "jmap.example.org");
  equal(ways.map(({ id }) => id), ["imap", "proton", "jmap"]);
  equal(ways[2]?.title, "Switch to JMAP at jmap.example.org");
  equal(ways[2]?.explanation, RECOGNIZED);
  equal(jmapWay("i", ways)?.id, "jmap");
  equal(waysFor({ pluginId: "j" }, SETUPS, null).map(({ title }) => title), [
    "jmap",
    "fastmail",
    "Switch to IMAP",
  ]);
  equal(waysFor({ pluginId: "i", isKeptHereOnly: true }, SETUPS, null).length, 2);
  equal(jmapWay("j", waysFor({ pluginId: "j" }, SETUPS, null)), null);
});
