import { z } from "zod";
import { AppearedPolicy } from "../policy/appeared-policy.ts";
import { DevicesSection } from "../profile/devices.ts";
import { EnvName, EnvPattern } from "../profile/env-pattern.ts";
import { MacosSection } from "../profile/macos.ts";
import { PortsSection } from "../profile/ports.ts";
import { Duration } from "../profile/quantity.ts";
import { HostListSection, LimitsSection } from "../profile/sections.ts";
import { SuffixList } from "../profile/suffix.ts";
import { SyscallsSection } from "../profile/syscalls.ts";
import { WrittenHost, WrittenPath, WrittenProxy } from "../profile/written.ts";
import { ShellRule } from "../shell/rule.ts";

/** The name of a root, a runtime or a profile. */
export const Name = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, "a name is letters, digits, `_`, `-` and `.`");

/** One folder that tools may use: `sandbox.paths.<name>`. */
export const RootSection = z.strictObject({
  root: WrittenPath,
  mode: z.enum(["rw", "ro"]),
  suffixes: SuffixList.optional(),
  write_approval: z.boolean().default(true),
  read_approval: z.boolean().default(false),
});

/** The runtimes that are found on the machine by name. */
export const RUNTIMES = [
  "system",
  "node",
  "python",
  "rust",
  "go",
  "git",
  "xcode",
  "java",
  "haskell",
] as const;

/** The machine's own programs are found, never listed: nobody would read on what else stands under that name. */
const ListedName = Name.refine(
  (name) => name !== "system",
  "`system` is found: give what is listed another name",
);

/** What programs need to run: a known runtime, or folders listed by hand. */
export const RuntimeSection = z.union(
  [z.enum(RUNTIMES), z.strictObject({ name: ListedName, read: z.array(WrittenPath).min(1).max(256) })],
  {
    error: `a runtime is one of ${RUNTIMES.join(", ")}, or { name, read: [folder] }`,
  },
);

/**
 * `sandbox.search`: how far roots are searched for what globs protect, and for repositories, before a call. `entries` are the names
 * below one root: the default is what a large JavaScript monorepo holds with its packages. `time` is processor time of the search, which does
 * not depend on what else the machine does. `over` says what becomes of a root that holds more or takes longer.
 */
export const SearchSection = z.strictObject({
  entries: z.int().min(1).max(10_000_000).default(1_000_000),
  time: Duration.prefault("30s"),
  over: z.enum(["refuse", "read-only"]).default("refuse"),
});
export type SearchSection = z.infer<typeof SearchSection>;

/** `sandbox:` of cofferdam.yaml. */
export const SandboxSection = z.strictObject({
  paths: z.record(Name, RootSection).default({}),
  require_os_sandbox: z.boolean().default(true),
  os_sandbox_fallback: z.enum(["fail_fast", "refuse_tools"]).default("fail_fast"),
  isolate_calls: z.boolean().default(false),
  /** What becomes of files that a call makes and that hosts execute by themselves. */
  appeared: AppearedPolicy.default("ask"),
  os_profile: z.array(WrittenPath).max(64).default([]),
  runtimes: z.array(RuntimeSection).max(64).default(["system"]),
  limits: LimitsSection.default({}),
  search: SearchSection.prefault({}),
  syscalls: SyscallsSection.default([]),
  devices: DevicesSection.default([]),
  macos: MacosSection.default([]),
  env: z
    .strictObject({
      pass: z.array(EnvPattern).max(1000).default(["LANG", "LC_*", "TERM", "TZ"]),
      set: z.record(EnvName, z.string()).default({}),
    })
    .prefault({}),
});
export type SandboxSection = z.infer<typeof SandboxSection>;

/**
 * `shell.network:` of cofferdam.yaml: what operators can write as well, and with `ask: unlisted` a person is asked about
 * each host that is not listed, when a program first connects to it.
 */
export const ShellNetwork = z.union(
  [
    z.boolean(),
    z.enum(["none", "open", "host"]),
    HostListSection.extend({
      ask: z.enum(["unlisted", "never"]).default("never"),
      proxy: z
        .union([z.enum(["environment", "none"]), WrittenProxy])
        .describe(
          "listed names are reached by it, judged by name alone; left out: by the one that operators set",
        )
        .optional(),
    }),
  ],
  {
    error: "network is `false`, `true`, `host` or `{ hosts: [name:port], never: [name], ask: unlisted }`",
  },
);
export type ShellNetwork = z.infer<typeof ShellNetwork>;

/** `shell:` of cofferdam.yaml. */
export const ShellSection = z.strictObject({
  program: z.literal("bash").default("bash"),
  network: ShellNetwork.default(false),
  /** Whether commands have a terminal of their own; left out, only those that a person types at one. */
  terminal: z.boolean().optional(),
  /** Ports of this machine's loopback by which a server inside is reached, while a call runs that asks for them. */
  ports: PortsSection.default([]),
  default: z
    .strictObject({ allowed: z.boolean().default(true), approval: z.boolean().default(true) })
    .prefault({}),
  order: z.enum(["first-match", "strictest"]).default("first-match"),
  rules: z.array(ShellRule).max(1000).default([]),
});
export type ShellSection = z.infer<typeof ShellSection>;

/**
 * `web_fetch:` of cofferdam.yaml. `unlisted`: pages of listed hosts are fetched without asking, others with a yes;
 * `always`: each is asked about; `never`: of listed hosts alone.
 */
export const WebFetchSection = z.strictObject({
  domains: z.array(WrittenHost).max(1000).default([]),
  approval: z.enum(["unlisted", "always", "never"]).default("unlisted"),
});
export type WebFetchSection = z.infer<typeof WebFetchSection>;
