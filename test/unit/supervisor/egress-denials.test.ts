import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { EgressRefusal } from "../../../src/network/account.ts";
import { judgeHost } from "../../../src/network/judge.ts";
import { createDraft } from "../../../src/supervisor/draft.ts";
import { egressDenials } from "../../../src/supervisor/egress-denials.ts";
import type { Standing } from "../../../src/supervisor/standing.ts";
import { machine } from "../config/machine.ts";

/** What calls have in common under a config with these hosts, and an operator profile with those. */
function standing(hosts: readonly string[], byOperator: readonly string[] | null = null): Standing {
  const list = (some: readonly string[]): string => JSON.stringify({ hosts: some });
  const at = machine({});
  at.write({
    "home/ann/project/cofferdam.yaml": `version: 1
sandbox: { runtimes: [] }
shell: { network: ${list(hosts)} }
`,
    ...(byOperator === null
      ? {}
      : {
          "home/ann/.config/cofferdam/profiles.d/own.yaml": `profile: own\nnetwork: ${list(byOperator)}\n`,
        }),
  });
  return createDraft({ host: at.host, config: join(at.project, "cofferdam.yaml") }).standing;
}

/** What becomes of connecting to the name under a standing, where it leads to this address: the remedy, or nothing. */
async function remedyIn(
  stood: Standing,
  host: string,
  port: number,
  address: string,
): Promise<string | null> {
  const judged = await judgeHost(
    stood.onYes.profile.network,
    { host, port },
    { resolve: async () => [address], isOwn: async () => false },
  );
  if (judged.kind === "reachable") return null;
  const { because, reason } = judged;
  const refusal: EgressRefusal = { host, port, because, reason, address, times: 1 };
  return egressDenials([refusal], stood)[0]?.remedy ?? "none";
}

describe("what a denial says to do about where a name leads lets it pass once it is done", () => {
  test.each([
    ["registry.example.org", 443, "203.0.113.80", "registry.example.org:443", "203.0.113.80:443"],
    ["vm", 18_711, "127.0.0.1", "vm:18711", "127.0.0.1:18711"],
    ["six.example.org", 443, "::1", "*.example.org", "::1"],
  ])("%s:%i at %s", async (host, port, address, listed, as) => {
    expect(await remedyIn(standing([listed]), host, port, address)).toMatch(
      /^list this very address as well/,
    );
    expect(await remedyIn(standing([listed, as]), host, port, address)).toBe(null);
  });

  test("a private one, by the word or by the address", async () => {
    const remedy = await remedyIn(standing(["vm:80"]), "vm", 80, "10.0.0.5");
    expect(remedy).toMatch(/^write `private` behind the host, or list this very address as well/);
    expect(await remedyIn(standing(["vm:80 private"]), "vm", 80, "10.0.0.5")).toBe(null);
    expect(await remedyIn(standing(["vm:80", "10.0.0.5:80"]), "vm", 80, "10.0.0.5")).toBe(null);
  });

  test("where a profile over the config does not let it, that alone is told; twin: where it does", async () => {
    const listed = ["vm:80", "127.0.0.1:80"];
    const remedy = await remedyIn(standing(listed, ["vm:80"]), "vm", 80, "127.0.0.1");
    expect(remedy).toBe("only whoever keeps the profile `own` can allow it; do it without");
    expect(await remedyIn(standing(["vm:80"], ["vm:80"]), "vm", 80, "127.0.0.1")).toBe(remedy);
    expect(await remedyIn(standing(listed, ["vm at 127.0.0.1"]), "vm", 80, "127.0.0.1")).toBe(null);
  });
});
