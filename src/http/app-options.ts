import { z } from "zod";
import type { Host } from "../host/host.ts";
import type { Recorder } from "../journal/recorder.ts";
import { having, type OptionsOf } from "../supervisor/options.ts";
import { Approver } from "./approvers.ts";
import type { Rate } from "./buckets.ts";
import type { Mount } from "./mount.ts";

/** What the routes and the inbox are made from. */
export interface ApprovalAppOptions {
  /** Who may look at everything and answer. */
  readonly approvers: readonly Approver[];
  /** The names that requests may be for, as a `Host` header spells them: `approvals.example`, `127.0.0.1:8080`. */
  readonly hosts: readonly string[];
  /** Origins besides its own whose pages may ask: `https://tools.example`. Default none. */
  readonly origins?: readonly string[];
  /** What else is served behind the same door, for others: an MCP endpoint, say. Default nothing. */
  readonly mounts?: readonly Mount[];
  /** Where it is written down what was refused. Default nowhere. */
  readonly recorder?: Pick<Recorder, "write">;
  /** By whose clock pages are told the time. Default this machine's. */
  readonly host?: Pick<Host, "now">;
  /** How many may follow the events at once. Default 2,000. */
  readonly mostSubscribers?: number;
  /** How often whoever follows is told that the connection is there. Default 15,000. */
  readonly heartbeatMs?: number;
  /** How long whoever follows may take nothing. Default 30,000. */
  readonly stalledMs?: number;
  /** How many bytes of events may come meanwhile. Default 1 MiB. */
  readonly unsentBytes?: number;
  /** How often an approver may answer or take back. Default 200 at once, then 20 a second. */
  readonly answerRate?: Rate;
}

const positive = (what: string) => z.number({ error: what }).positive({ error: what });
const ORIGIN = "an origin, as a browser spells it: `https://tools.example`";
const HOST = "a name, with a port where it is not the usual one: `approvals.example:8443`";
const HEARTBEAT = "a number of milliseconds, 30,000 at the most";
const RATE = "`{ atOnce, perSecond }`, both more than 0";

/** How the same is checked when it comes from JavaScript. */
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
  recorder: having("what writes events down", "write").optional(),
  host: having("what has a clock, as `thisHost` gives it", "now").optional(),
  mostSubscribers: positive("a number of connections").optional(),
  // A page takes a connection for lost that says nothing for longer.
  heartbeatMs: positive(HEARTBEAT).max(30_000, { error: HEARTBEAT }).optional(),
  stalledMs: positive("a number of milliseconds").optional(),
  unsentBytes: positive("a number of bytes").optional(),
  answerRate: z
    .strictObject({ atOnce: positive(RATE).min(1), perSecond: positive(RATE) }, { error: RATE })
    .optional(),
});

/** `null` is the origin of what has none, as a page in a file: it stands for anybody. */
function isOrigin(text: string): boolean {
  return /^https?:\/\/[^/?#@\s]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}
