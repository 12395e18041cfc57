/** The time until then, in a suitable unit: `15 seconds`, `5 minutes`, `3 hours`, `7 days`. */
export function timeLeft(until: number, now: number): string {
  const seconds = Math.max(0, Math.ceil((until - now) / 1_000));
  if (seconds < 60) return counted(seconds, "second");
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 120) return counted(minutes, "minute");
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? counted(hours, "hour") : counted(Math.floor(hours / 24), "day");
}

function counted(many: number, unit: string): string {
  return `${many.toLocaleString("en")} ${unit}${many === 1 ? "" : "s"}`;
}
