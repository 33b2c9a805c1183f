import type { CSSProperties } from "react";
import { Icon } from "./Icon.tsx";

/** Initials on a color that is always the same for one address. It says nothing that the name does not. */
export function Avatar({ name, email, isChecked }: { name: string; email: string; isChecked?: boolean }) {
  let hash = 7;
  for (const letter of email.toLowerCase()) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 3600;
  return (
    <span
      className={`avatar ${isChecked ? "avatar-checked" : ""}`}
      style={{ "--hue": hash / 10 } as CSSProperties}
      aria-hidden="true"
    >
      {isChecked ? <Icon name="check" /> : initials(name)}
    </span>
  );
}

function initials(name: string): string {
  const words = name.replace(/["'()<>,]/g, " ").trim().split(/[\s._-]+/).filter(Boolean);
  const first = [...(words[0] ?? "?")][0] ?? "?";
  const last = words.length > 1 ? [...(words.at(-1) ?? "")][0] ?? "" : "";
  return (first + last).toUpperCase();
}
