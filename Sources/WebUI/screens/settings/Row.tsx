import { createContext, type ReactNode, useContext } from "react";
import { Icon, type IconName } from "../../ui/Icon.tsx";
import { useRowFocus } from "../../ui/rowFocus.ts";

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

interface ListRowProps {
  /** The list that it is a row of, if it can be removed: the focus then goes to the next row. */
  list?: string | undefined;
  /** The list that it stands above: it gets the focus when the last row is removed. */
  heads?: string | undefined;
}

interface RowProps extends ListRowProps {
  /** Words for the search. */
  about: string;
  children: ReactNode;
  className?: string;
}

export function Row({ about, ...rest }: RowProps) {
  const search = useContext(Search);
  const title = useContext(Title);
  return fits(`${title} ${about}`, search) ? <RowBox {...rest} /> : null;
}

function RowBox({ list, heads, children, className = "" }: Omit<RowProps, "about">) {
  const row = useRowFocus<HTMLDivElement>(list);
  return <div {...row} data-list-head={heads} className={`setting ${className}`}>{children}</div>;
}

interface ActionRowProps extends ListRowProps {
  title: string;
  text?: ReactNode;
  icon?: IconName;
  children?: ReactNode;
}

/** Words, and a button beside them. */
export function ActionRow({ title, text, icon, children, list, heads }: ActionRowProps) {
  return (
    <Row
      about={`${title} ${typeof text === "string" ? text : ""}`}
      className="setting-action"
      {...{ list, heads }}
    >
      {icon && <Icon name={icon} />}
      <div className="setting-words">
        <p className="setting-title">{title}</p>
        {text && <p className="field-hint">{text}</p>}
      </div>
      {children && <div className="setting-buttons">{children}</div>}
    </Row>
  );
}
