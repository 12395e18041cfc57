import { TOPIC_NAMES, topicText } from "../../../src/cli/help/topics.ts";
import { COMMAND_NAMES, helpFor, overview } from "../../../src/cli/help.ts";

/** Every text of `cofferdam --help`, of each command and of each topic; each row of a table is a paragraph of its own. */
export function helpText(): string {
  const texts = [overview(), ...COMMAND_NAMES.map(helpFor), ...TOPIC_NAMES.map(topicText)];
  return texts.join("\n\n").replaceAll(/^(?= {2}\S)/gm, "\n");
}
