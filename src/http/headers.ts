/** Headers of every answer. The policy (https://www.w3.org/TR/CSP3/) lets the page use only its own server. */
export const HEADERS: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    // The page's one policy makes one address, that of its service worker.
    "trusted-types notifications",
  ].join("; "),
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** An answer in JSON. */
export function jsonResponse(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const type = { "content-type": "application/json; charset=utf-8" };
  return new Response(JSON.stringify(value), { status, headers: { ...HEADERS, ...type, ...headers } });
}
