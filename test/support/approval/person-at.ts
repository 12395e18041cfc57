import { createSupervisor } from "../../../src/index.ts";
import { hostIn, type Place } from "../../unit/cli/command-line.ts";

/** Runs commands in this process as `cofferdam run` does in its own. */
interface PersonHere extends AsyncDisposable {
  /** True for a line of shell that succeeds. */
  can(line: string): Promise<boolean>;
}

/** A person who types commands in a place, and whom nobody can ask. */
export async function personAt(at: Pick<Place, "project" | "state">): Promise<PersonHere> {
  const supervisor = await createSupervisor({ host: hostIn(at) });
  const session = supervisor.session({ caller: "person", remember: false });
  return {
    can: async (line) => (await session.call("shell", { argv: ["sh", "-c", line] })).kind === "done",
    [Symbol.asyncDispose]: () => supervisor[Symbol.asyncDispose](),
  };
}
