import { escapeInvisible } from "../errors.ts";
import { createDeskInAnyConfig, type Desk } from "../session/desk.ts";
import { chosen } from "./arguments.ts";
import type { Print } from "./print.ts";

/** The desk of a command that answers. A request may wait because of a config that is not trusted: it must not hinder. */
export async function answeringDesk(values: Parameters<typeof chosen>[0], print: Print): Promise<Desk> {
  const desk = await createDeskInAnyConfig(chosen(values));
  const { config, notes } = desk.loaded;
  if (config.origin.kind === "untrusted")
    for (const note of notes) print.talk(print.talkInk.dim(`cofferdam: ${escapeInvisible(note)}`));
  return desk;
}
