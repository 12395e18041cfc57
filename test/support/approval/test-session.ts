import { OUTSIDE, type Outside } from "../../../src/host/look/outside.ts";
import { createSupervisor, type Outcome, type Session, type SessionOptions } from "../../../src/index.ts";
import { knownPath } from "../../../src/profile/path.ts";
import type { Supervisor } from "../../../src/session/supervisor.ts";
import type { SupervisorOptions } from "../../../src/session/supervisor-options.ts";
import { CALLER } from "../battery/people.ts";
import { Place, type Settings } from "../battery/place.ts";
import { Asked, Written } from "./asked.ts";

/** What a supervisor with a real sandbox is made from in these tests. */
export interface Given {
  readonly settings?: Settings | ((place: Place) => Settings);
  /** An operator profile beside the shipped protections. */
  readonly profile?: Readonly<Record<string, unknown>>;
  readonly options?: Pick<SupervisorOptions, "mode" | "store" | "asksCaller">;
  readonly session?: Omit<SessionOptions, "handler">;
  /** What lies beyond this machine, instead of what really does. */
  readonly outside?: Outside;
  /** A folder of the writable root that PATH holds. */
  readonly inPath?: string;
  /** Null: nobody can be asked. */
  readonly handler?: Asked | null;
}

/** A supervisor in a place of its own, one session of it, who is asked, and what is written. */
export interface TestSession extends AsyncDisposable {
  readonly place: Place;
  readonly supervisor: Supervisor;
  readonly session: Session;
  readonly asked: Asked;
  readonly journal: Written;
}

/** Makes a supervisor with a real sandbox, and a session. `prepare` puts files into the place before. */
export async function testSession(
  prepare: (place: Place) => void,
  { settings, profile, options, session = {}, handler, outside = OUTSIDE, inPath }: Given = {},
): Promise<TestSession> {
  const place = new Place(CALLER);
  prepare(place);
  const journal = new Written();
  const asked = handler ?? new Asked();
  const file = place.file("operator.yaml", JSON.stringify({ profile: "operator", ...profile }), 0o600);
  const supervisor = await createSupervisor({
    config: place.config(typeof settings === "function" ? settings(place) : settings),
    cwd: knownPath(place.ws),
    host: place.host({ outside, ...(inPath === undefined ? {} : { env: envWith(place, inPath) }) }),
    journal,
    ...(profile === undefined ? {} : { profiles: [file] }),
    ...options,
  });
  const made = supervisor.session(handler === null ? session : { ...session, handler: asked });
  return {
    place,
    supervisor,
    session: made,
    asked,
    journal,
    [Symbol.asyncDispose]: async () => {
      await supervisor[Symbol.asyncDispose]();
      place[Symbol.dispose]();
    },
  };
}

function envWith({ ws, state }: Place, folder: string): Readonly<Record<string, string | undefined>> {
  return { ...process.env, XDG_STATE_HOME: state, PATH: `${ws}/${folder}:${process.env["PATH"]}` };
}

/** What a call printed, or the code of what kept it from running. */
export function printed(outcome: Outcome): string {
  if ("stdout" in outcome) return outcome.stdout.bytes.toString().trim();
  return "code" in outcome ? String(outcome.code) : outcome.kind;
}
