import { visible } from "../errors.ts";
import { printNetwork } from "../profile/in-words.ts";
import type { Profile } from "../profile/profile.ts";
import type { ToolSettings } from "../tool/derive.ts";

/** What a model is told once about all tools: where files are, and what a denial means. Words of the config and ours alone. */
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
    "Some calls are asked about: a person sees what would run and may take a while. A result that begins with `Denied:` says why and what would have to be changed by a person; trying the same again does not help.",
  ].join("\n");
}
