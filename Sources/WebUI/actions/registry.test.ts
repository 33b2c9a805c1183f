import { equal, isTrue } from "../testing/assert.ts";
import { readSources } from "../testing/imports.ts";
import { ADDRESS } from "./address.ts";
import { APPEARANCE } from "./appearance.ts";
import { ATTACHMENT } from "./attachment.ts";
import { COMPOSING } from "./composing.ts";
import { CONVERSATION } from "./conversation.ts";
import { EVERYWHERE, HELP, PALETTE, SEARCHING } from "./everywhere.ts";
import { FOLDER, FOLDERS } from "./folder.ts";
import { GOING } from "./going.ts";
import { ANSWERING } from "./invitation.ts";
import { LEAVING, LIST, SELECTION } from "./list.ts";
import { MESSAGE } from "./message.ts";
import { THROUGH } from "./reading.ts";
import { SENDER, SENDERS } from "./senders.ts";
import { SETTINGS } from "./settings.ts";
import { VIEWING } from "./viewing.ts";

interface Named {
  label: unknown;
  title?: string;
  places?: string[];
}

const ALL: Named[] = [
  ...[APPEARANCE, COMPOSING, CONVERSATION, EVERYWHERE, FOLDER, FOLDERS, GOING, HELP, PALETTE, SEARCHING]
    .flat(),
  ...[
    ADDRESS,
    ANSWERING,
    ATTACHMENT,
    LEAVING,
    LIST,
    SELECTION,
    MESSAGE,
    SENDER,
    SENDERS,
    SETTINGS,
    THROUGH,
    VIEWING,
  ].flat(),
];

/** The names of buttons; those that need a title, such as “Close”, are also names of other things. */
const LABELS = ALL.flatMap(({ label, title, places }) =>
  typeof label === "string" && !title && places ? [label] : []
);

/** What a screen must leave to the actions: keys with a meaning, the name of a key, the name of a button. */
function repeated(source: string): string[] {
  const icons = source.match(/<IconButton\b[^]*?\/>/g) ?? [];
  const names = [
    ...icons.map((icon) => /\slabel="([^"]*)"/.exec(icon)?.[1]),
    ...[...source.matchAll(/>\s*([^<>{}]*?)\s*<\/Button>/g)].map(([, text]) => text),
  ];
  return [
    ...source.match(/\bkeys: \[|\bdoes: "|\bshown\("/g) ?? [],
    ...icons.flatMap((icon) => icon.match(/\bhint="[^"]*"/g) ?? []),
    ...names.filter((name) => name !== undefined && LABELS.includes(name)) as string[],
  ];
}

const sources = readSources(new URL("../", import.meta.url));

Deno.test("keys, and the names of actions, are in the registry alone", () => {
  isTrue(LABELS.length > 20 && sources.size > 100, "the page was not read");
  const found = [...sources]
    .filter(([path]) => /^(screens|ui)\//.test(path))
    .flatMap(([path, source]) => repeated(source).map((what) => `${path}: ${what}`));
  equal(found, []);
});

Deno.test("a key and a name outside the registry are found", () => {
  equal(repeated(`useShortcuts(app.shortcuts, "Mail", [{ keys: ["/"], does: "Search" }]);`), [
    "keys: [",
    'does: "',
  ]);
  equal(
    repeated(`<IconButton icon="refresh" label="Refresh" hint="Shift + N" onClick={() => app.refresh()} />`),
    ['hint="Shift + N"', "Refresh"],
  );
  equal(repeated(`<Button kind="primary" onClick={compose}>\n  New message\n</Button>`), ["New message"]);
  equal(repeated(`<IconButton icon="close" label="Remove filter" onClick={remove} />`), []);
});
