import { CAPABILITY } from "../jmap/program.ts";
import { type App, useApp } from "../store/app.ts";
import type { IconName } from "../ui/Icon.tsx";

/** A section of the settings. */
export interface SectionEntry {
  id: string;
  title: string;
  icon: IconName;
  /** What is in it, for the command palette. */
  words: string;
  /** It is there only where the program can do one of these. */
  needs?: string[];
}

/** In the order of the specification, with two sections of our own. */
const SECTIONS: SectionEntry[] = [
  {
    id: "accounts",
    title: "Accounts",
    icon: "people",
    words: "add account sign in remove display name sync window",
  },
  {
    id: "composition",
    title: "Composition",
    icon: "compose",
    words:
      "default account undo send delay senders signature alias address templates replies open plain text while no window",
  },
  {
    id: "appearance",
    title: "Appearance",
    icon: "image",
    words: "theme dark light list density reading pane text size category tabs",
  },
  {
    id: "rules",
    title: "Rules",
    icon: "filter",
    words: "filter sieve block sender forward folder vip",
    needs: [CAPABILITY.rules],
  },
  {
    id: "ai",
    title: "AI Features",
    icon: "tag",
    words: "models download file summaries categories",
    needs: [CAPABILITY.models],
  },
  { id: "notifications", title: "Notifications", icon: "info", words: "new mail every computer" },
  {
    id: "security",
    title: "Security",
    icon: "lock",
    words: "app lock password passphrase fingerprint vault",
    needs: [CAPABILITY.lock, CAPABILITY.secrets],
  },
  {
    id: "data",
    title: "Data Management",
    icon: "archive",
    words: "storage attachment cache limit clear export mail settings import wipe delete everything store",
    needs: [CAPABILITY.storage],
  },
  {
    id: "privacy",
    title: "Privacy",
    icon: "shield",
    words: "remote images trusted senders connections tokens policy",
  },
  { id: "plugins", title: "Plugins", icon: "folder", words: "" },
  { id: "about", title: "About", icon: "help", words: "version licenses", needs: [CAPABILITY.about] },
];

/** The sections that this program has. */
export function sectionsOf({ client }: App): SectionEntry[] {
  return SECTIONS.filter(({ needs }) => !needs || needs.some((capability) => client.has(capability)));
}

export function useSections(): SectionEntry[] {
  return sectionsOf(useApp());
}
