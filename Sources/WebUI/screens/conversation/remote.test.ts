import { equal } from "../../testing/assert.ts";
import { failedSentence, refusedSentences } from "./remote.ts";

const nothing = { insecure: 0, address: 0, style: 0, other: 0 };

Deno.test("what never loads is named with its reason", () => {
  equal(refusedSentences(nothing), []);
  equal(refusedSentences({ ...nothing, insecure: 3 }), [
    "3 images are only offered over an unencrypted connection and were not loaded.",
  ]);
  equal(refusedSentences({ insecure: 1, address: 1, style: 1, other: 2 }), [
    "1 image is only offered over an unencrypted connection and was not loaded.",
    "1 image was not loaded: the address is invalid or in a private network.",
    "1 style sheet or font was not loaded: only images are loaded from other servers.",
    "2 embedded items, such as a video or drawing, were not loaded: only ordinary images are loaded from other servers.",
  ]);
});

Deno.test("images that did not come are counted", () => {
  equal(failedSentence(0), []);
  equal(failedSentence(2), ["2 images could not be loaded over an encrypted connection."]);
});
