import { MemoryStore } from "../../../src/store/memory.ts";

/** A store whose events can't be read while it is down. */
export class UnreadableStore extends MemoryStore {
  isDown = false;

  override async eventsAfter(...given: Parameters<MemoryStore["eventsAfter"]>) {
    if (this.isDown) throw new Error("connection lost");
    return super.eventsAfter(...given);
  }
}
