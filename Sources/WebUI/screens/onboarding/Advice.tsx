import { Icon, type IconName } from "../../ui/Icon.tsx";

/** A list item in a step: a topic, and advice. */
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
