import { existsSync } from "node:fs";
import { expect } from "vitest";
import { approved, rejected } from "../../../src/approval/factories.ts";
import {
  createDesk,
  createSupervisor,
  type SessionOptions,
  type SupervisorOptions,
} from "../../../src/index.ts";
import type { Json } from "../../../src/policy/canonical-json.ts";
import { knownPath } from "../../../src/profile/path.ts";
import { CALLER } from "../battery/people.ts";
import { Place, type Settings } from "../battery/place.ts";
import { Written } from "./asked.ts";

/** The shell is asked about, and nobody waits. */
export const ASKS: Settings = {
  shell: { default: { allowed: true, approval: true } },
  approval: { wait: "suspend" },
};
export const TOUCH = { argv: ["touch", "made"] };

/** A record that its supervisor's end leaves as it is. */
class Kept extends Written {
  override [Symbol.dispose](): void {
    // It is read afterwards.
  }
}

/** A place in which processes come and go; each of them is a supervisor of its own over the same files. */
export class Fates implements Disposable {
  readonly place = new Place(CALLER);
  readonly journal = new Kept();

  supervisor(settings: Settings = ASKS, more: SupervisorOptions = {}) {
    return createSupervisor({
      config: this.place.config(settings),
      cwd: knownPath(this.place.ws),
      host: this.place.host(),
      ...more,
    });
  }

  /** Asks in a process that is over when this returns; the id of the request. */
  async ask(
    tool: string,
    input: unknown,
    session: SessionOptions = {},
    settings: Settings = ASKS,
  ): Promise<string> {
    await using supervisor = await this.supervisor(settings);
    await using asking = supervisor.session(session);
    const outcome = await asking.call(tool, input);
    if (outcome.kind !== "pending") throw new Error(JSON.stringify(outcome));
    return outcome.approvalId;
  }

  /** Answers in a process of its own. */
  async answer(approvalId: string, isYes = true, edited: { editedInput?: Json } = {}): Promise<void> {
    await using desk = await createDesk({ config: this.place.config(ASKS), host: this.place.host() });
    const answer = isYes ? approved("ann", { note: "as you like" }) : rejected("ann", "as you like");
    expect(await desk.broker.respond(approvalId, { ...answer, ...edited }, "ann")).toBe("accepted");
  }

  /** Runs what was approved in a process of its own. */
  async resume(
    approvalId: string,
    settings: Settings = ASKS,
    own: SessionOptions = {},
    more: SupervisorOptions = {},
  ) {
    await using supervisor = await this.supervisor(settings, { journal: this.journal, ...more });
    return await supervisor.resume(approvalId, own);
  }

  made(name = "made"): boolean {
    return existsSync(`${this.place.ws}/${name}`);
  }

  [Symbol.dispose](): void {
    this.place[Symbol.dispose]();
  }
}
