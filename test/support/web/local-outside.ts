import { connect } from "node:net";
import type { Outside } from "../../../src/host/look/outside.ts";

/** Where every name leads that nothing is said of. */
export const SOMEWHERE = "93.184.215.14";

/** An internet of a test's own: names lead where it says, and a local port stands for each `host:port`; nothing else is there. */
export function localOutside({
  names,
  ports,
}: {
  readonly names: Readonly<Record<string, readonly string[]>>;
  readonly ports: Readonly<Record<string, number>>;
}): Outside {
  return {
    isOwn: async () => false,
    resolve: async (name) => names[name] ?? [SOMEWHERE],
    // Port 1 of loopback is nobody's.
    dial: ([{ host, port }]) =>
      connect({ port: ports[`${host}:${port}`] ?? 1, host: "127.0.0.1", allowHalfOpen: true, noDelay: true }),
  };
}
