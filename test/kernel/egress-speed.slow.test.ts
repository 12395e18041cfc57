import { describe, expect, it } from "vitest";
import { standingIn } from "../support/approval/standing.ts";
import { sandboxMustWork, unusable } from "../support/battery/walls.ts";
import { blobServer, egressFigures, outsideAt } from "../support/web/figures.ts";

sandboxMustWork("how fast the egress proxy is");

describe.skipIf(unusable !== null)("through the egress proxy", () => {
  // What is meant is the proxy, not what else the machine does: of some tries one has to show it.
  it("comes 200 MB/s at least, a request takes less than 2 ms more, and 200 downloads at once come whole", {
    retry: 4,
    timeout: 60_000,
  }, async () => {
    await using server = await blobServer();
    const settings = { shell: { network: { hosts: ["a.test:80"] }, default: { approval: false } } };
    await using at = await standingIn(() => undefined, { settings, outside: outsideAt(server) });
    const figures = await egressFigures(at.session, server, 3, 100);
    expect(figures.crowd.whole).toBe(200);
    expect(Math.min(figures.forwarded, figures.tunnelled)).toBeGreaterThan(200);
    expect(figures.request.forwarded - figures.request.direct).toBeLessThan(2);
    expect(figures.anew.tunnelled - figures.anew.direct).toBeLessThan(2);
  });
});
