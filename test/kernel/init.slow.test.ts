import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect } from "vitest";
import { itNeeds, sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { ORDINARY, PEOPLE } from "../support/battery/people.ts";
import { rowsOf } from "../support/battery/rows-of.ts";
import { GIT_SETTINGS } from "../support/git/history.ts";
import { place } from "../unit/cli/command-line.ts";

sandboxMustWork("the config that `init` writes");

/** A kind of project: how it is made, which first command works in it, and what that says in the end. */
interface Kind {
  readonly what: string;
  readonly needs: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  readonly make?: string;
  readonly first: readonly [string, ...string[]];
  readonly says: RegExp;
}

const POM =
  "<project><modelVersion>4.0.0</modelVersion><groupId>g</groupId><artifactId>a</artifactId><version>1</version></project>";

const KINDS: readonly Kind[] = [
  {
    what: "a linked worktree",
    needs: ["/usr/bin/git"],
    make: "git init -q ../main && git -C ../main commit -q --allow-empty -m one && git -C ../main worktree add -q -f ../project -b side",
    first: [
      "sh",
      "-c",
      "echo a > a && git add a && git -c user.name=n -c user.email=e commit -q -m two && git log --format=%s",
    ],
    says: /^two\none\n$/,
  },
  {
    what: "a folder of repositories",
    needs: ["/usr/bin/git"],
    make: "git init -q work/app",
    first: [
      "sh",
      "-c",
      "cd work/app && git -c user.name=n -c user.email=e commit -q --allow-empty -m one && git log --format=%s",
    ],
    says: /^one\n$/,
  },
  {
    what: "a Maven project",
    needs: ["/usr/bin/mvn", "/usr/bin/java"],
    files: { "pom.xml": POM },
    first: ["mvn", "-o", "-B", "validate"],
    says: /BUILD SUCCESS/,
  },
  {
    what: "a Gradle project",
    needs: ["/usr/bin/java"],
    files: {
      "settings.gradle": "",
      "build.gradle": "",
      gradlew: "#!/bin/sh\nexec java -version 2>&1\n",
    },
    first: ["./gradlew"],
    says: /^openjdk version/,
  },
  {
    what: "a folder with nothing but a Python environment",
    needs: ["/usr/bin/python3"],
    make: "/usr/bin/python3 -m venv --without-pip .venv",
    first: [".venv/bin/python", "-c", "import sys; print(sys.prefix)"],
    says: /\/project\/\.venv\n$/,
  },
  {
    what: "a pnpm workspace",
    needs: [],
    files: {
      "pnpm-workspace.yaml": "packages: ['packages/*']\n",
      "package.json": '{ "name": "top", "private": true }',
      "packages/a/package.json": '{ "name": "a", "version": "1.0.0" }',
      "node_modules/.keep": "",
      "packages/a/index.js": "console.log(require('b'))\n",
      "packages/b/index.js": "module.exports = 'from b'\n",
    },
    make: "mkdir packages/a/node_modules && ln -s ../../b packages/a/node_modules/b",
    first: ["node", "packages/a"],
    says: /^from b\n$/,
  },
  {
    what: "a repository with LFS",
    needs: ["/usr/bin/git", "/usr/bin/git-lfs"],
    files: { ".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n" },
    make: "git init -q .",
    first: ["sh", "-c", "head -c 6000 /dev/zero > a.bin && git add -A && git cat-file -p :a.bin | head -n 1"],
    says: /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n$/,
  },
];

describe.skipIf(unusable !== null).each(PEOPLE)("as $name, the config that `init` writes", (person) => {
  for (const { what, needs, files = {}, make = ":", first, says } of rowsOf(person, KINDS))
    itNeeds(needs, `passes \`check\`, and a first command works with it: in ${what}`, async () => {
      const { cofferdam, here, project } = await place(null, person.uid);
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(join(project, name)), { recursive: true });
        writeFileSync(join(project, name), text);
      }
      if ("gradlew" in files) chmodSync(join(project, "gradlew"), 0o755);
      if (person.uid === ORDINARY.uid) spawnSync("chown", ["-R", `${person.uid}:${person.gid}`, project]);
      const made = spawnSync("sh", ["-ec", make], {
        ...person.runAs,
        cwd: project,
        env: { ...GIT_SETTINGS, PATH: "/usr/bin:/bin", HOME: project },
        encoding: "utf8",
      });
      expect([made.status, made.stderr]).toEqual([0, ""]);
      const given = person.runAs.uid === undefined ? {} : { uid: person.runAs.uid };
      // Only a process of its own can be somebody else's.
      const ended = (words: readonly string[]) =>
        person.runAs.uid === undefined ? here(words) : cofferdam(words, given);
      for (const step of ["init", "trust --yes"])
        expect(await ended(step.split(" "))).toMatchObject({ exit: 0 });
      expect(await ended(["check"])).toMatchObject({
        exit: 0,
        stdout: expect.stringMatching(/\nno problems found\n$/),
      });
      expect(await cofferdam(["run", "--quiet", "--", ...first], given)).toMatchObject({
        exit: 0,
        stdout: expect.stringMatching(says),
      });
    });
});
