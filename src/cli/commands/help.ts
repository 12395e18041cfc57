import { CofferdamError, visible } from "../../errors.ts";
import { suggestion } from "../../policy/nearest.ts";
import { parseWords, readArguments } from "../arguments.ts";
import { isTopic, TOPIC_NAMES, topicList, topicText } from "../help/topics.ts";
import { COMMAND_NAMES, helpFor, isCommand, overview } from "../help.ts";
import type { Print } from "../print.ts";

/** Prints the help of a command or a topic, or lists both. */
export async function help(args: readonly string[], print: Print): Promise<number> {
  const { positionals } = readArguments("help", args, { help: { type: "boolean", short: "h" } });
  parseWords("help", positionals, ["COMMAND|TOPIC"], 0);
  const [name] = positionals;
  if (name === undefined) print.result(`${overview()}\n\n${topicList()}`);
  // A topic with the name of a command refers to the command's own help.
  else if (isTopic(name)) print.result(topicText(name));
  else if (isCommand(name)) print.result(helpFor(name));
  else
    throw new CofferdamError("USAGE", `no command or topic is named ${visible(name)}`, {
      hint: suggestion(name, [...new Set([...COMMAND_NAMES, ...TOPIC_NAMES])]) ?? "run `cofferdam help`",
    });
  return 0;
}
