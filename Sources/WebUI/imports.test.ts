import { equal, isTrue } from "./testing/assert.ts";
import {
  cycles,
  folderOf,
  foldersOf,
  type Imports,
  importsOf,
  readImports,
  readSources,
} from "./testing/imports.ts";

/** What the modules of each folder may import, besides each other. The table in README.md says the same. */
const MAY_IMPORT: Record<string, string[]> = {
  base: [],
  jmap: [],
  mail: ["jmap"],
  ui: ["base"],
  store: ["base", "jmap"],
  actions: ["base", "jmap", "store", "ui"],
};

/** `screens/inbox` belongs to `screens`, which may import everything. */
function layerOf(path: string): string {
  return path.split("/")[0] ?? "";
}

function wrongWays(imports: Imports): string[] {
  return [...imports].flatMap(([module, others]) => {
    const allowed = MAY_IMPORT[layerOf(module)];
    return others
      .filter((other) => allowed && layerOf(other) !== layerOf(module) && !allowed.includes(layerOf(other)))
      .map((other) => `${module} imports ${other}`);
  });
}

const page = readImports(new URL("./", import.meta.url));

Deno.test("every module is looked at, with what it imports", () => {
  isTrue(page.size > 100, `only ${page.size} modules were found`);
  isTrue(page.get("main.tsx")?.includes("screens/Start.tsx") ?? false, "main.tsx shows no screen");
  for (const folder of Object.keys(MAY_IMPORT)) {
    isTrue([...page.keys()].some((path) => folderOf(path) === folder), `there is no module in ${folder}`);
  }
});

Deno.test("no module imports itself through others", () => equal(cycles(page), []));

Deno.test("no folder imports itself through others", () => equal(cycles(foldersOf(page)), []));

Deno.test("folders import in one direction", () => equal(wrongWays(page), []));

Deno.test("a cycle of modules, a cycle of folders and a wrong direction are found", () => {
  equal(importsOf("ui/A.tsx", `import type { B } from "../store/b.ts";\nimport "./a.css";`), ["store/b.ts"]);
  const ring: Imports = new Map([["a/x.ts", ["b/y.ts"]], ["b/y.ts", ["b/z.ts"]], ["b/z.ts", ["a/x.ts"]]]);
  equal(cycles(ring), [["a/x.ts", "b/y.ts", "b/z.ts", "a/x.ts"]]);
  const folders: Imports = new Map([["a/x.ts", ["b/y.ts"]], ["b/z.ts", ["a/w.ts"]]]);
  equal(cycles(folders), []);
  equal(cycles(foldersOf(folders)), [["a", "b", "a"]]);
  equal(wrongWays(new Map([["ui/A.tsx", ["store/b.ts", "base/c.ts"]]])), ["ui/A.tsx imports store/b.ts"]);
});

/** The style sheets that are there with the first view: those of `main.tsx` and all that it imports at once. */
function firstStyles(sources: Map<string, string>): Set<string> {
  const found = new Set<string>();
  const seen = new Set<string>();
  const read = (path: string, text: string) =>
    [...text.matchAll(/(?:^import|^@import|\bfrom)\s+"(\.{1,2}\/[^"]+)"/gm)].map(([, name = ""]) =>
      new URL(name, new URL(path, "page:/")).pathname.replace(/^\//, "")
    );
  const visit = (path: string) => {
    if (seen.has(path)) return;
    seen.add(path);
    if (!path.endsWith(".css")) return read(path, sources.get(path) ?? "").forEach(visit);
    found.add(path);
    read(path, Deno.readTextFileSync(new URL(path, import.meta.url))).forEach(visit);
  };
  visit("main.tsx");
  return found;
}

Deno.test("screens that are loaded later have their styles from the beginning", () => {
  const sources = readSources(new URL("./", import.meta.url));
  const first = firstStyles(sources);
  isTrue(first.has("screens/settings/settings.css"), "the styles of the settings are missing");
  const all = [...sources].flatMap(([path, text]) =>
    [...text.matchAll(/^import "(\.[^"]+\.css)"/gm)].map(([, name = ""]) =>
      new URL(name, new URL(path, "page:/")).pathname.replace(/^\//, "")
    )
  );
  equal(all.filter((path) => !first.has(path)), []);
});
