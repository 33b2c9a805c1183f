import { useEffect } from "react";
import { CAPABILITY, type NotificationStatus } from "../../jmap/program.ts";
import { useApp } from "../../store/app.ts";
import { useAll, useObservable } from "../../base/observable.ts";
import { Button } from "../../ui/Button.tsx";
import { SelectField, Switch } from "../../ui/fields.tsx";
import { Banner } from "../../ui/states.tsx";
import { Identities } from "./Identities.tsx";
import { Row, Section } from "./Row.tsx";
import { Templates } from "./Templates.tsx";
import { usePreference, usePreferences } from "./usePreference.ts";

const DELAYS = ([0, 5, 10, 15, 30] as const)
  .map((value) => ({ value, label: value === 0 ? "Off" : `${value} seconds` }));

const PLACES: { value: "below" | "floating" | "window"; label: string }[] = [
  { value: "below", label: "Below the message" },
  { value: "floating", label: "Above the mail, movable" },
  { value: "window", label: "In a window" },
];

export function CompositionSection() {
  const app = useApp();
  const preferences = usePreferences();
  const accounts = useObservable(app.accountSettings).list
    .filter((account) => account.status === "active");
  const { set } = usePreference();
  if (!preferences) return null;
  const first = [...accounts].sort((one, other) => one.addedAt.localeCompare(other.addedAt))[0];
  return (
    <Section id="composition" title="Composition">
      {accounts.length > 1 && (
        <Row about="Default account">
          <SelectField
            label="Default account"
            hint="Used for new messages."
            value={preferences.defaultSendingAccountId ?? first?.id ?? ""}
            options={accounts.map(({ id, address }) => ({ value: id, label: address }))}
            onChange={(defaultSendingAccountId) => set({ defaultSendingAccountId })}
          />
        </Row>
      )}
      <Row about="Undo send delay seconds">
        <SelectField
          label="Undo send delay"
          hint="How long you can undo sending a message."
          value={preferences.undoSendDelaySeconds}
          options={DELAYS}
          onChange={(undoSendDelaySeconds) => set({ undoSendDelaySeconds })}
        />
      </Row>
      {preferences.writesPlainText !== undefined && (
        <Row about="Write in plain text format formatting">
          <Switch
            label="Write in plain text"
            hint="Messages begin without formatting. Each can still be changed."
            isOn={preferences.writesPlainText}
            onChange={(writesPlainText) => set({ writesPlainText })}
          />
        </Row>
      )}
      {preferences.replyPlace && (
        <Row about="Replies open below the message floating above the mail window">
          <SelectField
            label="Replies open"
            hint="On a phone, they fill the screen."
            value={preferences.replyPlace}
            options={PLACES}
            onChange={(replyPlace) => set({ replyPlace })}
          />
        </Row>
      )}
      {preferences.sendWhileClosed !== undefined && (
        <Row about="Send while no window is open">
          <Switch
            label="Send while no window is open"
            hint="Otherwise, messages wait until you open mailkernel again."
            isOn={preferences.sendWhileClosed}
            onChange={(sendWhileClosed) => set({ sendWhileClosed })}
          />
        </Row>
      )}
      <Identities />
      <Templates />
    </Section>
  );
}

export function NotificationsSection() {
  const app = useApp();
  const preferences = usePreferences();
  const status = app.records<NotificationStatus>("NotificationStatus");
  useAll([app.accountSettings, app.syncStatus, status]);
  const { set } = usePreference();
  const isShared = app.syncStatus.list.some(({ turn }) => turn != null);
  const isThere = app.client.has(CAPABILITY.notifications);
  useEffect(() => {
    if (isThere) status.load();
  }, [isThere, status]);
  if (!preferences) return null;
  const state = status.get("singleton");
  return (
    <Section id="notifications" title="Notifications">
      {app.accountSettings.list.map(({ id, address }) => (
        <Row key={id} about={`New mail ${address}`}>
          <Switch
            label={address}
            hint="Notify about new mail"
            isOn={preferences.notificationPreferences[id] !== false}
            onChange={(isOn) =>
              set({ notificationPreferences: { ...preferences.notificationPreferences, [id]: isOn } })}
          />
        </Row>
      ))}
      {isShared && (
        <Row about="Notify on every computer">
          <Switch
            label="Notify on every computer"
            hint="Otherwise, only the computer that receives an account’s mail notifies you."
            isOn={preferences.notifyOnEveryComputer === true}
            onChange={(notifyOnEveryComputer) => set({ notifyOnEveryComputer })}
          />
        </Row>
      )}
      {state && !state.canNotify && (
        <Row about="System notifications disabled">
          <Banner icon="warning" kind="problem">
            <p>
              System notifications are disabled. Enable them in your desktop's settings to receive background
              alerts.
            </p>
            {state.reason && <p className="field-hint">{state.reason}</p>}
            <Button icon="refresh" onClick={() => status.load()}>Check again</Button>
          </Banner>
        </Row>
      )}
    </Section>
  );
}
