import type { Client } from "./client.ts";

/** The proxy variables of libcurl for an URL with TLS (libcurl-env(3)). */
const CURL_HTTPS = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"];
/** The same without TLS. */
const CURL_HTTP = ["http_proxy", "all_proxy", "ALL_PROXY"];

/** A body of that many bytes. */
const BODY = "head -c 3000000 /dev/zero >body";

const CURL_PAGES = [
  'test "$(curl -fsS {web}/here)" = here',
  "curl -fsSI {web}/here | grep -i '^content-length: 5'",
  "test \"$(curl -sS -o page -w '%{http_code}' -H 'If-None-Match: \"one\"' {web}/here)\" = 304",
  'test "$(curl -fsSL {web}/moved)" = here',
  "test \"$(curl -fsS {web}/parts)\" = 'one two'",
  'test "$(curl -fsS {web}/large | wc -c)" = 8388608',
  // The second page comes over the connection of the first.
  "test \"$(curl -fsS -w '%{num_connects}' -o one -o two {web}/here {web}/here)\" = 10",
] as const;

const CURL_UPLOADS = [
  BODY,
  "test \"$(curl -fsS --data-binary @body -H 'Expect: 100-continue' {web}/count)\" = 'POST 3000000'",
  "test \"$(curl -fsS -T - {web}/count <body)\" = 'PUT 3000000'",
  "test \"$(curl -fsS -F file=@body {web}/count | cut -c -6)\" = 'POST 3'",
] as const;

const WGET = [
  'test "$(wget -nv -O - --ca-certificate={ca} {web}/here)" = here',
  "test \"$(wget -nv -O - --ca-certificate={ca} --post-data=abc {web}/count)\" = 'POST 3'",
  'test "$(wget -nv -O - --ca-certificate={ca} {web}/large {web}/moved | wc -c)" = 8388613',
] as const;

/** The ref is new each time; the commit is larger than one piece of git's protocol. */
const GIT = [
  "export GIT_SSL_CAINFO={ca}",
  "git clone -q {web}/git/project.git copy",
  "cd copy",
  'test "$(cat a)" = one',
  "head -c 3000000 /dev/urandom >b",
  "git add b",
  "git -c user.name=me -c user.email=me@example.org commit -qm second",
  "git push -q origin HEAD:refs/heads/pushed-$(git rev-parse --short HEAD)",
  "git fetch -q",
  'test "$(git rev-parse HEAD)" = "$(git rev-parse origin/pushed-$(git rev-parse --short HEAD))"',
] as const;

const NODE_FETCH = `
const at = process.argv[2];
if ((await (await fetch(at + "/here")).text()) !== "here\\n") throw new Error("another page");
const { size } = await (await fetch(at + "/large")).blob();
const counted = await fetch(at + "/count", { method: "POST", body: new Uint8Array(3_000_000) });
if (size !== 8388608 || (await counted.text()) !== "POST 3000000\\n") throw new Error("another size");
`;

const NODE_REQUEST = `
const at = process.argv[2];
const { request } = await import(at.startsWith("https:") ? "node:https" : "node:http");
const ask = (path, method = "GET", body = "") => new Promise((resolve, reject) => {
  const asked = request(at + path, { method }, async (response) => {
    let text = "";
    for await (const part of response) text += part;
    if (response.statusCode === 200) resolve(text);
    else reject(new Error("status " + response.statusCode));
  });
  asked.on("error", reject);
  asked.end(body);
});
if ((await ask("/here")) !== "here\\n" || (await ask("/large")).length !== 8388608) throw new Error("another page");
if ((await ask("/count", "PUT", Buffer.alloc(3_000_000))) !== "PUT 3000000\\n") throw new Error("another size");
`;

const URLLIB = `
import sys, urllib.request
at = sys.argv[1]
assert urllib.request.urlopen(at + "/here").read() == b"here\\n"
assert len(urllib.request.urlopen(at + "/large").read()) == 8388608
assert urllib.request.urlopen(at + "/count", bytes(3000000)).read() == b"POST 3000000\\n"
`;

const REQUESTS = `
import sys, requests
at = sys.argv[1]
with requests.Session() as session:
    assert session.get(at + "/here").text == "here\\n"
    assert len(session.get(at + "/large").content) == 8388608
    assert session.post(at + "/count", data=bytes(3000000)).text == "POST 3000000\\n"
    assert session.put(at + "/count", data=(bytes(1000) for _ in range(9))).text == "PUT 9000\\n"
`;

/** Without it Node reads none of the others. */
const NODE = "NODE_USE_ENV_PROXY";

