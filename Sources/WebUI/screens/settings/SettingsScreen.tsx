import { type ReactElement, useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { ActionButtons } from "../../actions/ActionButtons.tsx";
import { commands, shortcuts } from "../../actions/offers.ts";
import { isSettingsWindow, standAlone } from "../../actions/openSettings.ts";
import { useSections } from "../../actions/sections.ts";
import { SETTINGS, type SettingsSubject } from "../../actions/settings.ts";
import { useApp, useKeysOnce } from "../../store/app.ts";
import { useObservable } from "../../base/observable.ts";
import { address } from "../../store/router.ts";
import { Icon } from "../../ui/Icon.tsx";
import { useShortcuts } from "../../base/shortcuts.ts";
import { EmptyState, FailedState, Spinner } from "../../ui/states.tsx";
import { NoProgram, SilentStore } from "../banners/Banners.tsx";
import { PaletteHost } from "../palette/PaletteHost.tsx";
import { AboutSection } from "./AboutSection.tsx";
import { AccountsSection } from "./AccountsSection.tsx";
import { AppearanceSection } from "./AppearanceSection.tsx";
import { DataSection } from "./DataSection.tsx";
import { ModelsSection } from "./ModelsSection.tsx";
import { PluginsSection } from "./PluginsSection.tsx";
import { CompositionSection, NotificationsSection } from "./PreferenceSections.tsx";
import { PrivacySection } from "./PrivacySection.tsx";
import { Search } from "./Row.tsx";
import { RulesSection } from "./RulesSection.tsx";
import { SecuritySection } from "./SecuritySection.tsx";

const CONTENT: Record<string, () => ReactElement | null> = {
  accounts: AccountsSection,
  composition: CompositionSection,
  appearance: AppearanceSection,
  rules: RulesSection,
  ai: ModelsSection,
  notifications: NotificationsSection,
  security: SecuritySection,
  data: DataSection,
  privacy: PrivacySection,
  plugins: PluginsSection,
  about: AboutSection,
};

export function SettingsScreen() {
  const app = useApp();
  const preferences = useObservable(app.preferences);
  const { place } = useObservable(app.router);
  const [search, setSearch] = useState("");
  const [, chosen] = place.path;
  useKeysOnce(app, preferences.status !== "loading");
  useChosen(chosen, preferences.status, () => setSearch(""));
  const subject = useSubject();
  const choose = (id: string) => app.router.replace(["settings", id]);
  return (
    <div className="settings">
      <header className="settings-header">
        <ActionButtons actions={SETTINGS} subject={subject} place="back" />
        <h1>Settings</h1>
        <SearchField search={search} onSearch={setSearch} />
      </header>
      <div className="settings-banners" role="status">
        <NoProgram />
        <SilentStore />
      </div>
      <div className="settings-panes">
        <Sections chosen={chosen} onChoose={choose} />
        <SettingsList search={search} onShowAll={() => setSearch("")} />
      </div>
      <PaletteHost app={app} offered={() => commands(SETTINGS, subject)} />
    </div>
  );
}

/** The section that the address names comes into view, also if it is chosen again. A search could hide it. */
function useChosen(chosen: string | undefined, status: string, endSearch: () => void): void {
  const choices = useApp().router.version();
  useEffect(() => {
    document.title = "Settings – mailkernel";
  }, []);
  useEffect(() => {
    if (!chosen) return;
    const timer = setTimeout(() => {
      flushSync(endSearch);
      const section = document.getElementById(`settings-${chosen}`);
      section?.scrollIntoView({ block: "start" });
      section?.querySelector<HTMLElement>("h2")?.focus({ preventScroll: true });
    });
    return () => clearTimeout(timer);
  }, [choices, status]);
}

/** Opened in another window, the settings are left here. */
function useSubject(): SettingsSubject {
  const app = useApp();
  const leave = () => isSettingsWindow() ? globalThis.close() : app.router.backOr([]);
  // Opening settings in another window selects them here; unsaved input stays.
  useEffect(() =>
    standAlone(() => {
      if (!document.querySelector("dialog[open]")) leave();
    }), []);
  const subject = { app, targets: [], leave, search: () => document.getElementById("search")?.focus() };
  useShortcuts(app.shortcuts, "Settings", shortcuts(SETTINGS, () => subject));
  return subject;
}

function SearchField({ search, onSearch }: { search: string; onSearch: (text: string) => void }) {
  return (
    <div className="settings-search">
      <Icon name="search" />
      <input
        id="search"
        className="input"
        type="search"
        aria-label="Search settings"
        placeholder="Search"
        value={search}
        onChange={(event) => onSearch(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape" || search === "") return;
          event.stopPropagation();
          onSearch("");
        }}
      />
    </div>
  );
}

function Sections({ chosen, onChoose }: { chosen: string | undefined; onChoose: (id: string) => void }) {
  return (
    <nav className="settings-nav" aria-label="Sections">
      <ul>
        {useSections().map(({ id, title, icon }) => (
          <li key={id}>
            <a
              href={address(["settings", id])}
              aria-current={chosen === id ? "location" : undefined}
              onClick={(event) => {
                event.preventDefault();
                onChoose(id);
              }}
            >
              <Icon name={icon} /> {title}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function SettingsList({ search, onShowAll }: { search: string; onShowAll: () => void }) {
  const preferences = useObservable(useApp().preferences);
  const entries = useSections();
  const list = useRef<HTMLDivElement>(null);
  const [isNothing, setNothing] = useState(false);
  useEffect(() => setNothing(search !== "" && !list.current?.querySelector(".setting")));
  return (
    <main ref={list} className="settings-list">
      {preferences.status === "loading" && <Spinner label="Loading settings" />}
      {preferences.status === "failed" && (
        <FailedState
          title="Settings could not be loaded"
          reason={preferences.problem ?? ""}
          retry={() => preferences.load()}
        />
      )}
      {preferences.status === "ready" && (
        <Search.Provider value={search.trim()}>
          {entries.map(({ id }) => {
            const Content = CONTENT[id];
            return Content && <Content key={id} />;
          })}
        </Search.Provider>
      )}
      {isNothing && (
        <EmptyState
          icon="search"
          title="No settings found"
          action={{ label: "Show all settings", run: onShowAll }}
        />
      )}
    </main>
  );
}
