import { chmodSync, mkdirSync } from "node:fs";
import type { Machine } from "../../../unit/config/machine.ts";
import { CONFIG, PROFILE } from "../config.ts";
import { asSomebody } from "../people.ts";
import type { Row, Situation } from "../row.ts";

const TEXT =
  "version: 1\nsandbox: { runtimes: [system], paths: { ws: { root: ., mode: rw, write_approval: false } } }\n";
const RUN = ["run", "--config", "cofferdam.yaml", "--quiet", "--", "true"];
const STATE = "home/ann/.local/state/cofferdam";

/** A project with a config, and these files, before the situation. */
const project =
  (then: Situation, files: Readonly<Record<string, string>> = {}): Situation =>
  (at, told) => {
    at.write({ [CONFIG]: TEXT, ...files });
    return then(at, told);
  };

const mode =
  (path: string, bits: number) =>
  (at: Machine): void => {
    mkdirSync(at.at(path), { recursive: true });
    chmodSync(at.at(path), bits);
  };

const nowhere = (): Readonly<Record<string, string>> => ({ HOME: "/nonexistent" });
const own = (at: Machine): Readonly<Record<string, string>> => ({
  HOME: "/nonexistent",
  XDG_STATE_HOME: at.home,
});

/** What differs by user: who runs it is nobody's root, and the user database may not know them. */
export const OF_PEOPLE: readonly Row[] = [
  [
    "set XDG_STATE_HOME to a folder that you own",
    project(asSomebody(["trust", "--yes"], { env: nowhere })),
    async (at, told) => [
      ...((await asSomebody(["trust", "--yes"], { env: own })(at, told)) as string[]),
      ...((await asSomebody(["run", "--quiet", "--", "true"], { env: own })(at, told)) as string[]),
    ],
  ],
  [
    "run `cofferdam trust` to review it, or use another config with `--config`",
    project(asSomebody(["run", "--quiet", "--", "true"])),
    async (at, told) => [
      ...((await asSomebody(["trust", "--yes"])(at, told)) as string[]),
      ...((await asSomebody(["run", "--quiet", "--", "true"])(at, told)) as string[]),
    ],
  ],
  [
    "run this in a folder that you can write",
    asSomebody(["init"], { cwd: "srv", prepare: mode("srv", 0o555) }),
    asSomebody(["init"]),
  ],
  [
    "{}, or let this user write there",
    project(asSomebody(RUN, { prepare: mode(STATE, 0o500) })),
    asSomebody(RUN, { prepare: mode(STATE, 0o700) }),
  ],
  [
    "make it readable (`chmod u+rx`), or move it out of the roots",
    project(asSomebody(RUN, { prepare: mode("home/ann/project/sub", 0) })),
    asSomebody(RUN, { prepare: mode("home/ann/project/sub", 0o700) }),
  ],
  [
    "let this user read it, or remove it",
    project(asSomebody(RUN, { prepare: mode("home/ann/.config/cofferdam/profiles.d", 0o300) })),
    asSomebody(RUN, { prepare: mode("home/ann/.config/cofferdam/profiles.d", 0o700) }),
  ],
  [
    "name a file that you can read",
    project(asSomebody(RUN, { prepare: (at) => chmodSync(at.at(CONFIG), 0) })),
    asSomebody(RUN, { prepare: (at) => chmodSync(at.at(CONFIG), 0o644) }),
  ],
  [
    "name a path that this user can read",
    project(asSomebody(RUN, { prepare: mode("home/ann/project/closed", 0) }), {
      [PROFILE]:
        "profile: own\nfiles: [{ path: '${workspace}/closed/sub/x', access: read }, { path: '${workspace}', access: write }, { path: '${runtime}', access: read }]\n",
      "home/ann/project/closed/sub/x": "",
    }),
    project(asSomebody(RUN, { prepare: mode("home/ann/project/closed", 0o700) }), {
      [PROFILE]:
        "profile: own\nfiles: [{ path: '${workspace}', access: write }, { path: '${runtime}', access: read }]\n",
    }),
  ],
];
