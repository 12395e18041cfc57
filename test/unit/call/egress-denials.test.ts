import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { egressDenials } from "../../../src/call/denials/egress.ts";
import type { CallPolicy } from "../../../src/decide/call-policy.ts";
import type { EgressRefusal } from "../../../src/network/account.ts";
import { judgeHost } from "../../../src/network/judge.ts";
import { createDraft } from "../../../src/session/draft.ts";
import { machine } from "../config/machine.ts";

/** What calls have in common under a config with these hosts, and an operator profile with those. */
function standing(
  hosts: readonly string[],
  byOperator: readonly string[] | null = null,
  more: object = {},
  env: Readonly<Record<string, string>> = {},
  moreByOperator: object = {},
): CallPolicy {
  const list = (some: readonly string[], besides: object): string =>
    JSON.stringify({ hosts: some, ...besides });
  const at = machine({});
  at.write({
    "home/ann/project/cofferdam.yaml": `version: 1
sandbox: { runtimes: [] }
shell: { network: ${list(hosts, more)} }
`,
    ...(byOperator === null
      ? {}
      : {
          "home/ann/.config/cofferdam/profiles.d/own.yaml": `profile: own\nnetwork: ${list(byOperator, moreByOperator)}\n`,
        }),
  });
  return createDraft({ host: { ...at.host, env }, config: join(at.project, "cofferdam.yaml") }).policy;
}

/** What becomes of connecting to the name under a standing, where it leads to this address: the remedy, or nothing. */
async function remedyIn(
  stood: CallPolicy,
  host: string,
  port: number,
  address: string | null,
  env: Readonly<Record<string, string>> = {},
): Promise<string | null> {
  const judged = await judgeHost(
    stood.withApproval.profile.network,
    { host, port },
    { resolve: async () => (address === null ? [] : [address]), isOwn: async () => false },
  );
  if (judged.kind !== "refused") return null;
  const { because, reason } = judged;
  const refusal: EgressRefusal = {
    host,
    port,
    because,
    reason,
    times: 1,
    ...(address === null ? {} : { address }),
  };
  return egressDenials([refusal], stood, env)[0]?.remedy ?? "none";
}

describe("what a denial says to do about where a name leads lets it pass once it is done", () => {
  test.each([
    ["registry.example.org", 443, "203.0.113.80", "registry.example.org:443", "203.0.113.80:443"],
    ["vm", 18_711, "127.0.0.1", "vm:18711", "127.0.0.1:18711"],
    ["six.example.org", 443, "::1", "*.example.org", "::1"],
  ])("%s:%i at %s", async (host, port, address, listed, as) => {
    expect(await remedyIn(standing([listed]), host, port, address)).toMatch(/^also list this address/);
    expect(await remedyIn(standing([listed, as]), host, port, address)).toBe(null);
  });

  test("a private one, by the word or by the address", async () => {
    const remedy = await remedyIn(standing(["vm:80"]), "vm", 80, "10.0.0.5");
    expect(remedy).toMatch(
      /^add `private` after the host under `shell.network` in the config, or also list this address/,
    );
    expect(await remedyIn(standing(["vm:80 private"]), "vm", 80, "10.0.0.5")).toBe(null);
    expect(await remedyIn(standing(["vm:80", "10.0.0.5:80"]), "vm", 80, "10.0.0.5")).toBe(null);
  });

  test("a name that leads nowhere: the proxy that the environment names, once the config wants it", async () => {
    const env = { HTTPS_PROXY: "http://ann:hunter2@proxy.corp:3128" };
    const remedy = await remedyIn(standing(["a.test"]), "a.test", 443, null, env);
    expect(remedy).toMatch(/^this machine's HTTPS_PROXY is not used: write `proxy: environment`/);
    expect(await remedyIn(standing(["a.test"]), "a.test", 443, null)).toMatch(
      /^check the spelling of the host/,
    );
    const wanted = standing(["a.test"], null, { proxy: "environment" }, env);
    expect(wanted.settings.upstream).toMatchObject({ https: { url: "http://proxy.corp:3128" } });
    expect(wanted.withApproval.profile.network).toMatchObject({ proxies: ["http://proxy.corp:3128"] });
    const forbidden = standing(["a.test"], ["a.test"], { proxy: "environment" }, env);
    expect(forbidden.withApproval.profile.network).not.toHaveProperty("proxies");
    expect(await remedyIn(forbidden, "a.test", 443, null, env)).toMatch(
      /^a proxy is configured: only the owner of the profile `own` can allow it/,
    );
    for (const one of [remedy, JSON.stringify(wanted.settings), JSON.stringify(wanted.withApproval)])
      expect(one).not.toContain("hunter2");
  });

  test("an operator's proxy is used where the config says nothing of one, and by none where it says so", () => {
    const url = "http://proxy.corp:3128";
    const by = (more: object, mine: object = {}) =>
      standing(["a.test"], ["*"], mine, {}, more).withApproval.profile.network;
    expect(by({ proxy: url })).toMatchObject({ proxies: [url] });
    expect(by({ proxy: url }, { proxy: "none" })).not.toHaveProperty("proxies");
    expect(by({ proxy: url }, { proxy: "http://evil.test:3128" })).not.toHaveProperty("proxies");
    expect(by({ proxy: "any" }, { proxy: url })).toMatchObject({ proxies: [url] });
    expect(by({}, { proxy: url })).not.toHaveProperty("proxies");
  });

  test("where a profile over the config does not let it, that alone is told; twin: where it does", async () => {
    const listed = ["vm:80", "127.0.0.1:80"];
    const remedy = await remedyIn(standing(listed, ["vm:80"]), "vm", 80, "127.0.0.1");
    expect(remedy).toBe("only the owner of the profile `own` can allow it; do it without");
    expect(await remedyIn(standing(["vm:80"], ["vm:80"]), "vm", 80, "127.0.0.1")).toBe(remedy);
    expect(await remedyIn(standing(listed, ["vm at 127.0.0.1"]), "vm", 80, "127.0.0.1")).toBe(null);
  });
});