/** Programs that ask for one thing at a time. */
export const PROGRAM_CLIENTS: readonly Client[] = [
  {
    name: "curl, http",
    does: "pages large and small, `HEAD`, a redirect, 304, two on one connection",
    needs: ["curl"],
    scheme: "http",
    line: CURL_PAGES,
    obeys: CURL_HTTP,
    says: "The requested URL returned error: 403",
  },
  {
    name: "curl, https",
    does: "the same",
    needs: ["curl"],
    scheme: "https",
    line: CURL_PAGES,
    obeys: CURL_HTTPS,
    says: "403",
  },
  {
    name: "curl, uploads by http",
    does: "`POST` after `Expect: 100-continue`, a form, `PUT` of what has no length",
    needs: ["curl"],
    scheme: "http",
    line: CURL_UPLOADS,
    obeys: CURL_HTTP,
    says: "The requested URL returned error: 403",
  },
  {
    name: "curl, uploads by https",
    does: "the same",
    needs: ["curl"],
    scheme: "https",
    line: CURL_UPLOADS,
    obeys: CURL_HTTPS,
    says: "403",
  },
  {
    name: "curl, SOCKS 5",
    does: "`-x` with the URL of `http_proxy`, as `socks5h://`",
    needs: ["curl"],
    scheme: "https",
    line: [
      "proxy=${http_proxy-}",
      'test "$(curl -fsS -x "${proxy/#http:/socks5h:}" {web}/here)" = here',
      'test "$(curl -fsS -x "${proxy/#http:/socks5h:}" {web}/large | wc -c)" = 8388608',
    ],
    obeys: ["http_proxy"],
    says: "complete SOCKS5 connection",
  },
  {
    name: "wget, http",
    does: "pages, one after another, and a `POST`",
    needs: ["wget"],
    scheme: "http",
    line: WGET,
    obeys: ["http_proxy"],
    says: "403: Forbidden",
  },
  {
    name: "wget, https",
    does: "the same",
    needs: ["wget"],
    scheme: "https",
    line: WGET,
    obeys: ["https_proxy"],
    says: "Proxy tunneling failed: Forbidden",
  },
  {
    name: "git, https",
    does: "`clone`, `push` of 3 MB, `fetch`",
    needs: ["git"],
    scheme: "https",
    line: GIT,
    obeys: CURL_HTTPS,
    says: "403",
  },
  {
    name: "git, http",
    does: "the same",
    needs: ["git"],
    scheme: "http",
    line: GIT,
    obeys: CURL_HTTP,
    says: "The requested URL returned error: 403",
  },
  {
    name: "node, fetch",
    does: "pages and a `POST`; Node from 22.21 and 24.5 on",
    needs: ["node"],
    files: { "a.mjs": NODE_FETCH },
    scheme: "https",
    line: ["node a.mjs {web}"],
    obeys: [NODE, "https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"],
    says: "403",
  },
  {
    name: "node, https.request",
    does: "pages and a `PUT`; the same versions",
    needs: ["node"],
    files: { "a.mjs": NODE_REQUEST },
    scheme: "https",
    line: ["node a.mjs {web}"],
    obeys: [NODE, "https_proxy", "HTTPS_PROXY"],
    says: "403 Forbidden",
  },
  {
    name: "node, http.request",
    does: "the same",
    needs: ["node"],
    files: { "a.mjs": NODE_REQUEST },
    scheme: "http",
    line: ["node a.mjs {web}"],
    obeys: [NODE, "http_proxy", "HTTP_PROXY"],
    says: "status 403",
  },
  {
    name: "python3, urllib",
    does: "pages and a `POST`",
    needs: ["python3"],
    files: { "a.py": URLLIB },
    scheme: "https",
    line: ["python3 a.py {web}"],
    obeys: ["https_proxy", "HTTPS_PROXY"],
    says: "Tunnel connection failed: 403 Forbidden",
  },
  {
    name: "python3, urllib, http",
    does: "the same",
    needs: ["python3"],
    files: { "a.py": URLLIB },
    scheme: "http",
    line: ["python3 a.py {web}"],
    obeys: ["http_proxy", "HTTP_PROXY"],
    says: "HTTP Error 403: Forbidden",
  },
  {
    name: "python3, requests",
    does: "a session with pages, a `POST`, a `PUT` of what has no length",
    needs: ["python3"],
    has: "python3 -c 'import requests'",
    isOptional: true,
    files: { "a.py": REQUESTS },
    scheme: "https",
    line: ["python3 a.py {web}"],
    obeys: ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"],
    says: "Tunnel connection failed: 403 Forbidden",
  },
];
