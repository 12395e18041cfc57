import { z } from "zod";
import { PROTECTIONS } from "../../../src/backend/plan.ts";

const Step = z.union([
  /** Calls a file tool. */
  z.strictObject({ tool: z.string(), input: z.unknown() }),
  /** Runs a program without a sandbox, in the mounts that the supervisor has. */
  z.strictObject({ run: z.array(z.string()).min(1) }),
]);

/** What a supervisor that runs as a process of its own is to do; it reads this from a file. */
export const Job = z.strictObject({
  /** Null: the built-in default. */
  config: z.string().nullable(),
  cwd: z.string(),
  /** Further operator profiles. */
  profiles: z.array(z.string()),
  helperFolders: z.array(z.string()).nullable(),
  /** Instead of the home folder that the user database names. */
  home: z.string().nullable(),
  calls: z.array(
    z.strictObject({
      argv: z.array(z.string()).min(1),
      ports: z.array(z.int()).optional(),
      cwd: z.string().optional(),
      stdin: z.enum(["none", "inherit"]).optional(),
      /** It is seen through a window of 91 columns and 33 rows, in which this is typed. */
      typed: z.string().optional(),
      /** It starts beside the ones before it, so much later than the supervisor. */
      afterMs: z.number().optional(),
    }),
  ),
  /** An internet of the test's own: where names lead, and which local port stands for which `host:port`. */
  outside: z
    .strictObject({ names: z.record(z.string(), z.array(z.string())), ports: z.record(z.string(), z.int()) })
    .optional(),
  /** What stands in the machine's `/etc/hosts` and `/etc/resolv.conf`. */
  nameFiles: z.strictObject({ hosts: z.string().nullable(), resolver: z.string().nullable() }).optional(),
  /** What is done after the calls, in turn, as often as is said. */
  steps: z.array(Step).optional(),
  rounds: z.int().positive().optional(),
  /** Then nothing is disposed of: it ends when nothing is left to be done. */
  isLeft: z.boolean().optional(),
});
export type Job = z.infer<typeof Job>;

/** A path that other programs may obey, and what git may run by it. */
const Obeyed = z.strictObject({ path: z.string(), runs: z.array(z.string()) });

/** What its sandbox kept a program from. */
const Denied = z.strictObject({
  operation: z.string(),
  target: z.string(),
  certainty: z.string(),
  because: z.string(),
  remedy: z.string(),
});

/** One line that it prints: the supervisor was made, an outcome, or what was thrown. */
export const Reply = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("made") }),
  z.strictObject({ kind: z.literal("threw"), code: z.string(), message: z.string(), hint: z.string() }),
  z.strictObject({ kind: z.literal("denied"), code: z.string(), message: z.string(), hint: z.string() }),
  /** A file tool's call: its answer, or the error code; how its files stood; and what it made, if anything. */
  z.strictObject({
    kind: z.literal("told"),
    told: z.unknown(),
    why: z.string().nullable(),
    files: z.string().nullable(),
    appeared: z.array(Obeyed).optional(),
  }),
  z.strictObject({
    kind: z.literal("ran"),
    code: z.number(),
    stdout: z.string(),
    stderr: z.string(),
    runAs: z.number(),
    standings: z.record(z.string(), z.string()),
    limits: z.string(),
    limitsReached: z.array(z.string()),
    /** What became of its mounts meanwhile, where anything did. */
    mounts: z
      .strictObject({
        changes: z.array(z.string()),
        uncovered: z.array(z.string()),
        unprotected: z.array(Obeyed),
      })
      .optional(),
    /** The ports that led into it, where any did. */
    ports: z.array(z.int()).optional(),
    /** What it did to the network, where it had a way out. */
    egress: z.unknown().optional(),
    /** What came to be, where anything did. */
    appeared: z.array(Obeyed).optional(),
    /** What it was kept from, where it was from anything. */
    denials: z.array(Denied).optional(),
  }),
]);
export type Reply = z.infer<typeof Reply>;

/** What the process that runs mutants is given. */
export const MutantsJob = z.strictObject({
  config: z.string(),
  profile: z.string(),
  ws: z.string(),
  outside: z.string(),
  pid: z.number(),
  port: z.number(),
});

/** What became of one mutant: why the proof refused it, or null, and which probes got through without the proof. */
export const MutantRow = z.strictObject({
  id: z.enum(PROTECTIONS),
  change: z.string(),
  refused: z.string().nullable(),
  red: z.array(z.string()),
});
export type MutantRow = z.infer<typeof MutantRow>;

/** What the process that builds sandboxes in a race is given. */
export const RaceJob = z.strictObject({
  /** The tree in which a program swaps `folder` and `link`. */
  ws: z.string(),
  folder: z.string(),
  link: z.string(),
  /** The root of the calls whose sandboxes are built meanwhile, and where nothing must ever be made. */
  root: z.string(),
  outside: z.string(),
  wide: z.string(),
  narrow: z.string(),
  profile: z.string(),
  tries: z.number(),
  /** By calls; or the plan of one again and again, in a shelter, or plain until something was made outside. */
  how: z.enum(["calls", "sheltered", "plain"]),
  /** Whether who swaps is in a sandbox, too. */
  isSandboxed: z.boolean(),
});

export type RaceJob = z.infer<typeof RaceJob>;

/** What became of the calls in a race: how many ran, were refused, or had no sandbox; and what was made outside. */
export const RaceResult = z.strictObject({
  ran: z.number(),
  refused: z.number(),
  notBuilt: z.number(),
  made: z.array(z.string()),
});
export type RaceResult = z.infer<typeof RaceResult>;
