import { createContext, type ReactNode, useContext } from "react";
import { Icon, type IconName } from "../../ui/Icon.tsx";

/** The search text, and the title of the surrounding section. */
export const Search = createContext("");
const Title = createContext("");

/** Whether all words are somewhere in the text. */
export function fits(text: string, search: string): boolean {
  const place = text.toLowerCase();
  return search.toLowerCase().split(/\s+/).every((word) => place.includes(word));
}

interface SectionProps {
  id: string;
  title: string;
  children: ReactNode;
}

/** A group of settings, hidden if nothing in it matches the search. */
export function Section({ id, title, children }: SectionProps) {
  return (
    <section id={`settings-${id}`} className="settings-section" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`} tabIndex={-1}>{title}</h2>
      <div className="settings-card">
        <Title.Provider value={title}>{children}</Title.Provider>
      </div>
    </section>
  );
}

interface RowProps {
  /** Words for the search. */
  about: string;
  children: ReactNode;
  className?: string;
}

export function Row({ about, children, className = "" }: RowProps) {
  const search = useContext(Search);
  const title = useContext(Title);
  if (!fits(`${title} ${about}`, search)) return null;
  return <div className={`setting ${className}`}>{children}</div>;
}

interface ActionRowProps {
  title: string;
  text?: ReactNode;
  icon?: IconName;
  children?: ReactNode;
}

/** Words, and a button beside them. */
export function ActionRow({ title, text, icon, children }: ActionRowProps) {
  return (
    <Row about={`${title} ${typeof text === "string" ? text : ""}`} className="setting-action">
      {icon && <Icon name={icon} />}
      <div className="setting-words">
        <p className="setting-title">{title}</p>
        {text && <p className="field-hint">{text}</p>}
      </div>
      {children && <div className="setting-buttons">{children}</div>}
    </Row>
  );
}
