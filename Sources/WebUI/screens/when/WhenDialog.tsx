import { type ReactNode, useId, useState } from "react";
import { presets, readMoment } from "../../base/presets.ts";
import type { NoTime } from "../../base/when.ts";
import { currentZone } from "../../base/zones.ts";
import { comingTime, fullTime } from "../../store/words.ts";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { Icon } from "../../ui/Icon.tsx";
import "./when.css";

interface WhenDialogProps {
  title: string;
  /** What the user should know before choosing; of the time that is typed or picked, where that makes a difference. */
  note?: ReactNode | ((at: Date | null) => ReactNode);
  /** What differs from time to time, said with each. */
  say?: ((at: Date) => string) | undefined;
  /** Nothing can be chosen beyond so many days. */
  mostDays?: number;
  onChoose: (at: Date) => void;
  onClose: () => void;
}

const DAY_MS = 86_400_000;
const PROBLEMS: Record<NoTime, string> = {
  unclear: "Type a time such as “tomorrow 14:30” or “in 3 hours”.",
  past: "That time has passed.",
  far: "That is too far away.",
};

/** Asks for a time to come: one of those that are offered, typed in words, or by date and time. */
export function WhenDialog({ title, note, say, mostDays, onChoose, onClose }: WhenDialogProps) {
  const [text, setText] = useState("");
  const [picked, setPicked] = useState("");
  const id = useId();
  const zone = currentZone();
  const now = new Date();
  const read = (text: string): Date | NoTime | null => {
    if (!text.trim()) return null;
    const found = readMoment(text, now, zone);
    const isFar = found instanceof Date && mostDays !== undefined &&
      found.getTime() - now.getTime() > mostDays * DAY_MS;
    return isFar ? "far" : found;
  };
  const [typed, chosen] = [read(text), read(picked)];
  const at = chosen instanceof Date ? chosen : typed instanceof Date ? typed : null;
  const noted = typeof note === "function" ? note(at) : note;
  const saying = (at: Date) => say ? `, ${say(at)}` : "";
  return (
    <Dialog title={title} onClose={onClose}>
      <input
        className="input"
        data-autofocus
        aria-label="When"
        aria-describedby={`${id}-read`}
        placeholder="friday 9, in 3 hours, 12 march"
        autoComplete="off"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !(typed instanceof Date)) return;
          // The focus goes back to the button that opened this, which would take the key as well.
          event.preventDefault();
          onChoose(typed);
        }}
      />
      <p id={`${id}-read`} role="status" className="when-read">
        {typed instanceof Date ? fullTime(typed.toISOString()) + saying(typed) : typed ? PROBLEMS[typed] : ""}
      </p>
      <ul className="move-list">
        {typed instanceof Date && (
          <Choice
            label="As typed"
            time={comingTime(typed, now)}
            onChoose={() => onChoose(typed)}
          />
        )}
        {presets(now, zone).map(({ label, at }) => (
          <Choice
            key={label}
            label={label}
            time={comingTime(at, now) + saying(at)}
            onChoose={() => onChoose(at)}
          />
        ))}
      </ul>
      <div className="when-pick">
        <label htmlFor={`${id}-pick`}>Date and time</label>
        <input
          id={`${id}-pick`}
          className="input"
          type="datetime-local"
          value={picked}
          aria-describedby={typeof chosen === "string" ? `${id}-problem` : undefined}
          onChange={(event) => setPicked(event.currentTarget.value)}
        />
        <Button
          disabled={!(chosen instanceof Date)}
          onClick={() => chosen instanceof Date && onChoose(chosen)}
        >
          Choose
        </Button>
      </div>
      {typeof chosen === "string" && <p id={`${id}-problem`} role="status">{PROBLEMS[chosen]}</p>}
      {chosen instanceof Date && say && <p role="status">{fullTime(chosen.toISOString()) + saying(chosen)}
      </p>}
      {typeof noted === "string" ? <p className="field-hint">{noted}</p> : noted}
    </Dialog>
  );
}

function Choice({ label, time, onChoose }: { label: string; time: string; onChoose: () => void }) {
  return (
    <li>
      <button type="button" className="menu-item" onClick={onChoose}>
        <Icon name="clock" />
        <span className="menu-label">{label}</span>
        <span className="when-time">{time}</span>
      </button>
    </li>
  );
}
