// The service worker of the installed app. It has one task: a page that says what to do while the program is not running.
// It keeps no mail and no answer of the program, and whatever the program answers, also that it is locked, is what is shown.
const NAME = "offline-1";
const PAGE = "/offline.html";
const FILES = [PAGE, "/offline.css", "/icon.svg"];

addEventListener("install", (event) => {
  event.waitUntil(caches.open(NAME).then((cache) => cache.addAll(FILES)));
});

addEventListener("fetch", (event) => {
  const { mode, url } = event.request;
  const path = new URL(url).pathname;
  const file = mode === "navigate" && path === "/" ? PAGE : path;
  if (FILES.includes(file)) event.respondWith(fetch(event.request).catch(() => caches.match(file)));
});
