import { equal } from "../../testing/assert.ts";
import { looksLikeAddress, mayImitate, parseAddresses } from "./addresses.ts";

const read = (text: string) => parseAddresses(text).map(({ name, email }) => [name, email]);

Deno.test("FR-COMP-01: what is pasted is taken apart", () => {
  equal(read('ada@example.com, Bob Stone <bob@example.com>; "Cole, Eve" <eve@example.com>\n'), [
    [null, "ada@example.com"],
    ["Bob Stone", "bob@example.com"],
    ["Cole, Eve", "eve@example.com"],
  ]);
  equal(read("ada@example.com bob@example.com"), [[null, "ada@example.com"], [null, "bob@example.com"]]);
  equal(read("mailto:ada@example.com"), [[null, "ada@example.com"]]);
  equal(read(" ,;\n"), []);
});

Deno.test("FR-COMP-01: what is no address is kept as it was typed", () => {
  equal(read("Ada Lovelace"), [[null, "Ada Lovelace"]]);
  equal(read("Ada <nowhere>"), [["Ada", "nowhere"]]);
});

Deno.test("FR-COMP-01: addresses are told from what is none", () => {
  for (
    const good of ["ada@example.com", "a.b+c@sub.example.com", '"a b"@example.com', "ada@münchen.example"]
  ) {
    equal([good, looksLikeAddress(good)], [good, true]);
  }
  for (
    const bad of [
      "",
      "ada",
      "@example.com",
      "ada@",
      "a b@example.com",
      "ada@exam ple.com",
      "ada@.com",
      "a@b@c",
    ]
  ) {
    equal([bad, looksLikeAddress(bad)], [bad, false]);
  }
});

Deno.test("addresses that only the program can judge are those with other letters or names with an address", () => {
  const judged = (name: string | null, email: string) => mayImitate({ name, email });
  equal(judged("Ana Lima", "ana@example.com"), false);
  equal(judged("Ana Müller", "ana@example.com"), false);
  equal(judged(null, "a@аррӏе.com"), true);
  equal(judged(null, "a@XN--80ak6aa92e.com"), true);
  equal(judged("service@paypal.com", "x@evil.example"), true);
});
