import { useApp } from "../../store/app.ts";
import { CATEGORIES, models } from "../../store/categories.ts";
import { useObservable } from "../../store/observable.ts";

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
