import { z } from "zod";
import { AppearedPolicy } from "../policy/appeared-policy.ts";
import { DevicesSection } from "../profile/devices.ts";
import { EnvName, EnvPattern } from "../profile/env-pattern.ts";
import { LimitsSection } from "../profile/limits-section.ts";
import { MacosSection } from "../profile/macos.ts";
import { PortsSection } from "../profile/ports.ts";
import { Duration } from "../profile/quantity.ts";
import { HostListSection } from "../profile/sections.ts";
import { SuffixList } from "../profile/suffix.ts";
import { SyscallsSection } from "../profile/syscalls.ts";
import { WrittenHost, WrittenPath, WrittenProxy } from "../profile/written.ts";
import { ShellRule } from "../shell/rule.ts";

/** The name of a root, a runtime or a profile. */
export const Name = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, "write letters, digits, `_`, `-` and `.`");

/** One folder that tools may use: `sandbox.paths.<name>`. */
export const RootSection = z.strictObject({
  root: WrittenPath.meta({
    description: "The folder, relative to the folder of this file or absolute.",
    examples: ["./notes"],
  }),
  mode: z.enum(["rw", "ro"]).describe("`rw`: tools may read and write. `ro`: tools may only read."),
  suffixes: SuffixList.optional().meta({
    description: "Calls see, create and change only files with these endings. Left out: all files.",
    examples: [[".txt", ".md"]],
  }),
  write_approval: z
    .boolean()
    .default(true)
    .describe("Ask a person before a call writes here. For other calls the folder is read-only."),
  read_approval: z
    .boolean()
    .default(false)
    .describe("Ask a person before a call reads here. Other calls do not see the folder."),
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

/** The machine's own programs are found, never listed: other folders under that name would be overlooked. */
const ListedName = Name.refine((name) => name !== "system", "`system` is a known runtime: use another name");

/** Requirements of programs: a known runtime, or folders listed by hand. */
export const RuntimeSection = z.union(
  [
    z.enum(RUNTIMES),
    z.strictObject({
      name: ListedName.meta({
        description: "The name of a runtime whose folders you list yourself.",
        examples: ["my-sdk"],
      }),
      read: z
        .array(WrittenPath)
        .min(1)
        .max(256)
        .meta({ description: "The folders that programs of the runtime read.", examples: [["/opt/my-sdk"]] }),
    }),
  ],
  {
    error: `write one of ${RUNTIMES.join(", ")}, or { name, read: [folder] }`,
  },
);

/** `sandbox.search`: limits of the search before a call. `time` is processor time, which no other load changes. */
export const SearchSection = z.strictObject({
  entries: z
    .int()
    .min(1)
    .max(10_000_000)
    .default(1_000_000)
    .describe("The maximum number of names that are searched below one root."),
  time: Duration.prefault("30s").describe("The maximum processor time for the search of one root."),
  over: z
    .enum(["refuse", "read-only"])
    .default("refuse")
    .describe("The action for a root that exceeds these: `refuse` the call, or grant the root `read-only`."),
});
export type SearchSection = z.infer<typeof SearchSection>;

/** `sandbox:` of cofferdam.yaml. */
export const SandboxSection = z.strictObject({
  paths: z
    .record(Name, RootSection)
    .default({})
    .meta({
      description: "The folders that tools may use (roots), each under a name of your choice.",
      examples: [{ notes: { root: "./notes", mode: "rw" } }],
    }),
  require_os_sandbox: z
    .boolean()
    .default(true)
    .describe(
      "Run nothing without the full sandbox. `false` allows a weaker one, which the receipt of each call reports.",
    ),
  os_sandbox_fallback: z
    .enum(["fail_fast", "refuse_tools"])
    .default("fail_fast")
    .describe(
      "Without a sandbox: `fail_fast` does not start; `refuse_tools` starts and rejects each tool that starts a process.",
    ),
  isolate_calls: z
    .boolean()
    .default(false)
    .describe("Run calls one after another when they share a folder and one of them may write it."),
  appeared: AppearedPolicy.default("ask").describe(
    "Files that a call created and other programs execute by themselves: `report` leaves them, `ask` quarantines them and asks whether to restore them, `quarantine` only quarantines them.",
  ),
  os_profile: z
    .array(WrittenPath)
    .max(64)
    .default([])
    .meta({
      description: "More operator profiles, by name or by file. They can only remove access.",
      examples: [["strict"]],
    }),
  runtimes: z
    .array(RuntimeSection)
    .max(64)
    .default(["system"])
    .meta({
      description: "The programs that commands need: names of known runtimes, or a name with folders.",
      examples: [["system", "node"]],
    }),
  limits: LimitsSection.default({}).describe(
    "Limits of each call. A limit that is left out does not apply, except `scratch` and `shared_memory`.",
  ),
  search: SearchSection.prefault({}).describe(
    "The limits of the search, before each call, for files that wildcards of profiles protect.",
  ),
  syscalls: SyscallsSection.default([]).describe(
    "Granted groups of system calls: `debug` traces other processes of the call, `abi32` runs 32-bit programs.",
  ),
  devices: DevicesSection.default([]).describe("Groups of devices that calls see."),
  macos: MacosSection.default([]).describe(
    "Groups of macOS services that programs may use. They have no effect on Linux.",
  ),
  env: z
    .strictObject({
      pass: z
        .array(EnvPattern)
        .max(1000)
        .default(["LANG", "LC_*", "TERM", "TZ"])
        .describe("Names of variables that calls get from the caller; `*` is any text."),
      set: z
        .record(EnvName, z.string())
        .default({})
        .meta({ description: "Variables with the values that calls get.", examples: [{ CI: "1" }] }),
    })
    .prefault({})
    .describe("The environment of calls."),
});
export type SandboxSection = z.infer<typeof SandboxSection>;

/** `shell.network:` as operators write it; `ask: unlisted` asks about a host when a program first connects to it. */
export const ShellNetwork = z.union(
  [
    z.boolean(),
    z.enum(["none", "open", "host"]),
    HostListSection.extend({
      ask: z
        .enum(["unlisted", "never"])
        .default("never")
        .describe(
          "`unlisted`: ask a person when a program first connects to an unlisted host. `never`: reject the connection.",
        ),
      proxy: z
        .union([z.enum(["environment", "none"]), WrittenProxy])
        .describe(
          "The proxy to listed names, or `environment`, or `none`. Default: the proxy of operator profiles.",
        )
        .optional(),
    }),
  ],
  {
    error: "write `false`, `true`, `host` or `{ hosts: [name:port], never: [name], ask: unlisted }`",
  },
);
export type ShellNetwork = z.infer<typeof ShellNetwork>;

/** Whether a person is asked about a command that no rule covers; `beyond`: only if approval would give it more. */
const ShellApproval = z.union([z.boolean(), z.literal("beyond")], {
  error: "write `true`, `false` or `beyond`",
});

/** `shell:` of cofferdam.yaml. */
export const ShellSection = z.strictObject({
  program: z.literal("bash").default("bash").describe("The shell for lines of several commands."),
  network: ShellNetwork.default(false).meta({
    description:
      "`false`: no network. `true`: all public hosts. `host`: the network of the machine. Or listed hosts.",
    examples: [{ hosts: ["registry.example.org:443"] }],
  }),
  terminal: z
    .boolean()
    .optional()
    .describe(
      "Whether each command gets a new terminal. Default: only commands that a person types at a terminal.",
    ),
  ports: PortsSection.default([]).meta({
    description:
      "Ports of this machine's loopback that lead to a server in the sandbox, during a call that requests them.",
    examples: [[5173]],
  }),
  default: z
    .strictObject({
      allowed: z.boolean().default(true).describe("`false` rejects commands that no rule covers."),
      approval: ShellApproval.default(true).describe(
        "`true` asks a person. `false` runs them without asking. `beyond` asks only if approval would give a command access that it lacks and may use.",
      ),
    })
    .prefault({})
    .describe("Commands that no rule covers."),
  order: z
    .enum(["first-match", "strictest"])
    .default("first-match")
    .describe("The rule that decides if several rules cover a command."),
  rules: z
    .array(ShellRule)
    .max(1000)
    .default([])
    .meta({
      description: "Rules for command lines.",
      examples: [[{ pattern: "git status", approval: false }]],
    }),
});
export type ShellSection = z.infer<typeof ShellSection>;

/**
 * `web_fetch:`. `unlisted`: pages of unlisted hosts need approval; `always`: all do; `never`: only listed are fetched.
 */
export const WebFetchSection = z.strictObject({
  domains: z
    .array(WrittenHost)
    .max(1000)
    .default([])
    .meta({ description: "Hosts whose pages are fetched without asking.", examples: [["docs.example.org"]] }),
  approval: z
    .enum(["unlisted", "always", "never"])
    .default("unlisted")
    .describe(
      "`unlisted`: ask about pages of other hosts. `always`: ask about each page. `never`: allow only listed hosts, without asking.",
    ),
});
export type WebFetchSection = z.infer<typeof WebFetchSection>;
