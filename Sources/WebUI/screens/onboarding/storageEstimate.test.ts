import { equal, isTrue } from "../../testing/assert.ts";
import { storageSentence } from "./storageEstimate.ts";

Deno.test("FR-OB-01: the storage of one account with 30 days is said in the words of the specification", () => {
  equal(
    storageSentence([30]),
    "Syncing your email typically uses 500 MB – 2 GB of storage on this device, depending on email volume. " +
      "AI features require an additional 500 MB – 2 GB.",
  );
});

Deno.test("mail on a server takes up storage there", () => {
  isTrue(
    storageSentence([], "db.example.org").includes("2 GB of storage on db.example.org, depending"),
    "place",
  );
});

Deno.test("FR-OB-01: the storage follows the number of accounts and their sync windows", () => {
  const range = (windows: number[]) => storageSentence(windows).match(/uses (.*) of/)?.[1];
  equal(range([30, 30]), "1 GB – 4 GB");
  equal(range([7]), "120 MB – 470 MB");
  equal(range([90]), "1.5 GB – 6 GB");
  equal(range([]), "500 MB – 2 GB");
});
