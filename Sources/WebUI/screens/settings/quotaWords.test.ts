import type { Quota } from "../../jmap/vendor.ts";
import { equal } from "../../testing/assert.ts";
import { jmapSentence, quotaSentences, quotaSize } from "./quotaWords.ts";

const GB = 1024 ** 3;

function quota(values: Partial<Quota>): Quota {
  return {
    id: "q",
    resourceType: "octets",
    used: 0,
    hardLimit: 15 * GB,
    softLimit: null,
    warnLimit: null,
    scope: "account",
    name: "",
    description: null,
    types: ["Mail"],
    ...values,
  };
}

Deno.test("ACC-20: what is used at a service is one sentence for each limit", () => {
  const said = (values: Partial<Quota>) => quotaSentences([quota(values)], "ada@example.org");
  equal(said({ used: 6.1 * GB }), ["6.1 GB of 15 GB used at example.org."]);
  equal(said({ resourceType: "count", used: 9500, hardLimit: 10_000 }), [
    `${(9500).toLocaleString()} of ${(10_000).toLocaleString()} messages used at example.org.`,
  ]);
  equal(said({ used: 15 * GB }), [
    "15 GB of 15 GB used at example.org. New messages may be rejected until you delete some.",
  ]);
  equal(said({ scope: "domain" }), ["0 KB of 15 GB used at example.org, shared with other accounts."]);
  equal(said({ types: ["Calendar"] }), []);
  equal(said({ hardLimit: 0 }), []);
  equal(quotaSentences([quota({}), quota({ id: "r" })], "a@b.test").length, 1);
});

Deno.test("ACC-20: sizes are those that services advertise", () => {
  equal([512, 1024, 1_048_064, GB - 1, 1.5 * GB, 2000 * GB].map(quotaSize), [
    "0.5 KB",
    "1 KB",
    "1 MB",
    "1 GB",
    "1.5 GB",
    "2 TB",
  ]);
});

Deno.test("ACC-29: a service that offers JMAP as well is named by its host", () => {
  equal(jmapSentence("https://jmap.example.org:8443/.well-known/jmap"), JMAP);
  equal([null, "", "nonsense"].map(jmapSentence), [null, null, null]);
});

const JMAP = "This service also offers JMAP, at jmap.example.org:8443.";
