import { expect, test } from "vitest";
import { Account } from "../../../src/network/account.ts";

test("an account names a hundred hosts, most of them first, and counts the others together", () => {
  const account = new Account();
  for (let at = 0; at < 105; at += 1) account.connected({ host: `h${at}.test`, port: 443 })(at, 2);
  account.connected({ host: "h3.test", port: 443 })(1000, 0);
  account.connected({ host: "h3.test", port: 80 })(1, 0);
  const { hosts, others } = account.use();
  expect(hosts.length).toBe(100);
  expect(hosts[0]).toEqual({ host: "h3.test", port: 443, connections: 2, sentBytes: 1003, receivedBytes: 2 });
  expect(hosts[1]?.host).toBe("h99.test");
  expect(others).toEqual({ connections: 6, sentBytes: 100 + 101 + 102 + 103 + 104 + 1, receivedBytes: 10 });
});

test("an account tells each refusal once, says how often it came, and names no more than a hundred", () => {
  const account = new Account();
  const refuse = (host: string | null) =>
    account.refused({ host, port: 80, because: "unlisted", reason: "it is not listed" });
  expect([refuse("a.test"), refuse("a.test"), refuse(null), refuse("null")]).toEqual([
    true,
    false,
    true,
    true,
  ]);
  for (let at = 0; at < 110; at += 1) refuse(`h${at}.test`);
  const { refused, moreRefused } = account.use();
  expect([refused.length, moreRefused, refused[0]]).toEqual([
    100,
    13,
    { host: "a.test", port: 80, because: "unlisted", reason: "it is not listed", times: 2 },
  ]);
});
