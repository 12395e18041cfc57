import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Reply } from "../support/battery/job.ts";
import { itNeeds, sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { PEOPLE } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";

sandboxMustWork("parts of repositories that lie apart");

describe.skipIf(unusable !== null).each(PEOPLE)("what git obeys elsewhere, as $name", (person) => {
  let place: Place;
  beforeEach(() => {
    place = new Place(person);
  });
  afterEach(() => place[Symbol.dispose]());

  /** Git as the person would run it, with nobody's configuration. */
  function git(folder: string, ...words: readonly string[]): string {
    const env = {
      PATH: "/usr/bin:/bin",
      HOME: place.folder("home"),
      GIT_AUTHOR_NAME: "n",
      GIT_AUTHOR_EMAIL: "e@e",
      GIT_COMMITTER_NAME: "n",
      GIT_COMMITTER_EMAIL: "e@e",
    };
    const line = ["-c", "safe.directory=*", "-C", join(place.ws, folder), ...words];
    const { status, stderr, stdout } = spawnSync("git", line, { encoding: "utf8", env });
    if (status !== 0) throw new Error(stderr);
    return `${stdout}${stderr}`;
  }

  /** One call, and what it told. */
  async function call(
    script: string,
    env: Readonly<Record<string, string>> = {},
    sandbox: Readonly<Record<string, unknown>> = {},
  ): Promise<Extract<Reply, { kind: "ran" }>> {
    place.ownAll();
    const job = { calls: [{ argv: ["sh", "-c", script] }] };
    const [, reply] = await place.runServed({ env, job, settings: { sandbox } });
    if (reply?.kind !== "ran") throw new Error(JSON.stringify(reply));
    return reply;
  }

  const attempt = (path: string, line = "echo x"): string => `(${line} >>${path}) && echo changed ${path};`;

  itNeeds(
    ["/usr/bin/git"],
    "git.exec: a common folder keeps its protection when its HEAD is gone",
    async () => {
      git("", "init", "-q", "up");
      git("up", "commit", "-q", "--allow-empty", "-m", "i");
      git("", "clone", "-q", "--bare", "up", "p/.bare");
      git("p", "--git-dir=.bare", "worktree", "add", "-q", "main");
      git("", "init", "-q", "--separate-git-dir", join(place.ws, "store"), "proj");
      const parts = ["p/.bare", "store"];
      const obeyed = parts.flatMap((part) => [
        attempt(`${part}/config`),
        attempt(`${part}/commondir`),
        `mkdir -p ${part}/hooks;`,
        attempt(`${part}/hooks/pre-commit`),
      ]);
      for (const before of ["", "rm p/.bare/HEAD store/HEAD;"]) {
        const { stdout } = await call(`${before} exec 2>/dev/null; true`);
        expect(stdout).toBe("");
        const tried = await call(`exec 2>/dev/null; ${obeyed.join(" ")} ${attempt("p/main/f")} true`);
        expect(tried.stdout).toBe("changed p/main/f\n");
      }
      expect(git("p/main", "status", "--short")).toBe("?? f\n");
    },
  );

  it("git.exec: what a new repository's commondir leads to is protected from then on", async () => {
    const made = await call(
      "mkdir -p X/.git R/objects R/refs R/hooks; echo 'ref: refs/heads/x' >X/.git/HEAD; echo ../../R >X/.git/commondir; : >R/config",
    );
    expect(made.appeared).toEqual([{ path: join(place.ws, "X/.git"), runs: [] }]);
    const { stdout } = await call(
      `exec 2>/dev/null; ${attempt("R/config")} ${attempt("R/hooks/pre-commit")} ${attempt("R/refs/x")} true`,
    );
    expect(stdout).toBe("changed R/refs/x\n");
  });

  itNeeds(
    ["/usr/bin/git"],
    "git.exec: links in a repository's folder are told, whatever its name",
    async () => {
      git("", "init", "-q", "--separate-git-dir", join(place.ws, "store"), "proj");
      git("", "init", "-q", "--bare", "bare");
      const links = ["store/COMMIT_EDITMSG", "store/logs/HEAD", "bare/refs/x"];
      const { appeared } = await call(
        `mkdir -p store/logs other; ${[...links, "other/x"].map((path) => `ln -s /nowhere ${path};`).join(" ")}`,
      );
      expect(appeared).toEqual(links.toSorted().map((path) => ({ path: join(place.ws, path), runs: [] })));
    },
  );

  it.each([
    ["init.templateDir", (ws: string) => ({ file: `[init]\n\ttemplateDir = ${ws}/tpl\n`, env: {} })],
    ["GIT_TEMPLATE_DIR", (ws: string) => ({ file: "", env: { GIT_TEMPLATE_DIR: `${ws}/tpl` } })],
  ])("git.exec: %s of the caller's keeps what it copies", async (_name, of) => {
    const { file, env } = of(place.ws);
    place.folder("ws/tpl/hooks");
    place.file("ws/tpl/hooks/pre-commit", "#!/bin/sh\n");
    place.folder("home");
    place.file("home/.gitconfig", file);
    const script = `exec 2>/dev/null; ${attempt("tpl/hooks/pre-commit")} ${attempt("tpl/config")} ${attempt("free")} true`;
    const { stdout } = await call(script, { HOME: join(place.top, "home"), ...env });
    expect(stdout).toBe("changed free\n");
  });

  it("git.exec: a new configuration or hook with another name is told as one that may change", async () => {
    const made =
      "mkdir -p x/.git/objects x/.git/refs x/.git/hooks; echo 'ref: refs/heads/x' >x/.git/HEAD; : >x/.git/config";
    const { appeared } = await call(
      `${made}; : >x/.git/hooks/pre-commit; ln x/.git/config notes; ln x/.git/hooks/pre-commit more`,
    );
    expect(appeared).toEqual([
      {
        path: join(place.ws, "x/.git"),
        runs: ["anything (config has another hard link)", "hooks/pre-commit"],
      },
    ]);
    rmSync(join(place.ws, "x"), { recursive: true });
    const plain = await call(`${made}; : >x/.git/hooks/pre-commit`);
    expect(plain.appeared).toEqual([{ path: join(place.ws, "x/.git"), runs: [] }]);
  });

  it("git.exec: a folder that lost its placeholder is told with the hooks that git would run in it", async () => {
    for (const name of ["objects", "refs", "hooks"])
      mkdirSync(join(place.ws, ".git", name), { recursive: true });
    place.file("ws/.git/HEAD", "ref: refs/heads/main\n");
    place.file("ws/.git/config", "[core]\n\thooksPath = tools/hooks\n");
    place.ownAll();
    const script =
      ": >began; while [ ! -e gone ]; do sleep .05; done; mkdir -p tools/hooks; echo '#!/bin/sh' >tools/hooks/pre-commit; chmod +x tools/hooks/pre-commit";
    const running = place.runServed({ job: { calls: [{ argv: ["sh", "-c", script] }] } });
    await vi.waitFor(() => expect(readable(join(place.ws, "began"))).toBe(true), 20_000);
    rmSync(join(place.ws, "tools"), { recursive: true });
    writeFileSync(join(place.ws, "gone"), "");
    const [, reply] = await running;
    expect(reply).toMatchObject({
      kind: "ran",
      mounts: {
        unprotected: [
          { path: join(place.ws, "tools"), runs: expect.arrayContaining(["tools/hooks/pre-commit"]) },
        ],
      },
    });
  });

  it.each([
    [".bashrc", "a file", "real/end"],
    [".zshrc", "nothing yet", "real/none"],
    [".ssh", "a folder of keys", "real"],
  ])(
    "fs.rename: a link of the root stays what it is where %s leads by it to %s",
    async (name, _what, end) => {
      place.folder("home");
      place.folder("ws/real");
      place.file("ws/real/end", "text");
      symlinkSync("real", join(place.ws, "lnk"));
      const behind = end.replace("real", join(place.ws, "lnk"));
      symlinkSync(behind, join(place.top, "home", name));
      place.ownAll();
      const job = { home: join(place.top, "home"), calls: [{ argv: ["rm", "lnk"] }] };
      const [, reply] = await place.runServed({ job });
      expect(reply).toMatchObject({ kind: "ran", code: 1 });
      expect(readlinkSync(join(place.ws, "lnk"))).toBe("real");
      // The twin: what it leads to by itself is held, and the link can be removed.
      rmSync(join(place.top, "home", name));
      symlinkSync(behind.replace("lnk", "real"), join(place.top, "home", name));
      const [, twin] = await place.runServed({ job });
      expect(twin).toMatchObject({ kind: "ran", code: 0 });
    },
  );

  it("fs.missing: what a mask protects in a folder is told, and then refused, where a link stands for that folder", async () => {
    const made = await call(
      "mkdir sub conf; echo '{}' >conf/tasks.json; ln -s ../conf sub/.vscode; ln -s ../conf sub/other",
      {},
      { appeared: "report" },
    );
    expect(made.appeared).toEqual([{ path: join(place.ws, "sub/.vscode/tasks.json"), runs: [] }]);
    const { stdout, appeared } = await call(
      `exec 2>/dev/null; ${attempt("conf/tasks.json")} (rm sub/.vscode && echo removed); ${attempt("conf/other")} true`,
    );
    expect(stdout).toBe("changed conf/other\n");
    expect(appeared).toBeUndefined();
    rmSync(join(place.ws, "sub/.vscode"));
    expect((await call(`${attempt("conf/tasks.json")} true`)).stdout).toBe("changed conf/tasks.json\n");
  });
});

function readable(path: string): boolean {
  try {
    readFileSync(path);
    return true;
  } catch {
    return false;
  }
}
