import { z } from "zod";
import { CofferdamError, visible } from "../errors.ts";
import { Access } from "./access.ts";
import { DevicesSection } from "./devices.ts";
import { EnvPattern } from "./env-pattern.ts";
import { parseHostRule } from "./host-rule.ts";
import { LimitsSection, limitsFrom } from "./limits-section.ts";
import { MacosSection } from "./macos.ts";
import type { Network } from "./network.ts";
import { type AbsolutePath, absolutePath } from "./path.ts";
import { parsePatterns, type Variables } from "./pattern.ts";
import { PortsSection } from "./ports.ts";
import { type FileEntry, type Mask, normalProfile, OPEN, type Profile } from "./profile.ts";
import { SuffixList } from "./suffix.ts";
import { SyscallsSection } from "./syscalls.ts";
import type { UpstreamProxy } from "./upstream.ts";
import {
  isTooLong,
  MAX_PATH_BYTES,
  WrittenHost,
  WrittenPath,
  WrittenPattern,
  WrittenProxy,
} from "./written.ts";

/** The maximum of entries in one list; some operations on them take time with the square of their number. */
const MAX_CLAUSES = 20_000;
const MAX_HOSTS = 1000;

/** Listed hosts in YAML. */
export const HostListSection = z.strictObject({
  hosts: z
    .array(WrittenHost)
    .max(MAX_HOSTS)
    .default([])
    .meta({
      description:
        "Hosts that calls may reach: `name`, `name:port` or `*.name`. `private` after it allows addresses of private networks.",
      examples: [["registry.example.org:443"]],
    }),
  never: z
    .array(WrittenHost)
    .max(MAX_HOSTS)
    .default([])
    .meta({
      description: "Hosts that calls never reach, even if another rule lists them.",
      examples: [["tracker.example.org"]],
    }),
  strict_sni: z
    .boolean()
    .default(false)
    .describe("Reject TLS connections whose SNI differs from the requested host."),
  proxy: z
    .union([z.enum(["any", "none"]), WrittenProxy])
    .describe("The proxies that may lead to listed names: `any`, `none` or one.")
    .optional(),
});

/** `network:` in YAML: `false` or `none`, `true` or `open`, `host`, or listed hosts. */
export const NetworkSection = z.union([z.boolean(), z.enum(["none", "open", "host"]), HostListSection], {
  error: "write `false`, `true`, `host` or `{ hosts: [name:port], never: [name] }`",
});
export type NetworkSection = z.infer<typeof NetworkSection>;

type WithEnvironment = Omit<z.infer<typeof HostListSection>, "proxy"> & {
  readonly proxy?: "environment" | "none" | UpstreamProxy | undefined;
};

/** The permission sections of an operator profile. One left out says nothing. */
export const ProfileSections = z.strictObject({
  files: z
    .array(
      z.strictObject({
        path: WrittenPath.meta({
          description: "An absolute path, or one that begins with `${home}`, `${workspace}` or `${runtime}`.",
          examples: ["${home}/src"],
        }),
        access: Access.describe("The maximum access of a call there."),
        suffixes: SuffixList.optional().meta({
          description: "Calls see, create and change only files with these endings.",
          examples: [[".md"]],
        }),
      }),
    )
    .max(MAX_CLAUSES)
    .optional()
    .meta({
      description: "Paths, and the maximum access of a call below each. An empty list allows nothing.",
      examples: [[{ path: "/", access: "write" }]],
    }),
  masks: z
    .array(
      z.strictObject({
        pattern: WrittenPattern.meta({
          description:
            "A path with wildcards: `*` within a name, `**` for any folders, `{a,b}` for alternatives.",
          examples: ["**/.env"],
        }),
        at_most: z.enum(["none", "read"]).describe("The maximum access of a call to matching files."),
        ignore_case: z.boolean().default(false).describe("Ignore case."),
      }),
    )
    .max(MAX_CLAUSES)
    .optional()
    .meta({
      description: "Names of files that are hidden or read-only in every folder.",
      examples: [[{ pattern: "**/.env", at_most: "none" }]],
    }),
  network: NetworkSection.optional().meta({
    description:
      "`none` (or `false`), `open` (or `true`: all public hosts), `host` (the network of the machine), or listed hosts.",
    examples: ["none"],
  }),
  sockets: z
    .union([z.enum(["any", "none"]), z.array(WrittenPath).max(MAX_CLAUSES)])
    .optional()
    .meta({
      description: "Unix sockets of the machine that calls may reach: `any`, `none`, or paths.",
      examples: ["none"],
    }),
  env: z
    .array(EnvPattern)
    .max(MAX_CLAUSES)
    .optional()
    .meta({ description: "Names of variables that calls may get.", examples: [["LANG", "LC_*"]] }),
  terminal: z.boolean().optional().describe("`false`: no command gets a terminal."),
  syscalls: SyscallsSection.optional().meta({
    description: "Groups of system calls that may be granted.",
    examples: [[]],
  }),
  devices: DevicesSection.optional().meta({
    description: "Groups of devices that may be granted.",
    examples: [[]],
  }),
  macos: MacosSection.optional().meta({
    description: "Groups of macOS services that may be granted.",
    examples: [[]],
  }),
  ports: z
    .union([z.literal("any"), PortsSection], { error: "write `any`, or a list of numbers" })
    .optional()
    .meta({
      description: "Ports of this machine's loopback that calls may open: `any`, or a list.",
      examples: [[5173]],
    }),
  limits: LimitsSection.optional().describe("The maximum limits that a config may set."),
});
export type ProfileSections = z.infer<typeof ProfileSections>;

/** Values of path variables: one path, or the several that a runtime needs. */
export type PathVariables = Readonly<Record<string, readonly AbsolutePath[]>>;

/**
 * The profile of operator sections. A section left out is the top; an empty list allows nothing, but masks only take
 * away, so no masks are the top as well. Throws `PATH_INVALID`, `PATTERN_INVALID`, `HOST_INVALID`.
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

/** One entry of `files:`, once for every path of its variables. */
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

/** One entry of `masks:`, once for every pattern of its braces and variables. */
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
    throw new CofferdamError("PATH_INVALID", `the path ${visible(text)} has a variable without \`}\``, {
      hint: "write `${name}`",
    });
  return combinations(text, variables).map((chosen) => {
    const path = text.replace(VARIABLE, (_, name: string) => chosen[name] ?? "");
    if (!isTooLong(path)) return absolutePath(path);
    throw new CofferdamError(
      "PATH_INVALID",
      `${visible(text)} expands to more than ${MAX_PATH_BYTES} bytes`,
      { hint: "write a shorter path" },
    );
  });
}

/** `network:` in the model's form, without the environment's proxy. Throws `HOST_INVALID`. */
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

const VARIABLE = /\$\{([^}]*)\}/g;

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
              known.length === 0 ? "no variable is allowed here" : `the variables are ${known.join(", ")}`,
          },
        );
      }
      return chosen.flatMap((one) => paths.map((path) => ({ ...one, [name]: path })));
    },
    [{}],
  );
}
