const KEY = "cofferdam-token";

/** The user's token: stored in this tab, or after the `#` of the address and removed there. Only sent in headers. */
export function takeToken(): string | null {
  const { hash, pathname, search } = window.location;
  const given = new URLSearchParams(hash.slice(1)).get("token");
  if (given === null) return sessionStorage.getItem(KEY);
  window.history.replaceState(null, "", `${pathname}${search}`);
  keepToken(given);
  return given;
}

/** Stores the token while this tab is open. */
export function keepToken(token: string): void {
  sessionStorage.setItem(KEY, token);
}

/** Removes a token that is no longer accepted. */
export function forgetToken(): void {
  sessionStorage.removeItem(KEY);
}
