import { equal } from "../testing/assert.ts";
import { split } from "./source.ts";

Deno.test("headers end with the first empty line", () => {
  equal(split("From: a@b\r\nSubject: x\r\n\r\nHello\r\n\r\nBye\r\n"), {
    headers: "From: a@b\nSubject: x",
    body: "Hello\n\nBye\n",
  });
  equal(split("From: a@b"), { headers: "From: a@b", body: "" });
});

Deno.test("signs that cannot be seen are named", () => {
  equal(split("X: \u202eexe.fdp\0\n\n").headers, "X: ⟨202E⟩exe.fdp⟨0000⟩");
});
