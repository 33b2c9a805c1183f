import type { AccountSetup } from "../../jmap/accounts.ts";
import type { AccountSettings } from "../../jmap/vendor.ts";

/** Of a way to sign in that leads through another plugin. */
export const RECOGNIZED = "Messages on this device are recognized there.";

/**
 * The ways in which an account can sign in: those of its plugin, and those of others for services of any domain.
 *
 * @param host where the service offers JMAP, if it says so.
 */
export function waysFor(
  { pluginId, isKeptHereOnly }: Pick<AccountSettings, "pluginId" | "isKeptHereOnly">,
  setups: AccountSetup[],
  host: string | null,
): AccountSetup[] {
  const accounts = setups.filter(({ kind }) => kind === "account");
  const own = accounts.filter((setup) => setup.pluginId === pluginId);
  // Mail that is on this device only is nowhere else to be read.
  if (isKeptHereOnly) return own;
  const others = accounts.filter((setup) => setup.pluginId !== pluginId && setup.protocols.length > 0);
  return [...own, ...others.map((setup) => otherWay(setup, host))];
}

/** The way through JMAP, if it is another plugin's. */
export function jmapWay(pluginId: string, ways: AccountSetup[]): AccountSetup | null {
  return ways.find((way) => way.pluginId !== pluginId && way.protocols.includes("jmap")) ?? null;
}

function otherWay(setup: AccountSetup, host: string | null): AccountSetup {
  const isJMAP = setup.protocols.includes("jmap");
  const title = !isJMAP ? "Switch to IMAP" : host ? `Switch to JMAP at ${host}` : "Switch to JMAP";
  return { ...setup, title, explanation: RECOGNIZED };
}
