import { z } from "zod";
import { CofferdamError, visible } from "../errors.ts";
import type { Json } from "../policy/canonical-json.ts";
import { DevicesSection, meetDevices } from "../profile/devices.ts";
import { MacosSection, meetMacos } from "../profile/macos.ts";
import { listedPorts, meetPorts, PortsSection } from "../profile/ports.ts";
import { meetSyscalls, SyscallsSection } from "../profile/syscalls.ts";
import type { ToolSettings } from "./derive.ts";
import type { Root } from "./facts.ts";
import type { FunctionTool } from "./function-tool.ts";

/** What a program needs of what the config grants: never more, so nothing here widens anything. */
export const ToolNeeds = z
  .strictObject({
    /** Roots by their names, and how far it needs each; left out, all of them as the config has them. */
    roots: z.record(z.string(), z.enum(["read", "write"])).optional(),
    /** Whether it needs the network that the config gives to commands. */
    network: z.boolean().optional(),
    /** Which of the groups of system calls it needs that the config grants. */
    syscalls: SyscallsSection.optional(),
    /** Which of the groups of devices it needs that the config grants. */
    devices: DevicesSection.optional(),
    /** Which of the groups of macOS it needs that the config grants; those of runtimes come along with these. */
    macos: MacosSection.optional(),
    /** Ports that its server is reached by, of those that the config gives to commands: open whenever it runs. */
    ports: PortsSection.optional(),
    /**
     * The folder it starts in, from the one that calls start in. Left out it is that one, or, where no root that the tool
     * needs holds it, the first root that it needs.
     */
    cwd: z.string().min(1).optional(),
  })
  .readonly();
export type ToolNeeds = z.infer<typeof ToolNeeds>;

/** The words of a program: as a template in which `{name}` is an argument, or made from the arguments. */
export type CommandTemplate<Input> = readonly [string, ...string[]] | ((input: Input) => readonly string[]);

/**
 * A program as a tool. It runs in a sandbox of its own, made from what it needs, and never by a shell: what an argument
 * says stays one word. A word that begins with `-` may still be an option to the program: put `--` before it.
 */
export interface ProgramTool<Input = Json> extends Omit<FunctionTool<Input>, "run"> {
  readonly command: CommandTemplate<Input>;
  readonly needs?: ToolNeeds;
}

const PLACE = /\{([A-Za-z_][A-Za-z0-9_]*)\}/g;
const ONLY_A_PLACE = /^\{([A-Za-z_][A-Za-z0-9_]*)\}$/;

/**
 * The words of one use. A word that is nothing but the place of a list becomes as many words as the list has. Throws
 * `USAGE` where an argument is missing, or is neither text, number nor truth value.
 */
export function fillTemplate(template: readonly string[], args: Json): readonly string[] {
  return template.flatMap((word) => {
    const [, name] = ONLY_A_PLACE.exec(word) ?? [];
    const value = name === undefined ? undefined : argumentOf(args, name);
    if (name !== undefined && Array.isArray(value)) return value.map((one) => textOf(name, one));
    return [word.replace(PLACE, (_, place: string) => textOf(place, argumentOf(args, place)))];
  });
}

/** True for a word of a template in which an argument stands. */
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
  throw new CofferdamError(
    "USAGE",
    `the command needs ${visible(name)} as a text, a number or a truth value`,
    {
      hint: "give the argument, or a default in the tool's schema",
    },
  );
}

/**
 * The settings cut down to what a tool needs: for every path and host, a profile derived from the result gives at most
 * what one derived from `settings` gives. Throws `USAGE` for a root that there is not.
 */
export function settingsFor(settings: ToolSettings, needs: ToolNeeds): ToolSettings {
  const { roots: wanted } = needs;
  const unknown = Object.keys(wanted ?? {}).find((name) =>
    settings.roots.every((root) => root.name !== name),
  );
  if (unknown !== undefined)
    throw new CofferdamError("USAGE", `there is no root ${visible(unknown)} for a tool to need`, {
      hint: `the roots are ${settings.roots.map(({ name }) => name).join(", ") || "none"}`,
    });
  const { sandbox, shell } = settings;
  return {
    ...settings,
    roots: wanted === undefined ? settings.roots : settings.roots.map((root) => needed(root, wanted)),
    sandbox: {
      ...sandbox,
      syscalls: [...meetSyscalls(sandbox.syscalls, needs.syscalls ?? [])],
      devices: [...meetDevices(sandbox.devices, needs.devices ?? [])],
      macos: [...meetMacos(sandbox.macos, needs.macos ?? [])],
    },
    shell: {
      ...shell,
      network: needs.network === true ? shell.network : false,
      terminal: false,
      ports: [...listedPorts(meetPorts(shell.ports, needs.ports ?? []))],
    },
  };
}

/** A root that is not needed is closed, not left out: it may lie in one that is. */
function needed(root: Root, wanted: Readonly<Record<string, "read" | "write">>): Root {
  if (root.mode === "none") return root;
  const access = Object.hasOwn(wanted, root.name) ? wanted[root.name] : undefined;
  if (access === undefined) return { ...root, mode: "none" };
  return access === "read" ? { ...root, mode: "ro" } : root;
}
