/** The server's clock, as this page knows it. Remaining times use only this clock. */
export class Clock {
  #aheadMs = 0;

  /** Sets the server's current time, in milliseconds since 1970. */
  set(serverNow: number): void {
    this.#aheadMs = serverNow - Date.now();
  }

  now(): number {
    return Date.now() + this.#aheadMs;
  }
}

/** The time left: `4:05`, `2 h 10 min`, `3 days`; `0:00` after the end. */
export function timeLeft(expiresAt: number, now: number): string {
  const seconds = Math.max(0, Math.ceil((expiresAt - now) / 1_000));
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}:${String(seconds % 60).padStart(2, "0")}`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} days`;
}

/** How long ago something was: `just now`, `3 min ago`, `2 h ago`, `4 days ago`. */
export function timeAgo(at: number, now: number): string {
  const minutes = Math.floor(Math.max(0, now - at) / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ago` : `${Math.floor(hours / 24)} days ago`;
}
