import { visible } from "../errors.ts";
import { type CommandRules, commandRulesText } from "../policy/command-rules.ts";
import { printNetwork } from "../profile/in-words.ts";
import type { Profile } from "../profile/profile.ts";
import type { ToolSettings } from "../tool/derive.ts";
import { rootApproval } from "../tool/root-approval.ts";

/**
 * The `instructions` about all tools: the folders, the commands that need no approval, and what a denial means. Only our
 * words and the config's.
 */
export function instructionsFor(
  { roots }: ToolSettings,
  { network }: Profile,
  commands: CommandRules,
): string {
  const folders = roots.map((root) => {
    const { name, path, mode, suffixes } = root;
    const how = mode === "rw" ? "read and write" : "read";
    const only = suffixes === "any" ? "" : `, names ending in ${suffixes.join(" ")}`;
    return `- ${visible(name)}: ${visible(path)} (${how}${only}${rootApproval(root)})`;
  });
  return [
    "These tools work on files and run commands inside a sandbox. A path is `ROOT:path/in/it`, or absolute. The roots:",
    ...folders,
    `Network for commands: ${printNetwork(network)}.`,
    commandRulesText(commands),
    "Some calls need the approval of a person, which can take a while. A result that begins with `Denied:` states the reason, what would help, and whether repeating the call does. Only the user can change the config or run `cofferdam`.",
  ].join("\n");
}
