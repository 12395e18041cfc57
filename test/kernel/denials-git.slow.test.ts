import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Reply } from "../support/battery/job.ts";
import { itNeeds, sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { PEOPLE } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { rowsOf } from "../support/battery/rows-of.ts";
import { GIT_SETTINGS, History } from "../support/git/history.ts";

sandboxMustWork("what git could not change");

/** What each branch of the repository has in files that hosts obey, and in others. */
const PROTECTED = [".vscode/settings.json", ".npmrc", ".husky/pre-commit", "cofferdam.yaml"];

/** What is done outside first, and what a call does then: moves over a commit that changes protected files. */
const ACTS: readonly (readonly [act: string, before: string])[] = [
  ["git checkout side", ""],
  ["git switch side", ""],
  ["git checkout side -- .", ""],
  ["git stash", "edit"],
  ["git stash pop", "edit; git stash -q"],
  ["git merge --no-edit side", ""],
  ["git rebase main", "git checkout -q side"],
  ["git pull --no-edit --no-rebase . side", ""],
  ["git pull --rebase . main", "git checkout -q side"],
  ["git cherry-pick side", ""],
  ["git reset --hard side", ""],
  ["git restore --source side .", ""],
  ["git checkout bare", ""],
  ["git merge --no-edit bare", ""],
];

const EDIT = PROTECTED.map((file) => `echo edited >${file}; `).join("");

/** A repository whose branch `side` changes what hosts obey, `bare` removes it, and `main` changes something else. */
function repositoryIn(history: History): string {
  history.git("", "init -q -b main r");
  history.git("r", "config user.name n");
  history.git("r", "config user.email e@example.org");
  const commit = (text: string): void => {
    for (const file of [...PROTECTED, "plain"]) history.write(`r/${file}`, text);
    history.git("r", "add -A");
    history.git("r", `commit -q -m ${text}`);
  };
  commit("one");
  history.git("r", "checkout -q -b side");
  history.write("r/new", "new");
  commit("two");
  history.git("r", "checkout -q -b bare main");
  history.git("r", `rm -q ${PROTECTED.join(" ")}`);
  history.git("r", "commit -q -m bare");
  history.git("r", "checkout -q main");
  history.write("r/other", "other");
  history.git("r", "add -A");
  history.git("r", "commit -q -m other");
  return join(history.top, "r");
}

const folderOf = (act: string): string => act.replaceAll(/[^a-z]+/g, "-");

type Denials = NonNullable<Extract<Reply, { kind: "ran" }>["denials"]>;

describe.skipIf(unusable !== null).each(PEOPLE)(
  "as $name, git, where it can't change a protected file",
  (person) => {
    let place: Place;
    let history: History;
    beforeEach(() => {
      [place, history] = [new Place(person), new History()];
    });
    afterEach(() => {
      history[Symbol.dispose]();
      place[Symbol.dispose]();
    });

    /** What the person does outside. */
    function plainly(folder: string, line: string): string {
      const { status, stdout, stderr } = spawnSync(
        "sh",
        ["-c", line.replace(/^edit\b/, `${EDIT}echo edited >plain`)],
        {
          ...person.runAs,
          cwd: folder,
          env: { ...GIT_SETTINGS, PATH: "/usr/local/bin:/usr/bin:/bin", HOME: folder },
          encoding: "utf8",
        },
      );
      expect([line, status, stderr]).toEqual([line, 0, stderr]);
      return stdout;
    }

    /** How each of the calls ended. */
    async function run(
      ...calls: readonly (readonly [cwd: string, ...argv: string[]])[]
    ): Promise<readonly { readonly code: number; readonly denials: Denials }[]> {
      place.ownAll();
      const made = calls.map(([cwd, ...argv]) => ({ cwd, argv }));
      const [, ...replies] = await place.runServed({ job: { calls: made } });
      return replies.map((reply) => {
        if (reply.kind !== "ran") throw new Error(JSON.stringify(reply));
        return { code: reply.code, denials: reply.denials ?? [] };
      });
    }

    /** The commands of remedies, each once, as a person would type them. */
    function commandsIn(denials: Denials): readonly string[] {
      const remedies = [...new Set(denials.map(({ remedy }) => remedy))];
      return remedies.flatMap((remedy) =>
        [...remedy.matchAll(/`((?:git|rm|for) [^`]+)`/g)].map(([, line = ""]) => line),
      );
    }

    /** What a person has in the end: what is committed, what differs from it, and what stands in the files. */
    function stateOf(top: string): unknown {
      const files = [...PROTECTED, "plain", "new", "other"].map((file) => {
        const path = join(top, file);
        return existsSync(path) ? readFileSync(path, "utf8") : null;
      });
      return {
        tree: plainly(top, "git rev-parse HEAD^{tree}"),
        status: plainly(top, "git status --porcelain"),
        files,
      };
    }

    it("is told which, and by what commands a person finishes it, also where it ended well", async () => {
      const acts = rowsOf(person, ACTS);
      const repository = repositoryIn(history);
      for (const folder of [place.ws, place.outside])
        for (const [act] of acts) cpSync(repository, join(folder, folderOf(act)), { recursive: true });
      place.ownAll();
      if (person.runAs.uid !== undefined)
        spawnSync("chown", ["-R", `${person.uid}:${person.gid}`, place.outside]);
      for (const [act, before] of acts)
        if (before !== "")
          for (const folder of [place.ws, place.outside]) plainly(join(folder, folderOf(act)), before);
      const ended = await run(
        ...acts.map(([act]) => [join(place.ws, folderOf(act)), ...act.split(" ")] as const),
      );
      for (const [at, [act]] of acts.entries()) {
        const [here, there] = [join(place.ws, folderOf(act)), join(place.outside, folderOf(act))];
        const denials = ended[at]?.denials ?? [];
        expect([
          act,
          denials.map(({ operation, certainty, target }) => `${certainty} ${operation} ${target}`).sort(),
        ]).toEqual([
          act,
          ["cofferdam.yaml", ".husky", ".npmrc", ".vscode/settings.json"]
            .map((name) => `certain write ${here}/${name}`)
            .sort(),
        ]);
        const commands = commandsIn(denials);
        expect([act, commands.length > 0]).toEqual([act, true]);
        for (const line of commands) plainly(here, line);
        plainly(there, act);
        expect([act, stateOf(here)]).toEqual([act, stateOf(there)]);
      }
    });

    it("is told what stands in the way of the way back, and how a person goes it", async () => {
      cpSync(repositoryIn(history), join(place.ws, "r"), { recursive: true });
      place.ownAll();
      const top = join(place.ws, "r");
      const held = ["cofferdam.yaml", ".husky", ".npmrc", ".vscode/settings.json"].sort();
      const [, back, edited] = await run(
        [top, "git", "checkout", "bare"],
        [top, "git", "checkout", "main"],
        [top, "git", "merge", "no-such-branch"],
      );
      expect(edited).toEqual({ code: 1, denials: [] });
      const targets = back?.denials.map(({ target }) => target.slice(top.length + 1)) ?? [];
      expect([back?.code, [...targets].sort()]).toEqual([1, held]);
      for (const line of commandsIn(back?.denials ?? [])) plainly(top, line);
      expect(plainly(top, "git status --porcelain --branch")).toBe("## main\n");
      for (const file of PROTECTED) expect(readFileSync(join(top, file), "utf8")).toBe("one");
      // A change of a person's that is in no commit.
      plainly(top, EDIT);
      const [stopped] = await run([top, "git", "checkout", "side"]);
      for (const line of commandsIn(stopped?.denials ?? [])) plainly(top, line);
      expect(plainly(top, "git status --porcelain --branch")).toBe("## side\n");
      expect(plainly(top, "git show stash@{0}:.npmrc")).toBe("edited\n");
    });

    it("is told a command that shows what the next one writes, whatever the call wrote for git", async () => {
      const repository = repositoryIn(history);
      // An attribute may hide a change, and name a program of the person's configuration that shows it or makes it.
      const [shows, writes] = ["'printf %s%s hid den; true'", "'cat; printf made'"];
      const configured = `git config diff.own.textconv ${shows} && git config diff.own.command ${shows} && git config filter.own.smudge ${writes}`;
      const scripts = [
        "echo '* -diff' >.gitattributes; git checkout side",
        "echo '* binary' >.gitattributes; git checkout side",
        "echo '* diff=own' >.gitattributes; git checkout side",
        "echo '* filter=own' >.gitattributes; git checkout side",
        `git checkout side; git update-index --assume-unchanged ${PROTECTED.join(" ")}`,
        'git checkout side; git update-index --cacheinfo "100644,$(printf "evil\\033[8m\\n" | git hash-object -w --stdin),.npmrc"',
      ];
      for (const [at, script] of scripts.entries()) {
        cpSync(repository, join(place.ws, `r${at}`), { recursive: true });
        place.ownAll();
        const top = join(place.ws, `r${at}`);
        plainly(top, configured);
        const [ended] = await run([top, "sh", "-c", script]);
        const [look = "", finish = ""] = commandsIn(ended?.denials ?? []);
        const shown = plainly(top, look);
        plainly(top, finish);
        for (const file of PROTECTED) {
          const written = readFileSync(join(top, file), "utf8").trimEnd().replace("\u001b", "^[");
          expect([script, file, written === "one", shown.split("\n").includes(`+${written}`)]).toEqual([
            script,
            file,
            false,
            true,
          ]);
        }
      }
    });

    it("is told no command by what git's index does not say: in a part of it, in a conflict, where git skips a file", async () => {
      const repository = repositoryIn(history);
      const scripts = [
        "git update-index --split-index; git checkout side",
        `git checkout side; git update-index --skip-worktree ${PROTECTED.join(" ")}`,
        'git checkout side; git update-index --cacheinfo "120000,$(printf plain | git hash-object -w --stdin),.npmrc"',
        `git checkout side; for f in ${PROTECTED.join(" ")}; do git rm -q --cached $f; git add -N $f; done`,
      ];
      for (const [at, script] of scripts.entries()) {
        cpSync(repository, join(place.ws, `r${at}`), { recursive: true });
        place.ownAll();
        const top = join(place.ws, `r${at}`);
        const [ended] = await run([top, "sh", "-c", script]);
        const commands = commandsIn(ended?.denials ?? []);
        expect([
          script,
          ended?.denials.length,
          commands.filter((line) => !/^git (?:stash|checkout side)/.test(line)),
        ]).toEqual([script, 4, []]);
      }
    });

    it("is told commands that take names as they are, and what becomes a program", async () => {
      cpSync(repositoryIn(history), join(place.ws, "r"), { recursive: true });
      place.ownAll();
      const top = join(place.ws, "r");
      const names = ["[s]ub/.npmrc", "sub/.npmrc", ":/.npmrc", "*/.npmrc"];
      plainly(
        top,
        "mkdir sub '[s]ub' : '*' && for f in sub '[s]ub' : '*'; do echo one >$f/.npmrc; done; git add -A; git commit -q -m three",
      );
      plainly(
        top,
        "git checkout -q -b four; echo four >'[s]ub/.npmrc'; echo four >:/.npmrc; echo four >.husky/pre-commit; chmod +x .husky/pre-commit; git commit -q -a -m four; git checkout -q -",
      );
      // What the index has for other names, nobody was shown.
      const script =
        'git checkout four; for f in sub/.npmrc .npmrc "*/.npmrc"; do git --literal-pathspecs update-index --cacheinfo "100644,$(echo evil | git hash-object -w --stdin),$f"; done';
      const [ended] = await run([top, "sh", "-c", script]);
      const [look = "", finish = ""] = commandsIn(ended?.denials ?? []);
      expect(plainly(top, look)).not.toContain("evil");
      plainly(top, finish);
      const texts = [...names, ".npmrc", ".husky/pre-commit"].map((name) =>
        readFileSync(join(top, name), "utf8").trim(),
      );
      expect(texts).toEqual(["four", "one", "four", "one", "one", "four"]);
      expect(ended?.denials.at(0)?.remedy).toContain("which also makes them executable");
    });

    it("is told no removal of a file that git does not track where another program prints git's words", async () => {
      cpSync(repositoryIn(history), join(place.ws, "r"), { recursive: true });
      const top = join(place.ws, "r");
      place.file("ws/r/.envrc", "mine");
      const printed = `echo "error: unable to unlink old '.envrc': Device or resource busy" >&2; false`;
      const [made, bygit] = await run(
        [top, "sh", "-c", printed],
        [top, "sh", "-c", `git checkout -q main; ${printed}`],
      );
      expect(made?.denials.map(({ target }) => target)).toEqual([`${top}/.envrc`]);
      expect(commandsIn(made?.denials ?? []).filter((line) => line.includes("rm"))).toEqual([]);
      expect(commandsIn(bygit?.denials ?? [])).toEqual(["rm -- .envrc"]);
    });

    it("is told how a clone or a worktree of a call before is removed, which it began itself", async () => {
      repositoryIn(history);
      cpSync(join(history.top, "r"), join(place.ws, "r"), { recursive: true });
      const top = join(place.ws, "r");
      const ended = await run(
        [top, "git", "clone", "-q", ".", "copy"],
        [top, "git", "worktree", "add", "-q", "tree", "side"],
        [top, "git", "clone", "-q", ".", "gone"],
        [top, "git", "clone", "-q", ".", "kept"],
        [
          top,
          "sh",
          "-c",
          "git clone -q . free && git worktree add -q -b f freed && rm -rf free && git worktree remove freed",
        ],
        [top, "rm", "-rf", "copy"],
        [top, "git", "worktree", "remove", "tree"],
        [top, "sh", "-c", "rm -r -f ./gone"],
        [top, "sh", "-c", "cd kept/.. && rm -r -f ./kept"],
      );
      expect(ended.map(({ code }) => code === 0)).toEqual([
        true,
        true,
        true,
        true,
        true,
        false,
        false,
        false,
        false,
      ]);
      const commands = ended.map(({ denials }) => [denials.map(({ target }) => target), commandsIn(denials)]);
      expect(commands.slice(5)).toEqual([
        [[`${top}/copy`], [`rm -rf ${top}/copy`]],
        [[`${top}/tree`], [`git worktree remove --force ${top}/tree`]],
        [[`${top}/gone`], [`rm -rf ${top}/gone`]],
        // Two commands: which of them failed, and where, is not known.
        [[`${top}/kept`], []],
      ]);
      plainly(top, "rm -r kept");
      for (const { denials } of ended) for (const line of commandsIn(denials)) plainly(top, line);
      expect(["copy", "tree", "gone"].filter((name) => existsSync(join(top, name)))).toEqual([]);
      expect(plainly(top, "git worktree list --porcelain | grep -c ^worktree")).toBe("1\n");
      expect(plainly(top, "git status --porcelain")).toBe("");
    });

    it("is told to leave a worktree whose folder it does not see, and how those are removed that are gone", async () => {
      cpSync(repositoryIn(history), join(place.ws, "r"), { recursive: true });
      place.ownAll();
      const top = join(place.ws, "r");
      const [used, gone] = [join(place.outside, "used"), join(place.outside, "gone")];
      plainly(top, `git worktree add -q ${used} side && git worktree add -q ${gone} bare && rm -r ${gone}`);
      const [ended] = await run([top, "git", "worktree", "prune", "-v"]);
      const commands = commandsIn(ended?.denials ?? []);
      expect([ended?.denials.length, commands]).toEqual([2, ["git worktree prune"]]);
      for (const line of commands) plainly(top, line);
      expect(plainly(used, "git status --porcelain --branch")).toBe("## side\n");
      expect(plainly(top, "ls .git/worktrees")).toBe("used\n");
    });

    itNeeds(
      ["/usr/bin/localedef", "/usr/share/i18n/locales/de_DE", "/usr/share/locale/de/LC_MESSAGES/git.mo"],
      "is told so in whatever language programs speak",
      async () => {
        cpSync(repositoryIn(history), join(place.ws, "r"), { recursive: true });
        const top = join(place.ws, "r");
        const locales = place.folder("ws/locales");
        const made = place.plainly(`localedef --no-archive -i de_DE -f UTF-8 ${locales}/de_DE.UTF-8`);
        expect([made.status, made.stderr]).toEqual([0, ""]);
        place.ownAll();
        const words = ["env", `LOCPATH=${locales}`];
        const calls = [
          ["git", "checkout", "side"],
          ["rm", "-rf", ".husky"],
          ["sh", "-c", `cd ..; mv r/.vscode r/moved`],
          ["cat", "/etc/shadow"],
        ].map((argv) => ({ cwd: top, argv: [...words, ...argv] }));
        const [, ...replies] = await place.runServed({ env: { LANG: "de_DE.UTF-8" }, job: { calls } });
        const told = replies.map((reply) => {
          if (reply.kind !== "ran") throw new Error(JSON.stringify(reply));
          const denials = reply.denials ?? [];
          return [
            /ist belegt|nicht gefunden|nur lesbar/.test(reply.stderr),
            denials.every(({ certainty }) => certainty === "certain"),
            denials.map(({ operation, target }) => `${operation} ${target.replace(`${top}/`, "")}`),
          ];
        });
        expect(told).toEqual([
          [
            true,
            true,
            ["write .husky", "write .npmrc", "write .vscode/settings.json", "write cofferdam.yaml"],
          ],
          [true, true, ["write .husky"]],
          [true, true, ["remove .vscode"]],
          [true, true, ["read /etc/shadow"]],
        ]);
      },
    );

    it("is told nothing where it changes what is not protected, or prints what looks like it", async () => {
      cpSync(repositoryIn(history), join(place.ws, "r"), { recursive: true });
      const top = join(place.ws, "r");
      const said = "error: unable to unlink old '/etc/passwd': Device or resource busy";
      const commit =
        "git checkout -q -b mine && git -c user.name=n -c user.email=e commit -qm x --allow-empty";
      expect(await run([top, "sh", "-c", commit], [top, "sh", "-c", `echo "${said}" >&2`])).toEqual([
        { code: 0, denials: [] },
        { code: 0, denials: [] },
      ]);
    });

    it("is told of a program that a hook starts and that is not inside, and of none that only its output names", async () => {
      const repository = repositoryIn(history);
      history.write("r/.git/hooks/pre-commit", "#!/bin/sh\nexec no-such-linter --all\n", 0o755);
      history.write("r/.git/hooks/commit-msg", "#!/opt/none/bin/no-interpreter\n", 0o755);
      history.write("r/.git/hooks/pre-rebase", PRE_COMMIT, 0o755);
      history.write("r/.git/hooks/pre-push", "#!/x/y/$(id>PWNED)\n", 0o755);
      cpSync(repository, join(place.ws, "r"), { recursive: true });
      cpSync(repository, join(place.ws, "husky"), { recursive: true });
      const [top, husky] = [join(place.ws, "r"), join(place.ws, "husky")];
      place.ownAll();
      plainly(husky, HUSKY);
      const commit = ["git", "commit", "--allow-empty", "-m", "x"];
      const ended = await run(
        [top, ...commit],
        [top, "sh", "-c", `${commit.join(" ")} --no-verify; exit 1`],
        [top, "sh", "-c", "echo 'other-linter: not found' >&2; exit 1"],
        [top, "git", "hook", "run", "commit-msg", "--", "x"],
        [top, "git", "hook", "run", "pre-rebase"],
        [husky, ...commit],
        [top, "sh", "-c", "echo 'pre-push: bad interpreter: No such file or directory' >&2; exit 1"],
      );
      expect(
        ended.map(({ denials }) => denials.map(({ operation, target }) => `${operation} ${target}`)),
      ).toEqual([
        ["run `no-such-linter`"],
        [],
        [],
        ["run `/opt/none/bin/no-interpreter`"],
        ["run `pre-commit`"],
        ["run `lint-staged`"],
        ["run `/x/y/$(id>PWNED)`"],
      ]);
      expect(ended.at(-1)?.denials[0]?.remedy).toBe(
        "if you trust that program, add its folder under `sandbox.runtimes`",
      );
      // The twin: with the program at hand the commit is made.
      place.file("ws/husky/lint-staged", "#!/bin/sh\necho linted\n", 0o755);
      const [made] = await run([husky, "env", `PATH=${husky}:/usr/bin:/bin`, ...commit]);
      expect(made).toEqual({ code: 0, denials: [] });
    });
  },
);

/** As `pre-commit install` writes it (pre_commit/resources/hook-tmpl), for a Python that is not there any more. */
const PRE_COMMIT = `#!/usr/bin/env bash
# File generated by pre-commit: https://pre-commit.com
INSTALL_PYTHON=/opt/none/bin/python
ARGS=(hook-impl --config=.pre-commit-config.yaml --hook-type=pre-commit)
HERE="$(cd "$(dirname "$0")" && pwd)"
ARGS+=(--hook-dir "$HERE" -- "$@")
if [ -x "$INSTALL_PYTHON" ]; then
    exec "$INSTALL_PYTHON" -mpre_commit "\${ARGS[@]}"
elif command -v pre-commit > /dev/null; then
    exec pre-commit "\${ARGS[@]}"
else
    echo '\`pre-commit\` not found.  Did you forget to activate your virtualenv?' 1>&2
    exit 1
fi
`;

/** As husky 9 sets it up: \`core.hooksPath\` is a folder of one line each, which run the project's own hook by \`sh -e\`. */
const HUSKY = `mkdir -p .husky/_ && printf '*' > .husky/_/.gitignore && git config core.hooksPath .husky/_ &&
printf '%s\\n' '#!/usr/bin/env sh' '. "$(dirname "$0")/h"' > .husky/_/pre-commit && chmod +x .husky/_/pre-commit &&
cat > .husky/_/h <<'END'
#!/usr/bin/env sh
n=$(basename "$0")
s=$(dirname "$(dirname "$0")")/$n
[ ! -f "$s" ] && exit 0
export PATH="node_modules/.bin:$PATH"
sh -e "$s" "$@"
c=$?
[ $c != 0 ] && echo "husky - $n script failed (code $c)"
[ $c = 127 ] && echo "husky - command not found in PATH=$PATH"
exit $c
END
echo lint-staged > .husky/pre-commit`;
