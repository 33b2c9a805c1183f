import { equal } from "../testing/assert.ts";
import { isSameMessage, KeptMessages, type OpenMessage } from "./keptMessages.ts";

function message(id: string, html: string, pendingImageCount = 0): OpenMessage {
  return { email: { id }, view: { id, html, pendingImageCount } } as unknown as OpenMessage;
}

Deno.test("the messages that were read last are kept, each for its account", () => {
  const kept = new KeptMessages();
  for (let index = 0; index < 30; index += 1) kept.put("a", message(`m${index}`, "<div>Hello</div>"));
  equal(kept.get("a", "m9"), undefined);
  equal(kept.get("a", "m10")?.view?.html, "<div>Hello</div>");
  equal(kept.get("b", "m10"), undefined);
});

Deno.test("long messages take the place of many", () => {
  const kept = new KeptMessages();
  for (const id of ["a", "b", "c"]) kept.put("x", message(id, "x".repeat(900_000)));
  equal(["a", "b", "c"].map((id) => kept.get("x", id) !== undefined), [false, true, true]);
  kept.put("x", message("d", "x".repeat(3_000_000)));
  equal(["b", "c", "d"].map((id) => kept.get("x", id) !== undefined), [false, false, false]);
});

Deno.test("a message with images of other servers is not kept, also if it was before", () => {
  const kept = new KeptMessages();
  kept.put("a", message("m", "<div>Hello</div>"));
  kept.put("a", message("m", '<div><img data-remote="https"></div>'));
  equal(kept.get("a", "m"), undefined);
  kept.put("a", message("m", "<div>Hello</div>", 1));
  equal(kept.get("a", "m"), undefined);
});

Deno.test("a message is the same if all of it is", () => {
  equal(isSameMessage(message("m", "a"), message("m", "a")), true);
  equal(isSameMessage(message("m", "a"), message("m", "b")), false);
  equal(isSameMessage(message("m", "a"), message("m", "a", 1)), false);
  equal(isSameMessage(undefined, message("m", "a")), false);
});
