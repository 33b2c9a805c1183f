import { equal } from "../testing/assert.ts";
import { address, readPlace } from "./router.ts";

Deno.test("an address is read as it was written", () => {
  const place = readPlace(address(["mail", "A/1", "In box"], { q: "from ana & co" }));
  equal(place.path, ["mail", "A/1", "In box"]);
  equal(place.query.get("q"), "from ana & co");
});

Deno.test("a bent address leads somewhere all the same", () => {
  equal(readPlace("#/a/%E0%A4%A").path, ["a", "%E0%A4%A"]);
  equal(readPlace("").path, []);
});
