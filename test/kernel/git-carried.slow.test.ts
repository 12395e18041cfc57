import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chownSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect } from "vitest";
import { itNeeds, sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { PEOPLE } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";

sandboxMustWork("git as the person has it");

const GIT = "/usr/bin/git";

describe.skipIf(unusable !== null).each(PEOPLE)("git of $name inside", (person) => {
  let place: Place;
  let agent: ChildProcess | null = null;
  beforeEach(() => {
    place = new Place(person);
    place.folder("home");
  });
  afterEach(() => {
    agent?.kill();
    agent = null;
    place[Symbol.dispose]();
  });

  /** What the person's git is told besides the files of the home. */
  const outside = () => ({ HOME: join(place.top, "home"), GIT_CONFIG_NOSYSTEM: "1" });

  /** Runs lines inside, one call each, and says what each wrote. */
  async function inside(
    lines: readonly string[],
    sandbox: Readonly<Record<string, unknown>> = {},
    env: Readonly<Record<string, string>> = {},
  ): Promise<readonly string[]> {
    const [made, ...replies] = await place.runServed({
      env: { ...outside(), ...env },
      settings: { sandbox: { runtimes: ["system", "git"], ...sandbox } },
      job: { calls: lines.map((line) => ({ argv: ["sh", "-c", `{ ${line}\n} 2>&1`] })) },
    });
    expect(made).toMatchObject({ kind: "made" });
    return replies.map((reply) => ("stdout" in reply ? reply.stdout : JSON.stringify(reply)));
  }

  function plainly(line: string): string {
    const { status, stdout, stderr } = place.plainly(`set -e\n${line}`, outside());
    expect(`${status} ${stderr}`).toBe("0 ");
    return stdout;
  }

  itNeeds([GIT], "commits what git outside would commit, as whoever it would be", async () => {
    place.file(
      "home/.gitconfig",
      '[user]\nname = Ada\nemail = a@home\n[core]\nautocrlf = input\nexcludesFile = ~/ig\npager = /bin/false\n[includeIf "gitdir:**/ws/.git"]\npath = work\n',
    );
    place.file("home/work", "[user]\nemail = a@work\n");
    place.file("home/ig", "*.skip\n");
    plainly("git init -q .; git config user.name Repo");
    const [made, who] = await inside([
      "printf 'a\\r\\n' >f; touch x.skip; git add -A . 2>/dev/null; git commit -qm x 2>/dev/null; git ls-files f x.skip; git cat-file -p HEAD:f | od -c | head -1",
      "git log -1 --format='%an %ae'; git config --global pull.rebase true && git config pull.rebase",
    ]);
    expect(made).toBe("f\n0000000   a  \\n\n");
    // What the repository says wins, and what is set inside is the call's own.
    expect(who).toBe("Repo a@work\ntrue\n");
    expect(plainly("git config --global --get pull.rebase || echo unset")).toBe("unset\n");
  });

  itNeeds([GIT, "/usr/bin/git-lfs"], "commits pointers where the person has LFS", async () => {
    place.file("home/.gitconfig", "[user]\nname = Ada\nemail = a@home\n");
    plainly(
      "git lfs install --skip-repo >/dev/null; git init -q .; echo '*.bin filter=lfs -text' >.gitattributes",
    );
    const [size] = await inside([
      "head -c 6000 /dev/zero >a.bin; git add -A . && git commit -qm x && git cat-file -p HEAD:a.bin | head -1",
    ]);
    expect(size).toBe("version https://git-lfs.github.com/spec/v1\n");
    // Without the filter the file itself is committed.
    place.file("home/.gitconfig", "[user]\nname = Ada\nemail = a@home\n");
    const [raw] = await inside([
      "head -c 6000 /dev/zero >b.bin; git add b.bin && git commit -qm x && git cat-file -s HEAD:b.bin",
    ]);
    expect(raw).toBe("6000\n");
  });

  itNeeds(
    [GIT, "/usr/bin/ssh-agent"],
    "signs by an agent whose socket is inside, and does not sign without",
    async () => {
      const folder = place.folder("agent", 0o700);
      const socket = join(folder, "sock");
      plainly("git init -q .");
      // Neither program runs for a number without an account.
      const key = join(place.folder("home/.ssh", 0o700), "id");
      spawnSync("/usr/bin/ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "me", "-f", key]);
      for (const name of [key, `${key}.pub`]) chownSync(name, person.uid, person.gid);
      agent = spawn("/usr/bin/ssh-agent", ["-D", "-a", socket], { ...person.runAs, stdio: "ignore" });
      await expect.poll(() => existsSync(socket)).toBe(true);
      const added = spawnSync("/usr/bin/ssh-add", ["-q", key], { env: { SSH_AUTH_SOCK: socket } });
      expect(added.status).toBe(0);
      place.file(
        "home/.gitconfig",
        "[user]\nname = Ada\nemail = a@home\nsigningkey = ~/.ssh/id\n[commit]\ngpgsign = true\n[gpg]\nformat = ssh\n",
      );
      const commit =
        "git commit -q --allow-empty -m x; git cat-file -p HEAD | grep -c 'BEGIN SSH SIGNATURE'; ls ~/.ssh /root/.ssh 2>/dev/null";
      const paths = { ws: { root: place.ws, mode: "rw", write_approval: false } };
      expect(await inside([commit])).toEqual(["0\n"]);
      const sandbox = {
        paths: { ...paths, agent: { root: folder, mode: "ro" } },
        env: { pass: ["SSH_AUTH_SOCK"] },
      };
      expect(await inside([commit], sandbox, { SSH_AUTH_SOCK: socket })).toEqual(["1\n"]);
    },
  );

  itNeeds([GIT, "/usr/bin/gpg"], "signs by GnuPG whose folder is inside", async () => {
    const folder = place.folder("keys", 0o700);
    place.file(
      "home/.gitconfig",
      "[user]\nname = Ada\nemail = a@home\nsigningkey = a@home\n[commit]\ngpgsign = true\n",
    );
    plainly(
      `export GNUPGHOME=${folder}; gpg --batch --quiet --passphrase '' --quick-gen-key 'Ada <a@home>' ed25519 sign never 2>/dev/null; gpgconf --kill all; git init -q .`,
    );
    const paths = {
      ws: { root: place.ws, mode: "rw", write_approval: false },
      keys: { root: folder, mode: "rw", write_approval: false },
    };
    const commit = "git commit -q --allow-empty -m x; git cat-file -p HEAD | grep -c 'BEGIN PGP SIGNATURE'";
    expect(await inside([commit], { paths, env: { pass: ["GNUPGHOME"] } }, { GNUPGHOME: folder })).toEqual([
      "1\n",
    ]);
    rmSync(folder, { recursive: true, force: true });
  });

  itNeeds(
    [GIT],
    "works in a worktree whose repository is a root, and not where it lies in none",
    async () => {
      for (const name of ["main", "t"]) place.folder(name);
      place.file("home/.gitconfig", "[user]\nname = Ada\nemail = a@home\n");
      plainly(
        "git init -q ../main; git -C ../main commit -q --allow-empty -m x; git -C ../main worktree add -q ../t; mv ../t/.git .; git -C ../main worktree repair $PWD >/dev/null 2>&1",
      );
      const commit = "git commit -q --allow-empty -m y; git log --format=%s | head -1";
      expect((await inside([commit]))[0]).toContain("not a git repository");
      const paths = {
        ws: { root: place.ws, mode: "rw", write_approval: false },
        main: { root: join(place.top, "main/.git"), mode: "rw", write_approval: false },
      };
      expect(await inside([commit, "echo x >>../main/.git/config"], { paths })).toEqual([
        "y\n",
        expect.stringContaining("cannot create"),
      ]);
    },
  );
});
