/** How much room an account's mail takes with a window of 30 days, in MB (TC-06). */
const PER_ACCOUNT = { low: 500, high: 2000, days: 30 };

/**
 * What syncing will take, in the words of the first steps.
 *
 * - Parameter windows: the sync windows, in days, of the accounts whose mail comes from elsewhere.
 * - Parameter place: where the mail is kept.
 */
export function storageSentence(windows: number[], place = "this device"): string {
  const days = windows.length > 0 ? windows.reduce((sum, days) => sum + days, 0) : PER_ACCOUNT.days;
  const share = days / PER_ACCOUNT.days;
  const range = `${amount(PER_ACCOUNT.low * share)} – ${amount(PER_ACCOUNT.high * share)}`;
  return `Syncing your email typically uses ${range} of storage on ${place}, depending on email volume. ` +
    "AI features require an additional 500 MB – 2 GB.";
}

function amount(megabytes: number): string {
  if (megabytes < 1000) return `${Math.round(megabytes / 10) * 10} MB`;
  return `${Math.round(megabytes / 100) / 10} GB`;
}
