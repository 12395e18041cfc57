import { z } from "zod";
import { CofferdamError, visible } from "../errors.ts";
import { Access } from "./access.ts";
import { DevicesSection } from "./devices.ts";
import { EnvPattern } from "./env-pattern.ts";
import { parseHostRule } from "./host-rule.ts";
import type { Limits } from "./limits.ts";
import { MacosSection } from "./macos.ts";
import type { Network } from "./network.ts";
import { type AbsolutePath, absolutePath } from "./path.ts";
import { parsePatterns, type Variables } from "./pattern.ts";
import { PortsSection } from "./ports.ts";
import { type FileEntry, type Mask, normalProfile, OPEN, type Profile } from "./profile.ts";
import { Duration, Size } from "./quantity.ts";
import { SuffixList } from "./suffix.ts";
import { SyscallsSection } from "./syscalls.ts";
import type { UpstreamProxy } from "./upstream.ts";
import {
  isTooLong,
  MOST_PATH_BYTES,
  WrittenHost,
  WrittenPath,
  WrittenPattern,
  WrittenProxy,
} from "./written.ts";

/** The most entries of one list; some of what is done with them takes time with the square of their number. */
const MOST_CLAUSES = 20_000;
const MOST_HOSTS = 1000;

/** Listed hosts in YAML. */
export const HostListSection = z.strictObject({
  hosts: z.array(WrittenHost).max(MOST_HOSTS).default([]),
  never: z.array(WrittenHost).max(MOST_HOSTS).default([]),
  strict_sni: z.boolean().default(false),
  proxy: z
    .union([z.enum(["any", "none"]), WrittenProxy])
    .describe("by which proxy listed names may be reached, judged by name alone")
    .optional(),
});

/** `network:` in YAML: `false` or `none`, `true` or `open`, `host`, or listed hosts. */
export const NetworkSection = z.union([z.boolean(), z.enum(["none", "open", "host"]), HostListSection], {
  error: "network is `false`, `true`, `host` or `{ hosts: [name:port], never: [name] }`",
});
export type NetworkSection = z.infer<typeof NetworkSection>;

/** What a config may say besides: its proxy is the one that the environment names. */
type WithEnvironment = Omit<z.infer<typeof HostListSection>, "proxy"> & {
  readonly proxy?: "environment" | "none" | UpstreamProxy | undefined;
};

/** A size that is enforced as it is written: the kernel counts in blocks, pages or kibibytes and has no smaller bound. */
function sizeFrom(least: number, written: string) {
  return Size.refine((size) => size >= least, `the smallest size here is \`${written}\``);
}

/** `limits:` in YAML, times and sizes with their units. */
export const LimitsSection = z.strictObject({
  wall: Duration.optional(),
  cpu: Duration.optional(),
  memory: sizeFrom(1024, "1KiB").optional(),
  processes: z.int().min(1).optional(),
  file_size: sizeFrom(512, "512B").optional(),
  open_files: z.int().min(16).optional(),
  output: Size.optional(),
  connections: z.int().min(1).describe("at once, through the egress proxy").optional(),
  transfer: Size.describe("sent and received in all, through the egress proxy").optional(),
  connection_time: Duration.describe("of one connection through the egress proxy").optional(),
  scratch: sizeFrom(4096, "4KiB")
    .describe("what /tmp may hold, and the most that /dev/shm may; HOME lies on /tmp")
    .optional(),
  shared_memory: sizeFrom(4096, "4KiB")
    .describe("what /dev/shm may hold; without it half of scratch, or 64MiB where that is more")
    .optional(),
  strict: z.boolean().optional(),
});
export type LimitsSection = z.infer<typeof LimitsSection>;

/** The sections of an operator profile that say what may be touched. One left out says nothing. */
export const ProfileSections = z.strictObject({
  files: z
    .array(z.strictObject({ path: WrittenPath, access: Access, suffixes: SuffixList.optional() }))
    .max(MOST_CLAUSES)
    .optional(),
  masks: z
    .array(
      z.strictObject({
        pattern: WrittenPattern,
        at_most: z.enum(["none", "read"]),
        ignore_case: z.boolean().default(false),
      }),
    )
    .max(MOST_CLAUSES)
    .optional(),
  network: NetworkSection.optional(),
  sockets: z.union([z.enum(["any", "none"]), z.array(WrittenPath).max(MOST_CLAUSES)]).optional(),
  env: z.array(EnvPattern).max(MOST_CLAUSES).optional(),
  terminal: z.boolean().optional(),
  syscalls: SyscallsSection.optional(),
  devices: DevicesSection.optional(),
  macos: MacosSection.optional(),
  ports: z
    .union([z.literal("any"), PortsSection], { error: "ports is `any`, or a list of numbers" })
    .optional(),
  limits: LimitsSection.optional(),
});
export type ProfileSections = z.infer<typeof ProfileSections>;

/** What a path variable may stand for: one path, or the several that a runtime needs. */
export type PathVariables = Readonly<Record<string, readonly AbsolutePath[]>>;

/**
 * The profile that operator sections say. A section left out is the top; an empty list allows nothing, but masks only
 * take away, so no masks are the top as well.
 * Throws `PATH_INVALID`, `PATTERN_INVALID`, `HOST_INVALID`.
 */
