/** Which modules of the page import which: paths from the page's folder. */
export type Imports = Map<string, string[]>;

const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*"(\.{1,2}\/[^"]+\.tsx?)"/g;

/** Reads all modules below a folder, except tests and their helpers. */
export function readSources(root: URL): Map<string, string> {
  const sources = new Map<string, string>();
  const visit = (folder: string) => {
    for (const { name, isDirectory } of Deno.readDirSync(new URL(folder, root))) {
      const path = folder + name;
      if (isDirectory && !["node_modules", "testing"].includes(name)) visit(`${path}/`);
      else if (/\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name)) {
        sources.set(path, Deno.readTextFileSync(new URL(path, root)));
      }
    }
  };
  visit("");
  return sources;
}

/** Reads the imports of the same modules. */
export function readImports(root: URL): Imports {
  return new Map([...readSources(root)].map(([path, text]) => [path, importsOf(path, text)]));
}

/** The modules that a module imports, including type imports. */
export function importsOf(path: string, text: string): string[] {
  const at = new URL(path, "page:/");
  return [...text.matchAll(IMPORT)].map(([, name = ""]) => new URL(name, at).pathname.replace(/^\//, ""));
}

/** A module's folder; those of the page's own folder have none. */
export function folderOf(path: string): string {
  return path.split("/").slice(0, -1).join("/");
}

/** The same for folders: an import within one is none. */
export function foldersOf(imports: Imports): Imports {
  const folders = new Map<string, Set<string>>();
  for (const [module, others] of imports) {
    const folder = folderOf(module);
    const known = folders.get(folder) ?? new Set();
    folders.set(folder, known);
    for (const other of others) if (folderOf(other) !== folder) known.add(folderOf(other));
  }
  return new Map([...folders].map(([folder, others]) => [folder, [...others]]));
}

/** The ways that lead from something back to itself. */
export function cycles(imports: Imports): string[][] {
  const found: string[][] = [];
  const done = new Set<string>();
  const visit = (path: string, way: string[]) => {
    const start = way.indexOf(path);
    if (start >= 0) found.push([...way.slice(start), path]);
    if (start >= 0 || done.has(path)) return;
    for (const other of imports.get(path) ?? []) visit(other, [...way, path]);
    done.add(path);
  };
  for (const path of imports.keys()) visit(path, []);
  return found;
}
