import { z } from "zod";
import { CofferdamError, visible } from "../errors.ts";
import { EXISTING_FILE } from "./access-to.ts";
import { DeviceGroup } from "./devices.ts";
import { EnvName } from "./env-pattern.ts";
import { explain, type Layer, type ProfileQuestion } from "./explain.ts";
import { canonicalAddress, isAddress, parseHostRule, printHostRule } from "./host-rule.ts";
import { MacosGroup } from "./macos.ts";
import { Port } from "./ports.ts";
import { type PathVariables, pathsFrom } from "./sections.ts";
import { SyscallGroup } from "./syscalls.ts";
import { WrittenHost, WrittenPath } from "./written.ts";

/**
 * One `expect:` line of an operator profile: an access that the profile must allow or deny, checked at each load. A
 * path that ends in `/` is a folder. A host is assumed to have a public address unless `address` says otherwise.
 */
export const Example = z.union(
  [
    z.strictObject({ allow: z.enum(["read", "write"]), path: WrittenPath }),
    z.strictObject({ deny: z.enum(["read", "write"]), path: WrittenPath }),
    z.strictObject({ allow: z.literal("connect"), host: WrittenHost, address: WrittenHost.optional() }),
    z.strictObject({ deny: z.literal("connect"), host: WrittenHost, address: WrittenHost.optional() }),
    z.strictObject({ allow: z.literal("connect"), socket: WrittenPath }),
    z.strictObject({ deny: z.literal("connect"), socket: WrittenPath }),
    z.strictObject({ allow: z.literal("env"), name: EnvName }),
    z.strictObject({ deny: z.literal("env"), name: EnvName }),
    z.strictObject({ allow: z.literal("syscalls"), group: SyscallGroup }),
    z.strictObject({ deny: z.literal("syscalls"), group: SyscallGroup }),
    z.strictObject({ allow: z.literal("devices"), group: DeviceGroup }),
    z.strictObject({ deny: z.literal("devices"), group: DeviceGroup }),
    z.strictObject({ allow: z.literal("macos"), group: MacosGroup }),
    z.strictObject({ deny: z.literal("macos"), group: MacosGroup }),
    z.strictObject({ allow: z.literal("port"), port: Port }),
    z.strictObject({ deny: z.literal("port"), port: Port }),
  ],
  { error: "write `allow` or `deny` with an access, and its target: `{ deny: write, path: .git/config }`" },
);
export type Example = z.infer<typeof Example>;

/** An example that the profile does not satisfy, and why. */
export interface FailedProfileExample {
  readonly index: number;
  readonly message: string;
}

/** The examples that the layer contradicts. Throws `PATH_INVALID` or `HOST_INVALID` for a malformed one. */
export function failedExamples(
  layer: Layer,
  examples: readonly Example[],
  variables: PathVariables,
): readonly FailedProfileExample[] {
  return examples.flatMap((example, index) =>
    questionsOf(example, variables).flatMap((question) => {
      const { allowed, decidedBy } = explain([layer], question);
      if (allowed === "allow" in example) return [];
      const [expected, found] = allowed ? ["denies", "allows"] : ["allows", "denies"];
      return [
        {
          index,
          message: `expected: it ${expected} ${printQuestion(question)}; actual: it ${found} it, because ${decidedBy.because}`,
        },
      ];
    }),
  );
}

/** A question in a person's words. */
export function printQuestion(question: ProfileQuestion): string {
  switch (question.ask) {
    case "read":
    case "write":
    case "remove":
    case "rename":
      return `${question.ask} ${visible(question.path)}`;
    case "connect": {
      const { host, port } = question.target;
      return `connect ${visible(printHostRule({ name: host, port, private: false }))}`;
    }
    case "socket":
      return `connect ${visible(question.path)}`;
    case "abstract":
      return `connect ${visible(`@${question.name}`)}`;
    case "env":
      return `env ${visible(question.name)}`;
    case "syscalls":
    case "devices":
    case "macos":
      return `${question.ask} ${question.group}`;
    case "port":
      return `port ${question.port}`;
  }
}

/** The questions of an example: one, or one for each path of its variables. */
export function questionsOf(example: Example, variables: PathVariables): readonly ProfileQuestion[] {
  const verb = "allow" in example ? example.allow : example.deny;
  if ("path" in example) {
    if (verb !== "read" && verb !== "write") return [];
    const kind = example.path.endsWith("/") ? "folder" : "file";
    return pathsFrom(example.path, variables).map((path) => ({
      ask: verb,
      path,
      facts: { ...EXISTING_FILE, kind },
    }));
  }
  if ("socket" in example)
    return pathsFrom(example.socket, variables).map((path) => ({ ask: "socket", path }));
  if ("group" in example) return [groupQuestion(example)];
  if ("port" in example) return [{ ask: "port", port: example.port }];
  if ("name" in example) return [{ ask: "env", name: example.name }];
  return [connectQuestion(example.host, example.address)];
}

function groupQuestion(example: Extract<Example, { readonly group: unknown }>): ProfileQuestion {
  if ("allow" in example) {
    if (example.allow === "syscalls") return { ask: "syscalls", group: example.group };
    if (example.allow === "devices") return { ask: "devices", group: example.group };
    return { ask: "macos", group: example.group };
  }
  if (example.deny === "syscalls") return { ask: "syscalls", group: example.group };
  if (example.deny === "devices") return { ask: "devices", group: example.group };
  return { ask: "macos", group: example.group };
}

const PUBLIC_ADDRESS = "198.41.0.4";

/** The question of one `host[:port]`, 443 by default. Throws `HOST_INVALID`, also for `*.name` and `name private`. */
export function connectQuestion(text: string, address?: string): ProfileQuestion {
  const { name, port, private: isPrivate, at } = parseHostRule(text);
  if (isPrivate || at !== undefined || name.startsWith("*."))
    throw new CofferdamError("HOST_INVALID", `${visible(text)} is a host rule, not one host`, {
      hint: "write one `name:port`",
    });
  const reached =
    address === undefined ? (isAddress(name) ? name : PUBLIC_ADDRESS) : canonicalAddress(address);
  return { ask: "connect", target: { host: name, address: reached, port: port ?? 443 } };
}
