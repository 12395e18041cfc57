import { join } from "node:path";
import { thisHost } from "../../../src/host/look/host.ts";
import { createSupervisor } from "../../../src/index.ts";
import { knownPath } from "../../../src/profile/path.ts";
import type { Place } from "../../unit/cli/command-line.ts";

/** Runs commands in this process as `cofferdam run` does in its own. */
interface PersonHere extends AsyncDisposable {
  /** True for a line of shell that succeeds. */
  can(line: string): Promise<boolean>;
}

/** A person who types commands in a place, and whom nobody can ask. */
export async function personAt({ project, state }: Pick<Place, "project" | "state">): Promise<PersonHere> {
  const host = thisHost({ cwd: knownPath(project), stateFolder: knownPath(join(state, "cofferdam")) });
  const supervisor = await createSupervisor({ host });
  const session = supervisor.session({ caller: "person", remember: false });
  return {
    can: async (line) => (await session.call("shell", { argv: ["sh", "-c", line] })).kind === "done",
    [Symbol.asyncDispose]: () => supervisor[Symbol.asyncDispose](),
  };
}
