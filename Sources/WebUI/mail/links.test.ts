import { equal } from "../testing/assert.ts";
import { misleads } from "./links.ts";

Deno.test("a link that says where it leads is followed without a question", () => {
  equal(misleads("https://bank.example/login", "bank.example"), null);
  equal(misleads("bank.example", "www.bank.example"), null);
  equal(misleads("www.bank.example", "login.bank.example"), null);
  equal(misleads("Read on", "tracker.example"), null);
});

Deno.test("a link that names another host is noticed", () => {
  equal(misleads("https://bank.example/login", "evil.example"), "bank.example");
  equal(misleads("bank.example", "bank.example.evil.example"), "bank.example");
  equal(misleads("b\u0430nk.example", "bank.example"), "b\u0430nk.example"); // a Cyrillic letter
});
