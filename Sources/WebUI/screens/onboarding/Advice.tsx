import { Icon, type IconName } from "../../ui/Icon.tsx";

/** A line of a list in a step: what it is about, and what to know of it. */
export function Advice({ icon, title, children }: { icon: IconName; title: string; children: string }) {
  return (
    <li>
      <Icon name={icon} />
      <div>
        <p className="advice-title">{title}</p>
        <p className="field-hint">{children}</p>
      </div>
    </li>
  );
}
