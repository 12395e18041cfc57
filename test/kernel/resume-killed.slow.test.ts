import { readFileSync } from "node:fs";
import { execa } from "execa";
import { describe, expect, it, vi } from "vitest";
import { createSupervisor } from "../../src/index.ts";
import { knownPath } from "../../src/profile/path.ts";
import { SqliteStore } from "../../src/store/sqlite.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";

sandboxMustWork("kills between an approval and its run");

const SETTINGS = { shell: { default: { allowed: true, approval: true } }, approval: { wait: "suspend" } };
const DRIVER = new URL("../support/battery/fates-driver.ts", import.meta.url).pathname;

/** Everything that a process does from asking to the end of the run, at any step of which it may be killed. */
class Lives implements Disposable {
  readonly place = new Place(CALLER);
  readonly config = this.place.config(SETTINGS);
  readonly file = `${this.place.top}/approvals.sqlite`;

  /** One life, ended at a step. */
  live(name: string, killAt: number | null, script = `echo run >> ${name}`) {
    const { ws: cwd } = this.place;
    const job = this.place.file(
      `${name}.json`,
      JSON.stringify({ config: this.config, cwd, store: this.file, script, killAt }),
    );
    return execa(process.execPath, [DRIVER, job], {
      env: this.place.host().env,
      extendEnv: false,
      reject: false,
    });
  }

  /** How often it ran. */
  runs(name: string): number {
    try {
      return readFileSync(`${this.place.ws}/${name}`, "utf8").split("\n").length - 1;
    } catch {
      return 0;
    }
  }

  [Symbol.dispose](): void {
    this.place[Symbol.dispose]();
  }
}

describe.skipIf(unusable !== null)("a process that is killed", () => {
  it("failure, process killed while pending: at any step between asking and the end of the run no request is lost, and nothing runs twice (approve.race, S4-19)", async () => {
    using lives = new Lives();
    const { stdout } = await lives.live("whole", null);
    const { count, kind } = JSON.parse(stdout);
    expect([kind, lives.runs("whole")]).toEqual(["done", 1]);
    expect(count).toBeGreaterThanOrEqual(10);
    const fates: string[] = [];
    for (let killAt = 1; killAt <= count; killAt += 1) {
      const name = `killed-${String(killAt).padStart(2, "0")}`;
      const { signal } = await lives.live(name, killAt);
      expect(signal).toBe("SIGKILL");
      fates.push(await fateOf(lives, name));
    }
    // Nothing was kept; it waited, and ran later; it had run, or may have.
    expect(new Set(fates)).toEqual(new Set(["gone", "done later", "failed", "done"]));
  });

  it("failure, process killed while executing: the tool ends with it, and that is told as failed, never run again", async () => {
    using lives = new Lives();
    const life = lives.live("amidst", null, "echo run >> amidst; sleep 60; echo run >> amidst");
    await vi.waitFor(() => expect(lives.runs("amidst")).toBe(1), { timeout: 20_000, interval: 10 });
    life.kill("SIGKILL");
    expect((await life).signal).toBe("SIGKILL");
    expect(await fateOf(lives, "amidst")).toBe("failed");
    expect(lives.runs("amidst")).toBe(1);
  });
});

/** What became of the request of a life that ended: whoever comes later answers it where it waits, and tries to run it. */
async function fateOf(lives: Lives, name: string): Promise<string> {
  const { place, config, file } = lives;
  const before = lives.runs(name);
  await using store = new SqliteStore(knownPath(file));
  const events = await store.eventsAfter(null, 10_000, null);
  // Its time runs out: nobody hears of that process any more.
  for (const { runId } of events) await store.keepAlive(runId, 0);
  const [id] = events.flatMap((event) =>
    event.type === "approval.requested" && event.request.description.includes(name)
      ? [event.request.approvalId]
      : [],
  );
  if (id === undefined) return before === 0 ? "gone" : "ran, and nobody knows";
  await using supervisor = await createSupervisor({
    config,
    cwd: knownPath(place.ws),
    host: place.host(),
    store,
  });
  const { broker } = supervisor;
  if ((await broker.find(id))?.status === "pending") await broker.respond(id, { approved: true }, "bob");
  const outcomes = await Promise.all([supervisor.resume(id), supervisor.resume(id)]);
  const done = outcomes.filter(({ kind }) => kind === "done").length;
  expect(lives.runs(name)).toBe(before + done);
  expect(before + done).toBeLessThanOrEqual(1);
  return done === 1 ? "done later" : ((await broker.find(id))?.status ?? "not known");
}
