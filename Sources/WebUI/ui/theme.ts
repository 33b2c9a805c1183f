import { useEffect, useState } from "react";

/** The available themes; `system` follows the desktop. */
export type Theme = "system" | "light" | "dark";

/** Sets the colors that the person chose; the style sheet does the rest. */
export function useTheme(theme: Theme): void {
  useEffect(() => {
    if (theme === "system") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = theme;
  }, [theme]);
}

/** Sets the text size, in percent of the browser's; everything is sized in `rem` and follows it. */
export function useTextSize(percent: number): void {
  useEffect(() => {
    if (percent === 100) return;
    const { style } = document.documentElement;
    style.fontSize = `${percent}%`;
    return () => void style.removeProperty("font-size");
  }, [percent]);
}

/** Whether dark colors are shown: what the person chose, else what the desktop says. */
export function useIsDark(theme: Theme): boolean {
  const [isDesktopDark, setDesktopDark] = useState(() => dark().matches);
  useEffect(() => {
    const query = dark();
    const heard = () => setDesktopDark(query.matches);
    query.addEventListener("change", heard);
    return () => query.removeEventListener("change", heard);
  }, []);
  return theme === "system" ? isDesktopDark : theme === "dark";
}

function dark(): MediaQueryList {
  return matchMedia("(prefers-color-scheme: dark)");
}
