import { expect, test } from "vitest";
import { Approvers, bearerToken, makeToken } from "../../../src/http/approvers.ts";
import { Buckets } from "../../../src/http/buckets.ts";
import { printEventId, seqOf } from "../../../src/http/event-id.ts";
import { OriginGuard } from "../../../src/http/guard.ts";
import { pageFile } from "../../../src/http/page.ts";

test("an id is of one store, and holds a number and nothing else", () => {
  const id = printEventId("a:b", 7);
  expect(seqOf(id, "a:b")).toBe(7);
  const others = [
    "a:b:-1",
    "a:b:",
    "a:b: 7",
    "a:b:07",
    "a:b:7.0",
    "a:b:0x7",
    "a:b:-2",
    "a:bc:7",
    "a:7",
    "7",
    "",
    "a:b:99999999999999999",
  ];
  expect(others.map((one) => seqOf(one, "a:b"))).toEqual([-1, ...Array(others.length - 1).fill(null)]);
});

test("a bucket gives so many at once, then as many as drop in, and each name has its own", () => {
  let now = 0;
  const buckets = new Buckets({ atOnce: 2, perSecond: 0.5 }, () => now);
  expect([1, 2, 3, 4].map(() => buckets.take("ann"))).toEqual([null, null, 2, 2]);
  expect(buckets.take("bob")).toBeNull();
  now = 1_900;
  expect(buckets.take("ann")).toBe(1);
  now = 2_000;
  expect([buckets.take("ann"), buckets.take("ann")]).toEqual([null, 2]);
  now = 3_600_000;
  expect([1, 2, 3].map(() => buckets.take("ann"))).toEqual([null, null, 2]);
});

test("buckets of more names than are kept begin anew, and take no more room", () => {
  const buckets = new Buckets({ atOnce: 1, perSecond: 0.001 }, () => 0);
  expect(buckets.take("ann")).toBeNull();
  expect(buckets.take("ann")).toBeGreaterThan(0);
  for (let index = 0; index < 1_000; index += 1) buckets.take(String(index));
  expect(buckets.take("ann")).toBeNull();
});

test("http.auth: a token is its owner's and nobody else's, and none of a thousand others is anybody's", () => {
  const all = Array.from({ length: 20 }, (_, index) => ({ name: `${index}`, token: makeToken() }));
  const approvers = new Approvers(all);
  for (const { name, token } of all) expect(approvers.nameOf(token)).toBe(name);
  const others = Array.from({ length: 1_000 }, makeToken);
  expect(others.map((token) => approvers.nameOf(token)).filter((name) => name !== null)).toEqual([]);
});

test("http.auth: a token is read from a header of its one form", () => {
  const token = "a".repeat(40);
  expect([`Bearer ${token}`, `bearer ${token}`, `Bearer ${token}==`].map(bearerToken)).toEqual([
    token,
    token,
    `${token}==`,
  ]);
  const others = [
    undefined,
    "",
    "Bearer",
    "Bearer ",
    ` Bearer ${token}`,
    `Bearer  ${token}`,
    `Bearer ${token} `,
    `Bearer ${token}, x`,
    `Basic ${token}`,
    `Bearer =${token}`,
    `Bearer ${"a".repeat(300)}`,
  ];
  expect(others.map(bearerToken)).toEqual(others.map(() => null));
});

test("http.auth: whom an address names counts as `Host` does, with or without the port that is usual", () => {
  const guard = new OriginGuard({
    hosts: ["approvals.example:443", "127.0.0.1:8080", "[::1]:80"],
    origins: [],
  });
  const codeOf = (url: string, host: string) =>
    guard.refuses({ url, host, origin: undefined })?.code ?? "let in";
  expect([
    codeOf("https://approvals.example/x", "approvals.example:443"),
    codeOf("http://approvals.example:443/x", "Approvals.example:443"),
    codeOf("http://127.0.0.1:8080/", "127.0.0.1:8080"),
    codeOf("http://[::1]/", "[::1]:80"),
  ]).toEqual(Array(4).fill("let in"));
  expect([
    codeOf("http://evil.example/x", "127.0.0.1:8080"),
    codeOf("http://127.0.0.1/x", "127.0.0.1:8080"),
    codeOf("http://ann@127.0.0.1:8080/x", "127.0.0.1:8080"),
    codeOf("http://:pass@127.0.0.1:8080/x", "127.0.0.1:8080"),
    codeOf("http://127.0.0.1:8080@evil.example/x", "127.0.0.1:8080"),
    codeOf("http://127.0.0.1:8080/x", "evil.example"),
  ]).toEqual(Array(6).fill("HOST_UNKNOWN"));
});

test("the page's files are read once: every answer passes on the same bytes", async () => {
  const pieces = await Promise.all(
    [pageFile("/inbox.js"), pageFile("/inbox.js")].map(async (answer) => answer?.body?.getReader().read()),
  );
  const [one, two] = pieces.map((piece) => piece?.value);
  expect(one?.byteLength).toBeGreaterThan(1_000);
  expect(two).toBe(one);
  expect(pageFile("/inbox.js")?.headers.get("content-length")).toBe(String(one?.byteLength));
});