export function profileFromSections(sections: ProfileSections, variables: PathVariables): Profile {
  return normalProfile({
    files: sections.files?.flatMap((entry) => fileEntries(entry, variables)) ?? OPEN.files,
    masks: sections.masks?.flatMap((mask) => masksFrom(mask, variables)) ?? [],
    network: sections.network === undefined ? OPEN.network : networkFrom(sections.network),
    sockets:
      typeof sections.sockets === "object"
        ? sections.sockets.flatMap((path) => pathsFrom(path, variables))
        : (sections.sockets ?? OPEN.sockets),
    env: sections.env ?? OPEN.env,
    terminal: sections.terminal ?? true,
    syscalls: sections.syscalls ?? OPEN.syscalls,
    devices: sections.devices ?? OPEN.devices,
    macos: sections.macos ?? OPEN.macos,
    ports: sections.ports ?? OPEN.ports,
    limits: sections.limits === undefined ? {} : limitsFrom(sections.limits),
  });
}

/** One entry of `files:`, once for every path that its variables stand for. */
export function fileEntries(
  entry: NonNullable<ProfileSections["files"]>[number],
  variables: PathVariables,
): readonly FileEntry[] {
  return pathsFrom(entry.path, variables).map((path) => ({
    path,
    access: entry.access,
    suffixes: entry.suffixes ?? "any",
  }));
}

/** One entry of `masks:`, once for every pattern that its braces and variables stand for. */
export function masksFrom(
  mask: NonNullable<ProfileSections["masks"]>[number],
  variables: PathVariables,
): readonly Mask[] {
  return combinations(mask.pattern, variables).flatMap((chosen) =>
    parsePatterns(mask.pattern, chosen).map((pattern) => ({
      pattern,
      atMost: mask.at_most,
      ignoreCase: mask.ignore_case,
    })),
  );
}

/** The written paths, with `${name}` filled in. Throws `PATH_INVALID`, also for an unknown variable. */
export function pathsFrom(text: string, variables: PathVariables): readonly AbsolutePath[] {
  if (text.replace(VARIABLE, "").includes("${"))
    throw new CofferdamError("PATH_INVALID", `the path ${visible(text)} has a variable without an end`, {
      hint: "write `${name}`",
    });
  return combinations(text, variables).map((chosen) => {
    const path = text.replace(VARIABLE, (_, name: string) => chosen[name] ?? "");
    if (!isTooLong(path)) return absolutePath(path);
    throw new CofferdamError("PATH_INVALID", `${visible(text)} stands for more than a path can hold`, {
      hint: `a path has at most ${MOST_PATH_BYTES} bytes`,
    });
  });
}

/** `network:` as the model has it; what the environment says of a proxy is no part of it. Throws `HOST_INVALID`. */
export function networkFrom(section: NetworkSection | WithEnvironment): Network {
  if (typeof section === "boolean") return section ? "open" : "none";
  if (typeof section === "string") return section;
  return {
    hosts: section.hosts.map(parseHostRule),
    never: section.never.map(parseHostRule),
    ...(section.strict_sni ? { strictSni: true } : {}),
    ...(section.proxy === "any" ? { proxies: "any" } : {}),
    ...(typeof section.proxy === "object" ? { proxies: [section.proxy.url] } : {}),
  };
}

/** `limits:` as the model has it: milliseconds, whole seconds (rounded up), bytes and counts. */
export function limitsFrom(section: LimitsSection): Limits {
  return {
    ...(section.wall === undefined ? {} : { wallMs: section.wall }),
    ...(section.cpu === undefined ? {} : { cpuSeconds: Math.ceil(section.cpu / 1000) }),
    ...(section.memory === undefined ? {} : { memoryBytes: section.memory }),
    ...(section.processes === undefined ? {} : { processes: section.processes }),
    ...(section.file_size === undefined ? {} : { fileBytes: section.file_size }),
    ...(section.open_files === undefined ? {} : { openFiles: section.open_files }),
    ...(section.output === undefined ? {} : { outputBytes: section.output }),
    ...(section.scratch === undefined ? {} : { scratchBytes: section.scratch }),
    ...(section.shared_memory === undefined ? {} : { sharedMemoryBytes: section.shared_memory }),
    ...(section.connections === undefined ? {} : { connections: section.connections }),
    ...(section.transfer === undefined ? {} : { transferBytes: section.transfer }),
    ...(section.connection_time === undefined ? {} : { connectionMs: section.connection_time }),
    ...(section.strict === true ? { strict: true } : {}),
  };
}

const VARIABLE = /\$\{([^}]*)\}/g;

/** Every way to give each variable in the text one of its paths. */
function combinations(text: string, variables: PathVariables): readonly Variables[] {
  const names = [...new Set([...text.matchAll(VARIABLE)].map((match) => match[1] ?? ""))];
  return names.reduce<readonly Variables[]>(
    (chosen, name) => {
      const paths = Object.hasOwn(variables, name) ? variables[name] : undefined;
      if (paths === undefined) {
        const known = Object.keys(variables).map((one) => `\${${one}}`);
        throw new CofferdamError(
          "PATH_INVALID",
          `${visible(text)} names the unknown variable ${visible(name)}`,
          {
            hint:
              known.length === 0 ? "there are no variables here" : `the variables are ${known.join(", ")}`,
          },
        );
      }
      return chosen.flatMap((one) => paths.map((path) => ({ ...one, [name]: path })));
    },
    [{}],
  );
}
