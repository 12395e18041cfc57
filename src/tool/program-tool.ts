import { z } from "zod";
import { CofferdamError, visible } from "../errors.ts";
import type { Json } from "../policy/canonical-json.ts";
import { DevicesSection } from "../profile/devices.ts";
import { meetGroups } from "../profile/groups.ts";
import { MacosSection } from "../profile/macos.ts";
import { listedPorts, meetPorts, PortsSection } from "../profile/ports.ts";
import { SyscallsSection } from "../profile/syscalls.ts";
import type { ToolSettings } from "./derive.ts";
import type { Root } from "./facts.ts";
import type { FunctionTool } from "./function-tool.ts";

/** The part of the config's grants that a program needs: never more, so it cannot widen anything. */
export const ToolNeeds = z
  .strictObject({
    roots: z
      .record(z.string(), z.enum(["read", "write"]))
      .optional()
      .meta({
        description:
          "Roots by name, and the access that the tool needs. Default: all roots, as the config grants them.",
        examples: [{ notes: "read" }],
      }),
    network: z
      .boolean()
      .optional()
      .describe("Whether the tool needs the network that the config grants to commands."),
    syscalls: SyscallsSection.optional().describe("The groups of system calls that the tool needs."),
    devices: DevicesSection.optional().describe("The groups of devices that the tool needs."),
    macos: MacosSection.optional().describe(
      "The groups of macOS services that the tool needs; it also gets those of its runtimes.",
    ),
    ports: PortsSection.optional().meta({
      description: "Ports of the config's list that lead to the tool.",
      examples: [[5173]],
    }),
    cwd: z
      .string()
      .min(1)
      .optional()
      .meta({
        description:
          "The working folder of the tool. Default: that of calls, or, if it is in no root that the tool needs, the first root that the tool needs.",
        examples: ["./notes"],
      }),
  })
  .readonly();
export type ToolNeeds = z.infer<typeof ToolNeeds>;

/** The words of a program: a template in which `{name}` is an argument, or made from the arguments. */
export type CommandTemplate<Input> = readonly [string, ...string[]] | ((input: Input) => readonly string[]);

/**
 * A program as a tool. It runs in its own sandbox, made from its needs, and never by a shell: an argument stays one
 * word. A word that begins with `-` may still be an option to the program: put `--` before it.
 */
export interface ProgramTool<Input = Json> extends Omit<FunctionTool<Input>, "run"> {
  readonly command: CommandTemplate<Input>;
  readonly needs?: ToolNeeds;
}

const PLACE = /\{([A-Za-z_][A-Za-z0-9_]*)\}/g;
const ONLY_A_PLACE = /^\{([A-Za-z_][A-Za-z0-9_]*)\}$/;

/**
 * The words of one use; a word that is only a list's place becomes one per item. Throws `USAGE` for an unfit argument.
 */
export function fillTemplate(template: readonly string[], args: Json): readonly string[] {
  return template.flatMap((word) => {
    const [, name] = ONLY_A_PLACE.exec(word) ?? [];
    const value = name === undefined ? undefined : argumentOf(args, name);
    if (name !== undefined && Array.isArray(value)) return value.map((one) => textOf(name, one));
    return [word.replace(PLACE, (_, place: string) => textOf(place, argumentOf(args, place)))];
  });
}

/** True for a word of a template that contains the place of an argument. */
export function hasPlace(word: string | undefined): boolean {
  return word !== undefined && word.search(PLACE) >= 0;
}

function argumentOf(args: Json, name: string): unknown {
  const isByName = typeof args === "object" && args !== null && !Array.isArray(args);
  return isByName ? Object.getOwnPropertyDescriptor(args, name)?.value : undefined;
}

function textOf(name: string, value: unknown): string {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
    return String(value);
  throw new CofferdamError("USAGE", `the command needs ${visible(name)} as a string, a number or a boolean`, {
    hint: "pass the argument, or add a default to the tool's schema",
  });
}

/** The settings reduced to a tool's needs: no derived profile gets wider. Throws `USAGE` for an unknown root. */
export function settingsFor(settings: ToolSettings, needs: ToolNeeds): ToolSettings {
  const { roots: wanted } = needs;
  const unknown = Object.keys(wanted ?? {}).find((name) =>
    settings.roots.every((root) => root.name !== name),
  );
  if (unknown !== undefined)
    throw new CofferdamError("USAGE", `a tool needs the unknown root ${visible(unknown)}`, {
      hint: `the roots are ${settings.roots.map(({ name }) => name).join(", ") || "none"}`,
    });
  const { sandbox, shell } = settings;
  return {
    ...settings,
    roots: wanted === undefined ? settings.roots : settings.roots.map((root) => needed(root, wanted)),
    sandbox: {
      ...sandbox,
      syscalls: [...meetGroups(sandbox.syscalls, needs.syscalls ?? [])],
      devices: [...meetGroups(sandbox.devices, needs.devices ?? [])],
      macos: [...meetGroups(sandbox.macos, needs.macos ?? [])],
    },
    shell: {
      ...shell,
      network: needs.network === true ? shell.network : false,
      terminal: false,
      ports: [...listedPorts(meetPorts(shell.ports, needs.ports ?? []))],
    },
  };
}

/** A root that is not needed is closed, not left out: it may be inside one that is needed. */
function needed(root: Root, wanted: Readonly<Record<string, "read" | "write">>): Root {
  if (root.mode === "none") return root;
  const access = Object.hasOwn(wanted, root.name) ? wanted[root.name] : undefined;
  if (access === undefined) return { ...root, mode: "none" };
  return access === "read" ? { ...root, mode: "ro" } : root;
}
