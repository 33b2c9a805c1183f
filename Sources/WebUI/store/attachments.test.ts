import type { BodyPart } from "../jmap/types.ts";
import { equal } from "../testing/assert.ts";
import { fileNames, kindOf, listedParts } from "./attachments.ts";

const part = (about: Partial<BodyPart>): BodyPart => ({
  partId: null,
  blobId: "b",
  size: 1,
  name: null,
  type: "image/png",
  charset: null,
  disposition: null,
  cid: null,
  ...about,
});

Deno.test("what can be looked at is known by its type, else by its name", () => {
  const kinds = [
    ["image/png", "x"],
    ["application/octet-stream", "Photo.JPG"],
    ["application/pdf", null],
    ["text/html", null],
    ["application/ld+json", null],
    ["image/svg+xml", "drawing.svg"],
    ["application/octet-stream", "setup.exe"],
  ].map(([type = null, name = null]) => kindOf({ type: type ?? "", name }));
  equal(kinds, ["image", "image", "pdf", "text", "text", null, null]);
});

Deno.test("images in the text are not listed again", () => {
  const inText = part({ blobId: "b1", cid: "logo" });
  const others = [
    part({ blobId: "b2", cid: "unused" }),
    part({ blobId: "b1", type: "application/pdf", cid: "logo" }),
    part({ blobId: "b3" }),
  ];
  const html = '<div><img src="/jmap/download/a/b1/logo.png?type=image%2Fpng"></div>';
  equal(listedParts("a", [inText, ...others], html), others);
});

Deno.test("names of files in an archive are safe and different", () => {
  equal(fileNames(["a.png", "A.png", "../../b", "a.png", "c:d", ""]), [
    "a.png",
    "A (2).png",
    "__.._b",
    "a (3).png",
    "c_d",
    "file",
  ]);
});
