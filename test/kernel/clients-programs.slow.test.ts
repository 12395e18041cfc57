import { describe, expect, it } from "vitest";
import { CLIENTS } from "../../scripts/lib/compat/clients.ts";
import { standingIn } from "../support/approval/standing.ts";
import { sandboxMustWork, unusable } from "../support/battery/walls.ts";
import { tryClients } from "../support/clients/matrix.ts";
import { Web } from "../support/clients/web.ts";
import { localOutside } from "../support/web/local-outside.ts";

sandboxMustWork("programs that reach hosts");

describe.skipIf(unusable !== null)("through the egress proxy", () => {
  tryClients(CLIENTS.programs);

  it("net.hosts: an IPv6 address that is listed is reached by every way of the proxy, and another is refused", async () => {
    await using web = await Web.start({});
    const [listed, other] = ["[2606:4700:4700::1111]", "[2606:4700:4700::1001]"];
    await using at = await standingIn(() => undefined, {
      settings: { shell: { network: { hosts: [`${listed}:80`] }, default: { approval: false } } },
      outside: localOutside({ names: {}, ports: { "2606:4700:4700::1111:80": web.ports.http } }),
    });
    const ways = ["", "-p", '-x "${http_proxy/#http:/socks5h:}"'];
    const script = [
      ...ways.map((way) => `curl -gfsS ${way} http://${listed}/here`),
      ...ways.map((way) => `curl -gfsS ${way} http://${other}/here 2>/dev/null || echo no`),
    ].join("; ");
    const outcome = await at.session.call("shell", { argv: ["bash", "-c", script] });
    expect("stdout" in outcome && outcome.stdout.bytes.toString()).toBe(
      "here\n".repeat(3) + "no\n".repeat(3),
    );
    expect(outcome).toMatchObject({
      denials: [{ operation: "connect", target: `${other}:80` }],
    });
  });

  it("a page of the proxy's is no success unseen: where the client ends well all the same, the outcome has the denial", async () => {
    await using at = await standingIn(() => undefined, {
      settings: { shell: { network: { hosts: ["a.test"] }, default: { approval: false } } },
    });
    const outcome = await at.session.call("shell", { argv: ["curl", "-sS", "http://b.test/"] });
    expect(outcome).toMatchObject({
      kind: "done",
      denials: [{ operation: "connect", target: "b.test:80" }],
    });
    expect("stdout" in outcome && outcome.stdout.bytes.toString()).toBe(
      "cofferdam: not allowed: `b.test` on port 80 is not among the hosts that may be reached\n",
    );
  });
});
