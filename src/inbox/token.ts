const KEY = "cofferdam-token";

/** The parts after the `#` of the address, which browsers send to no server. */
interface GivenParts {
  readonly token: string | null;
  /** The request to show, after a click on its notification. */
  readonly request: string | null;
}

/** Takes the parts after the `#`, and removes them from the address. */
export function takeParts(): GivenParts {
  const { hash, pathname, search } = window.location;
  const given = new URLSearchParams(hash.slice(1));
  const [token, request] = [given.get("token"), given.get("request")];
  if (token !== null || request !== null) window.history.replaceState(null, "", `${pathname}${search}`);
  if (token !== null) keepToken(token);
  return { token: token ?? sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY), request };
}

/** Stores the token while this tab is open; an installed page keeps it, because each start is a new tab. */
export function keepToken(token: string): void {
  sessionStorage.setItem(KEY, token);
  if (isInstalled()) localStorage.setItem(KEY, token);
}

/** Removes a token that is no longer accepted. */
export function forgetToken(): void {
  sessionStorage.removeItem(KEY);
  localStorage.removeItem(KEY);
}

function isInstalled(): boolean {
  return window.matchMedia("(display-mode: standalone)").matches;
}
