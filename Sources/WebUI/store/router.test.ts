import { equal } from "../testing/assert.ts";
import { address, readPlace, Router } from "./router.ts";

Deno.test("an address is read as it was written", () => {
  const place = readPlace(address(["mail", "A/1", "In box"], { q: "from ana & co" }));
  equal(place.path, ["mail", "A/1", "In box"]);
  equal(place.query.get("q"), "from ana & co");
});

Deno.test("a bent address leads somewhere all the same", () => {
  equal(readPlace("#/a/%E0%A4%A").path, ["a", "%E0%A4%A"]);
  equal(readPlace("").path, []);
});

/** A window whose history goes back a moment after it was told to, as browsers do. */
function fakeWindow() {
  const entries = ["outside", "#/mail/all/inbox"];
  const listeners: (() => void)[] = [];
  const location = { hash: "#/mail/all/inbox" };
  const history = {
    pushState: (_: unknown, __: string, target: string) => {
      entries.push(target);
      location.hash = target;
    },
    replaceState: (_: unknown, __: string, target: string) => {
      entries[entries.length - 1] = target;
      location.hash = target;
    },
    back: () => {
      setTimeout(() => {
        entries.pop();
        location.hash = entries.at(-1) ?? "";
        for (const listener of listeners) listener();
      });
    },
  };
  const win = {
    location,
    history,
    addEventListener: (_: string, listener: () => void) => listeners.push(listener),
  };
  return { win: win as unknown as Window, entries };
}

Deno.test("going back twice at once does not leave the page, and what comes next waits", async () => {
  const { win, entries } = fakeWindow();
  const router = new Router(win);
  const list = ["mail", "all", "inbox"];
  router.go([...list, "A", "1"]);
  router.leave(list);
  router.leave(list);
  router.back();
  router.go([...list, "A", "2"]);
  await new Promise((done) => setTimeout(done, 20));
  equal(entries, ["outside", "#/mail/all/inbox", "#/mail/all/inbox/A/2"]);
  equal(router.place.path.at(-1), "2");
  router.leave(list);
  await new Promise((done) => setTimeout(done, 20));
  equal(entries, ["outside", "#/mail/all/inbox"]);
});
