import { type Later, NotLoaded, useLater } from "../ui/later.tsx";
import { Spinner } from "../ui/states.tsx";
import "./laterScreens.css";

/** A screen that the mail does not wait for, once it is loaded. */
export function LaterScreen({ screen }: { screen: Later<object> }) {
  const { Loaded, hasFailed } = useLater(screen);
  if (Loaded) return <Loaded />;
  return hasFailed ? <NotLoaded isScreen what="This screen" /> : <Spinner label="Loading" />;
}
