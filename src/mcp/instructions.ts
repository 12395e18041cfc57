import { visible } from "../errors.ts";
import { printNetwork } from "../profile/in-words.ts";
import type { Profile } from "../profile/profile.ts";
import type { ToolSettings } from "../tool/derive.ts";

/** The `instructions` about all tools: the folders, and what a denial means. Only our words and the config's. */
export function instructionsFor({ roots }: ToolSettings, { network }: Profile): string {
  const folders = roots.map(({ name, path, mode, suffixes }) => {
    const how = mode === "rw" ? "read and write" : "read";
    const only = suffixes === "any" ? "" : `, names ending in ${suffixes.join(" ")}`;
    return `- ${visible(name)}: ${visible(path)} (${how}${only})`;
  });
  return [
    "These tools work on files and run commands inside a sandbox. A path is `ROOT:path/in/it`, or absolute. The roots:",
    ...folders,
    `Network for commands: ${printNetwork(network)}.`,
    "Some calls need the approval of a person, which can take a while. A result that begins with `Denied:` states the reason and what a person would have to change. Repeating the same call does not help.",
  ].join("\n");
}
