const KEY = "cofferdam-token";

/**
 * The token of whoever opened the page: from behind the `#` of its address, from where it is taken away at once, or from
 * before in this tab. It is sent in a header, never in an address.
 */
export function takeToken(): string | null {
  const { hash, pathname, search } = window.location;
  const given = new URLSearchParams(hash.slice(1)).get("token");
  if (given === null) return sessionStorage.getItem(KEY);
  window.history.replaceState(null, "", `${pathname}${search}`);
  keepToken(given);
  return given;
}

/** For as long as this tab is open. */
export function keepToken(token: string): void {
  sessionStorage.setItem(KEY, token);
}

/** It is not taken any more. */
export function forgetToken(): void {
  sessionStorage.removeItem(KEY);
}
