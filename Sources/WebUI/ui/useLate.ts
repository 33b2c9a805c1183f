import { useEffect, useState } from "react";

/** Whether something has taken so long that the user should see that it is under way. */
export function useLate(isBusy: boolean, milliseconds = 300): boolean {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    if (!isBusy) return;
    const timer = setTimeout(() => setLate(true), milliseconds);
    return () => {
      clearTimeout(timer);
      setLate(false);
    };
  }, [isBusy, milliseconds]);
  return isBusy && isLate;
}
