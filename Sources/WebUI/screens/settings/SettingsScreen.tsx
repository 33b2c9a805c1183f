import { type ReactElement, useEffect, useRef, useState } from "react";
import { CAPABILITY } from "../../jmap/program.ts";
import { useApp, useKeysOnce } from "../../store/app.ts";
import { useObservable } from "../../base/observable.ts";
import { address } from "../../store/router.ts";
import { IconButton } from "../../ui/Button.tsx";
import { Icon, type IconName } from "../../ui/Icon.tsx";
import { useShortcuts } from "../../base/shortcuts.ts";
import { EmptyState, FailedState, Spinner } from "../../ui/states.tsx";
import { NoProgram } from "../banners/Banners.tsx";
import { AboutSection } from "./AboutSection.tsx";
import { AccountsSection } from "./AccountsSection.tsx";
import { DataSection } from "./DataSection.tsx";
import { ModelsSection } from "./ModelsSection.tsx";
import { isSettingsWindow, standAlone } from "../../actions/openSettings.ts";
import { PluginsSection } from "./PluginsSection.tsx";
import { AppearanceSection, CompositionSection, NotificationsSection } from "./PreferenceSections.tsx";
import { PrivacySection } from "./PrivacySection.tsx";
import { Search } from "./Row.tsx";
import { SecuritySection } from "./SecuritySection.tsx";
import "./settings.css";

interface Entry {
  id: string;
  title: string;
  icon: IconName;
  section: () => ReactElement | null;
}

/** In the order of the specification, with two sections of our own. */
function useEntries(): Entry[] {
  const { client } = useApp();
  const entries: (Entry | false)[] = [
    { id: "accounts", title: "Accounts", icon: "people", section: AccountsSection },
    { id: "composition", title: "Composition", icon: "compose", section: CompositionSection },
    { id: "appearance", title: "Appearance", icon: "image", section: AppearanceSection },
    client.has(CAPABILITY.models) && {
      id: "ai",
      title: "AI Features",
      icon: "tag" as const,
      section: ModelsSection,
    },
    { id: "notifications", title: "Notifications", icon: "info", section: NotificationsSection },
    (client.has(CAPABILITY.lock) || client.has(CAPABILITY.secrets)) && {
      id: "security",
      title: "Security",
      icon: "lock" as const,
      section: SecuritySection,
    },
    client.has(CAPABILITY.storage) && {
      id: "data",
      title: "Data Management",
      icon: "archive" as const,
      section: DataSection,
    },
    { id: "privacy", title: "Privacy", icon: "shield", section: PrivacySection },
    { id: "plugins", title: "Plugins", icon: "folder", section: PluginsSection },
    client.has(CAPABILITY.about) && {
      id: "about",
      title: "About",
      icon: "help" as const,
      section: AboutSection,
    },
  ];
  return entries.filter((entry): entry is Entry => entry !== false);
}

export function SettingsScreen() {
  const app = useApp();
  const preferences = useObservable(app.preferences);
  const { place } = useObservable(app.router);
  const entries = useEntries();
  const [search, setSearch] = useState("");
  const [isNothing, setNothing] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  const chosen = place.path[1];
  useEffect(() => {
    document.title = "Settings – mailkernel";
  }, []);
  useEffect(() => {
    if (!chosen) return;
    const section = document.getElementById(`settings-${chosen}`);
    section?.scrollIntoView({ block: "start" });
    section?.querySelector<HTMLElement>("h2")?.focus({ preventScroll: true });
  }, [chosen, preferences.status]);
  useKeysOnce(app, preferences.status !== "loading");
  // Settings that were opened in another window are the ones that are wanted; what is asked here stays.
  useEffect(() =>
    standAlone(() => {
      if (!document.querySelector("dialog[open]")) back();
    }), []);
  useEffect(() => setNothing(search !== "" && !list.current?.querySelector(".setting")));
  useShortcuts(app.shortcuts, "Settings", [
    { keys: ["Escape"], does: "Back to your mail", run: back },
    {
      keys: ["/", "Mod+F"],
      does: "Search the settings",
      run: () => document.getElementById("search")?.focus(),
    },
  ]);

  function back() {
    if (isSettingsWindow()) globalThis.close();
    else app.router.backOr([]);
  }

  return (
    <div className="settings">
      <header className="settings-header">
        {isSettingsWindow()
          ? <IconButton icon="close" label="Close the settings" hint="Escape" onClick={back} />
          : <IconButton icon="back" label="Back to your mail" hint="Escape" onClick={back} />}
        <h1>Settings</h1>
        <div className="settings-search">
          <Icon name="search" />
          <input
            id="search"
            className="input"
            type="search"
            aria-label="Search the settings"
            placeholder="Search"
            value={search}
            onChange={(event) => setSearch(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== "Escape" || search === "") return;
              event.stopPropagation();
              setSearch("");
            }}
          />
        </div>
      </header>
      <div className="settings-banners" role="status">
        <NoProgram />
      </div>
      <div className="settings-panes">
        <nav className="settings-nav" aria-label="Sections">
          <ul>
            {entries.map(({ id, title, icon }) => (
              <li key={id}>
                <a
                  href={address(["settings", id])}
                  aria-current={chosen === id ? "location" : undefined}
                  onClick={(event) => {
                    event.preventDefault();
                    setSearch("");
                    app.router.replace(["settings"]);
                    app.router.replace(["settings", id]);
                  }}
                >
                  <Icon name={icon} /> {title}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <main ref={list} className="settings-list">
          {preferences.status === "loading" && <Spinner label="Loading the settings" />}
          {preferences.status === "failed" && (
            <FailedState
              title="The settings could not be loaded"
              reason={preferences.problem ?? ""}
              retry={() => preferences.load()}
            />
          )}
          {preferences.status === "ready" && (
            <Search.Provider value={search.trim()}>
              {entries.map(({ id, section: Section }) => <Section key={id} />)}
            </Search.Provider>
          )}
          {isNothing && (
            <EmptyState
              icon="search"
              title="No setting is about that"
              action={{ label: "Show all settings", run: () => setSearch("") }}
            />
          )}
        </main>
      </div>
    </div>
  );
}
