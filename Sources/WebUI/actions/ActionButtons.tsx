import { Button, type ButtonProps, IconButton } from "../ui/Button.tsx";
import type { Action, Place, Subject } from "./action.ts";
import { type Offer, offers } from "./offers.ts";

interface ActionButtonsProps<S extends Subject> {
  actions: Action<S>[];
  subject: S;
  place: Place;
}

/** The actions that a place offers, as buttons with an icon. */
export function ActionButtons<S extends Subject>({ actions, subject, place }: ActionButtonsProps<S>) {
  return <>{offers(actions, subject, place).map((offer) => <ActionButton key={offer.id} offer={offer} />)}</>;
}

function ActionButton({ offer: { id, label, icon = "more", hint, isOn, problem, run } }: { offer: Offer }) {
  return (
    <IconButton
      icon={icon}
      label={label}
      hint={hint}
      problem={problem}
      className={`action-${id}`}
      aria-pressed={isOn}
      onClick={run}
    />
  );
}

/** The same as buttons with words. */
export function WordButtons<S extends Subject>(
  { actions, subject, place, ...rest }: ActionButtonsProps<S> & ButtonProps,
) {
  return (
    <>
      {offers(actions, subject, place).map(({ id, icon, label, hint, run }) => (
        <Button key={id} {...(icon ? { icon } : {})} title={hint} onClick={run} {...rest}>{label}</Button>
      ))}
    </>
  );
}
