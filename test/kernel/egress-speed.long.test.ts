import { describe, expect, it } from "vitest";
import { testSession } from "../support/approval/test-session.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { blobServer, egressFigures, outsideAt } from "../support/web/figures.ts";

sandboxMustWork("how fast the egress proxy is");

describe.skipIf(unusable !== null)("through the egress proxy", () => {
  // On a machine that does other things meanwhile a direct connection is slow as well: `scripts/bench` tells figures.
  it("comes 200 MB/s or a twentieth of what comes directly, and a request takes less than 2 ms more or twenty times as long; 200 downloads at once come whole", {
    retry: 4,
    timeout: 60_000,
  }, async () => {
    await using server = await blobServer();
    const settings = { shell: { network: { hosts: ["a.test:80"] }, default: { approval: false } } };
    await using at = await testSession(() => undefined, { settings, outside: outsideAt(server) });
    const figures = await egressFigures(at.session, server, 3, 100);
    expect(figures.crowd.whole).toBe(200);
    expect(Math.min(figures.forwarded, figures.tunnelled)).toBeGreaterThan(
      Math.min(200, figures.direct / 20),
    );
    const { request, anew } = figures;
    expect(request.forwarded - request.direct).toBeLessThan(Math.max(2, 20 * request.direct));
    expect(anew.tunnelled - anew.direct).toBeLessThan(Math.max(2, 20 * anew.direct));
  });
});
