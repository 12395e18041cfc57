import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defineTool, type Session, type Supervisor } from "../../../src/index.ts";
import { CALLER } from "../battery/people.ts";
import { Place } from "../battery/place.ts";
import type { Case } from "./cases.ts";
import { DRAWING } from "./drawn.ts";
import { heldMs, leastOfTries, slowness } from "./held-loop.ts";

/** So long nothing else has its turn, at the most, on a machine that has time. */
export const MAX_HELD_MS = 100;
const MIB = 1024 ** 2;

/** A supervisor in this process, with a root that asks nobody, one that asks, and rules of all kinds. */
export class Busy implements AsyncDisposable {
  readonly place: Place;
  readonly supervisor: Supervisor;

  private constructor(place: Place, supervisor: Supervisor) {
    this.place = place;
    this.supervisor = supervisor;
  }

  static async make(): Promise<Busy> {
    const place = new Place(CALLER);
    const asked = place.folder("asked");
    for (const folder of [place.ws, asked]) fill(folder);
    const rules = [
      { pattern: "rm", allowed: false },
      { pattern: "* --danger", allowed: false },
      { pattern: "ls", approval: false, sandbox_paths: ["ws"] },
      { pattern: "cat", approval: false, sandbox_paths: ["ws"] },
      ...Array.from({ length: 60 }, (_, at) => ({ pattern: `prog${at} sub *`, allowed: at % 2 === 0 })),
    ];
    const paths = {
      ws: { root: place.ws, mode: "rw", write_approval: false },
      asked: { root: asked, mode: "rw", write_approval: true },
    };
    const settings = { shell: { rules }, web_fetch: { domains: ["example.com"] }, sandbox: { paths } };
    const busy = new Busy(place, await place.supervisor(settings));
    // What is loaded and started once counts for no call.
    const session = busy.session();
    await session.call("shell", { argv: ["true"] });
    await session.call("write_file", { path: "asked:new", content: "" });
    await toolsOf(session).call("mine", {});
    return busy;
  }

  /** Somebody who says no, once all there is to see was drawn. */
  session(): Session {
    return this.supervisor.session({ handler: DRAWING });
  }

  /** How long a call holds the event loop, in proportion to the most that it may. The least of some tries. */
  async held([, tool, input]: Case): Promise<number> {
    return leastOfTries(1, async () => {
      const given = input();
      await using session = this.session();
      const guarded = toolsOf(session);
      const isAsked = JSON.stringify(given)?.startsWith('{"path":"asked:') === true;
      const call = (): Promise<unknown> => {
        if (tool === "mine") return guarded.call(tool, given);
        return isAsked ? session.call(tool, given) : session.ask(tool, given);
      };
      // What is refused holds nothing up either.
      const held = await heldMs(() => call().catch(() => undefined));
      return held / (MAX_HELD_MS * slowness());
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.supervisor[Symbol.asyncDispose]();
    this.place[Symbol.dispose]();
  }
}

function toolsOf(session: Session) {
  return session.guard([defineTool({ name: "mine", run: () => "done" })]);
}

/** Files that are large, and folders as deep as a path can be. */
function fill(folder: string): void {
  writeFileSync(join(folder, "lines"), Array.from({ length: 100_000 }, (_, at) => `line ${at}\n`).join(""));
  writeFileSync(join(folder, "large"), Buffer.alloc(40 * MIB), { mode: 0o755 });
  writeFileSync(join(folder, "other"), Buffer.alloc(30 * MIB), { mode: 0o755 });
  const [here, names] = [process.cwd(), Array.from({ length: 1_900 }, () => "a")];
  process.chdir(folder);
  for (const name of names) {
    mkdirSync(name);
    process.chdir(name);
  }
  process.chdir(here);
  symlinkSync("a/".repeat(1_900), join(folder, "deep"));
}
