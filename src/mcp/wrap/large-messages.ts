import { inTurns, MAX_AT_ONCE, otherTurns } from "../../host/turns.ts";
import { holdsMoreThan } from "../../policy/json-size.ts";
import { type Fault, lineSteps, type Message } from "./wire.ts";

/** Takes the messages of a line, each in a turn of its own. */
export async function eachMessage(line: string, take: (message: Message | Fault) => void): Promise<void> {
  const messages = await inTurns(lineSteps(line));
  await otherTurns(line.length);
  for (const message of messages) {
    take(message);
    await otherTurns();
  }
}

/** Between two steps of work on a message: everything else has its turn where it is large, and others keep their order. */
export async function turnsIfLarge(message: unknown): Promise<void> {
  if (holdsMoreThan(MAX_AT_ONCE, message)) await otherTurns();
}
