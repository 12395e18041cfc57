import { describe, expect, test } from "vitest";
import { grantedRows } from "../../../src/cli/offer-text.ts";
import { findings } from "../../../src/config/check.ts";
import { printGrants } from "../../../src/config/grants-line.ts";
import { loadConfig } from "../../../src/config/load.ts";
import { machine, PLAIN } from "./machine.ts";

const CONFIG = "home/ann/project/cofferdam.yaml";

function loaded(network: string, profile: string | null = null) {
  const own = "home/ann/own.yaml";
  const m = machine({
    [CONFIG]: `${PLAIN}shell: { network: ${network} }\n`,
    [own]: `profile: own\n${profile ?? ""}`,
  });
  return loadConfig(m.host, { config: m.at(CONFIG), profiles: profile === null ? [] : [m.at(own)] });
}

describe("the network of commands in a config", () => {
  test.each([
    ["false", "none"],
    ["true", "every public address, through the proxy"],
    ["host", "the machine's own"],
    ["{ hosts: [a.test, '*.b.test:443 private'] }", "*.b.test:443 private, a.test"],
    ["{ hosts: ['*:443'], never: [c.test], strict_sni: true }", "*:443, never c.test, strict_sni"],
    ["{ hosts: ['*'] }", "every public address, through the proxy"],
    ["{ hosts: [a.test], ask: unlisted }", "a.test; other hosts need approval"],
    ["{ ask: unlisted }", "none; other hosts need approval"],
    ["{ hosts: [] }", "none"],
  ])("%s is told as: %s", (written, words) => {
    const whole = loaded(written);
    expect(printGrants(whole.config)).toContain(`network ${words}; `);
    expect(grantedRows(machine().host, whole).find(([name]) => name === "network")?.[1]).toBe(words);
  });

  test.each<[claim: string, hosts: string, profile: string, found: readonly string[]]>([
    ["that is reached", "[a.test:443]", "network: { hosts: ['*:443'] }\n", []],
    [
      "without any network",
      "[a.test]",
      "network: none\n",
      ["no command reaches `a.test`: the profile `own` does not allow it"],
    ],
    [
      "on another port",
      "[a.test:22]",
      "network: { hosts: ['*:443'] }\n",
      ["no command reaches `a.test:22`: the profile `own` does not allow it"],
    ],
    [
      "that is never reached",
      "[a.test, b.test]",
      "network: { hosts: ['*'], never: [b.test] }\n",
      ["no command reaches `b.test`: the profile `own` does not allow it"],
    ],
    [
      "of this machine where only public ones are",
      "[127.0.0.1]",
      "network: true\n",
      ["no command reaches `127.0.0.1`: the profile `own` does not allow it"],
    ],
  ])("check tells of a host %s", (_claim, hosts, profile, found) => {
    const all = findings(loaded(`{ hosts: ${hosts} }`, profile));
    expect(all.map(({ message }) => message)).toEqual(found);
    expect(all.every(({ severity, at }) => severity === "warning" && at?.line === 4)).toBe(true);
  });
});
