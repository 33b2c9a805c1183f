import { useEffect } from "react";
import { useApp } from "../../store/app.ts";
import { CATEGORIES, models } from "../../store/categories.ts";
import { useObservable } from "../../base/observable.ts";
import { Banner } from "../../ui/states.tsx";

/** Kinds of mail, while there is a model that knows them. */
export function CategoryTabs({ current, list }: { current: string | null; list: string[] }) {
  const app = useApp();
  useObservable(app.preferences);
  if (!models(app).categories) return null;
  const visible = app.preferences.get("singleton")?.categoryTabVisibility ?? {};
  const tabs = [["", "All"], ...CATEGORIES.filter(([id]) => id !== "forums" && visible[id] !== false)];
  return (
    <div className="segments" role="group" aria-label="Category">
      {tabs.map(([id, title]) => (
        <button
          key={id}
          type="button"
          aria-pressed={(current ?? "") === id}
          onClick={() => app.router.replace(list, id ? { category: id } : {})}
        >
          {title}
        </button>
      ))}
    </div>
  );
}

/** Says why mail is missing in the categories, while that is so. */
export function CategoryPause() {
  const app = useApp();
  const { categories } = app;
  const { pausedBy } = useObservable(categories);
  useEffect(() => categories.look(), [categories]);
  if (!pausedBy || !models(app).categories) return null;
  return (
    <Banner icon="info">
      {pausedBy === "battery"
        ? "Older mail is not sorted into categories while this computer runs on battery."
        : "Older mail is not sorted into categories while this computer is busy."} Messages you look at are.
    </Banner>
  );
}
