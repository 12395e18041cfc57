import { z } from "zod";
import type { Host } from "../host/look/host.ts";
import type { Recorder } from "../journal/recorder.ts";
import { having, type OptionsOf } from "../policy/options.ts";
import { Approver } from "./approvers.ts";
import type { Rate } from "./buckets.ts";
import type { Mount } from "./mount.ts";

/** The options of the routes and the inbox. */
export interface ApprovalAppOptions {
  /** The people who may read everything and answer. */
  readonly approvers: readonly Approver[];
  /** The names of the server, as a `Host` header spells them: `approvals.example`, `127.0.0.1:8080`. */
  readonly hosts: readonly string[];
  /** Other origins whose pages may send requests: `https://tools.example`. Default none. */
  readonly origins?: readonly string[];
  /** Other services behind the same access checks, such as an MCP endpoint. Default none. */
  readonly mounts?: readonly Mount[];
  /** Records refused requests. Default none. */
  readonly recorder?: Pick<Recorder, "write">;
  /** @internal The clock for times in pages. Default this machine's. */
  readonly host?: Pick<Host, "now">;
  /** Maximum of clients that follow the events at the same time. Default 2,000. */
  readonly maxSubscribers?: number;
  /** Time without other data before a client gets a heartbeat, in milliseconds. Default 15,000. */
  readonly heartbeatMs?: number;
  /** Time without a read of queued events after which a client is cut off, in milliseconds. Default 30,000. */
  readonly stalledMs?: number;
  /** Maximum bytes of events queued for a client (and 2,000 events) before it is cut off. Default 1 MiB. */
  readonly unsentBytes?: number;
  /** Rate at which an approver may answer or revoke. Default 200 at once, then 20 a second. */
  readonly answerRate?: Rate;
}

const positive = (what: string) => z.number({ error: what }).positive({ error: what });
const ORIGIN = "an origin as browsers write it: `https://tools.example`";
const HOST = "a name, with its port unless it is the default: `approvals.example:8443`";
const HEARTBEAT = "a number of milliseconds, at most 30,000";
const RATE = "`{ atOnce, perSecond }`, both more than 0";

/** Schema of these options, for callers in JavaScript. */
export const APP_OPTIONS: OptionsOf<ApprovalAppOptions> = z.strictObject({
  approvers: z.array(Approver, { error: "a list of `{ name, token }`" }),
  hosts: z.array(
    z.string({ error: HOST }).regex(/^(?:[a-z0-9.-]+|\[[0-9a-f:]+\])(?::\d{1,5})?$/i, { error: HOST }),
  ),
  origins: z
    .array(z.string({ error: ORIGIN }).refine((text) => isOrigin(text), { error: ORIGIN }))
    .optional(),
  mounts: z
    .array(having("`{ path, clients, fetch }`", "fetch"), { error: "a list of `{ path, clients, fetch }`" })
    .optional(),
  recorder: having("an object with a method `write` for events", "write").optional(),
  host: having("a host, as `thisHost` returns it", "now").optional(),
  maxSubscribers: positive("a number of connections").optional(),
  // A page considers a connection lost after a longer silence.
  heartbeatMs: positive(HEARTBEAT).max(30_000, { error: HEARTBEAT }).optional(),
  stalledMs: positive("a number of milliseconds").optional(),
  unsentBytes: positive("a number of bytes").optional(),
  answerRate: z
    .strictObject({ atOnce: positive(RATE).min(1), perSecond: positive(RATE) }, { error: RATE })
    .optional(),
});

/** `null` is the origin of pages without one, such as local files: it could be any page. */
function isOrigin(text: string): boolean {
  return /^https?:\/\/[^/?#@\s]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}
