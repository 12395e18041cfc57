import { describe, expect, test } from "vitest";
import { CALL, CALL_PARAMETERS } from "../../support/mac/mac-case.ts";
import { problemOf } from "../../support/mac/profile-problem.ts";
import { GOLDENS, hidingProject } from "../../support/mac/simulated-goldens.ts";
import { simulatedProject } from "../../support/mac/simulated-project.ts";
import { compile } from "../compile.ts";
import { EVERY_READING } from "../readings.ts";
import { ACTS, type Act, asked, wrongIn } from "./asked.ts";

const APP = "/Users/ada/work/app";
const TMP = `${CALL}/tmp`;

/** An act that is refused, and one like it that is not. */
type Pair = readonly [no: readonly [Act, string], yes: readonly [Act, string]];

/** What no call may do by whatever config, beside what each may. */
const ALWAYS: readonly Pair[] = [
  [
    ["read", "/Users/ada/.ssh/id_ed25519"],
    ["read", "/private/etc/passwd"],
  ],
  [
    ["read", "/private/etc/master.passwd"],
    ["read", "/private/etc/hosts"],
  ],
  [
    ["list", "/Users/ada"],
    ["list", "/usr/bin"],
  ],
  [
    ["stat", "/Users/ada/.zshrc"],
    ["stat", "/private/etc/localtime"],
  ],
  [
    ["run", "/Applications/Safari.app/Contents/MacOS/Safari"],
    ["run", "/bin/sh"],
  ],
  [
    ["stat", "/dev/disk0"],
    ["stat", "/dev/stderr"],
  ],
  [
    ["write", "/usr/bin/true"],
    ["write", "/dev/null"],
  ],
  [
    ["make", "/private/tmp/x"],
    ["make", `${TMP}/x`],
  ],
  [
    ["make", `${CALL}/made`],
    ["make", `${CALL}/home/.cache`],
  ],
  [
    ["read", `${CALL}/canary`],
    ["read", `${TMP}/x`],
  ],
  [
    ["connect to", "/private/var/run/docker.sock"],
    ["connect to", `${TMP}/own.sock`],
  ],
  [
    ["connect to", "/Users/ada/.docker/run/docker.sock"],
    ["connect to", `${CALL}/home/own.sock`],
  ],
  [
    ["look up", "com.apple.SecurityServer"],
    ["look up", "com.apple.system.opendirectoryd.libinfo"],
  ],
  [
    ["look up", "com.apple.coreservices.launchservicesd"],
    ["look up", "com.apple.system.logger"],
  ],
  [
    ["know", "kern.procargs2"],
    ["know", "hw.ncpu"],
  ],
];

/** What the rules of each golden must decide, by its name. */
const CLAIMS: Readonly<Record<string, readonly Pair[]>> = {
  developer: [
    [
      ["write", `${APP}/docs/guide.md`],
      ["write", `${APP}/src/a.ts`],
    ],
    [
      ["make", `${APP}/.git/hooks/pre-commit`],
      ["make", `${APP}/.git/index.lock`],
    ],
    [
      ["write", `${APP}/.git/config`],
      ["write", `${APP}/.git/HEAD`],
    ],
    [
      ["move the folder", `${APP}/.git`],
      ["move the folder", `${APP}/src`],
    ],
    [
      ["move the folder", `${APP}/.vscode`],
      ["make the folder", `${APP}/dist`],
    ],
    [
      ["write", `${APP}/.vscode/settings.json`],
      ["make", `${APP}/.vscode/extensions.json`],
    ],
    [
      ["make", `${APP}/packages/a/.ENVRC`],
      ["make", `${APP}/packages/a/.env`],
    ],
    [
      ["write", `${APP}/cofferdam.yaml`],
      ["write", `${APP}/package.json`],
    ],
    [
      ["make the folder", `${APP}/vendor/x.git/hooks`],
      ["make the folder", `${APP}/vendor/x.git/refs`],
    ],
    [
      ["read", "/Users/ada/.npmrc"],
      ["read", `${APP}/.git/config`],
    ],
    [
      ["write", "/opt/homebrew/lib/node_modules/npm/bin/npm-cli.js"],
      ["run", "/opt/homebrew/lib/node_modules/npm/bin/npm-cli.js"],
    ],
    [
      ["read", "/opt/homebrew/etc/my.cnf"],
      ["run", "/opt/homebrew/Cellar/node/24.1.0/bin/node"],
    ],
    [
      ["read", "/opt/homebrew/etc/openssl@3/private/own.key"],
      ["read", "/opt/homebrew/etc/openssl@3/openssl.cnf"],
    ],
    [
      ["reach", "93.184.215.14:443"],
      ["connect to", `${TMP}/tsx.sock`],
    ],
    [
      ["reach", "127.0.0.1:5432"],
      ["read", "/private/var/run/resolv.conf"],
    ],
    [
      ["listen on", "127.0.0.1:3000"],
      ["read", "/private/etc/services"],
    ],
  ],
  reader: [
    [
      ["write", `${APP}/src/a.ts`],
      ["read", `${APP}/src/a.ts`],
    ],
    [
      ["make", `${APP}/new.ts`],
      ["list", APP],
    ],
    [
      ["make", `${APP}/.git/index.lock`],
      ["read", `${APP}/.git/HEAD`],
    ],
    [
      ["remove", `${APP}/src/a.ts`],
      ["remove", `${TMP}/a.ts`],
    ],
    [
      ["read", "/Users/ada/work/other/a.ts"],
      ["stat", "/Users/ada/work"],
    ],
  ],
  ci: [
    [
      ["read", `${APP}/deploy/.env.production`],
      ["read", `${APP}/deploy/env.production`],
    ],
    [
      ["read", `${APP}/certs/server.key`],
      ["read", `${APP}/certs/server.crt`],
    ],
    [
      ["read", `${APP}/new/ID_ED25519`],
      ["write", `${APP}/new/id_ed25519.pub`],
    ],
    [
      ["make", `${APP}/.env`],
      ["make", `${APP}/build/out.o`],
    ],
    [
      ["move the folder", `${APP}/certs`],
      ["move the folder", `${APP}/src`],
    ],
    [
      ["make the semaphore", "/x"],
      ["know", "hw.memsize"],
    ],
  ],
  data: [
    [
      ["write", `${APP}/data/2025.csv`],
      ["read", `${APP}/data/2025.csv`],
    ],
    [
      ["make", `${APP}/data/2026.csv`],
      ["make", `${APP}/output/plot.png`],
    ],
    [
      ["read", `${APP}/notes.txt`],
      ["stat", APP],
    ],
    [
      ["remove", `${APP}/output`],
      ["remove", `${APP}/output/plot.png`],
    ],
    [
      ["make", `${APP}/output/pip.conf`],
      ["make", `${APP}/output/pip.txt`],
    ],
    [
      ["share the memory", "/other"],
      ["share the memory", "/__KMP_REGISTERED_LIB_4711"],
    ],
    [
      ["look up", "com.apple.trustd"],
      ["make the semaphore", "/mp-x"],
    ],
  ],
  hosts: [
    [
      ["reach", "93.184.215.14:443"],
      ["reach", "127.0.0.1:61080"],
    ],
    [
      ["reach", "192.168.0.2:61080"],
      ["reach", "127.0.0.1:61080"],
    ],
    [
      ["reach", "127.0.0.1:61081"],
      ["reach", "127.0.0.1:61080"],
    ],
    [
      ["send to", "127.0.0.1:61080"],
      ["reach", "127.0.0.1:61080"],
    ],
    [
      ["listen on", "127.0.0.1:61080"],
      ["reach", "127.0.0.1:61080"],
    ],
    [
      ["connect to", "/private/var/run/mDNSResponder"],
      ["connect to", `${TMP}/own.sock`],
    ],
    [
      ["look up", "com.apple.dnssd.service"],
      ["look up", "com.apple.system.logger"],
    ],
    [
      ["look up", "com.apple.SystemConfiguration.configd"],
      ["look up", "com.apple.system.opendirectoryd.libinfo"],
    ],
    [
      ["look up", "com.apple.nsurlsessiond"],
      ["look up", "com.apple.system.notification_center"],
    ],
  ],
  "own-network": [
    [
      ["connect to", "/private/tmp/.s.PGSQL.5432"],
      ["connect to", "/private/var/run/mDNSResponder"],
    ],
    [
      ["connect to", `${APP}/dev.sock`],
      ["reach", "127.0.0.1:5432"],
    ],
    [
      ["look up", "com.apple.nsurlsessiond"],
      ["reach", "93.184.215.14:443"],
    ],
    [
      ["look up", "com.apple.securityd"],
      ["look up", "com.apple.trustd"],
    ],
    [
      ["look up", "com.apple.pasteboard.1"],
      ["look up", "com.apple.FSEvents"],
    ],
    [
      ["make", `${APP}/.git/hooks/pre-push`],
      ["listen on", "127.0.0.1:8080"],
    ],
    [
      ["read", "/opt/homebrew/Cellar/node/24.1.0/bin/node"],
      ["run", "/opt/homebrew/Cellar/go/1.24.3/libexec/bin/go"],
    ],
  ],
};

test("every golden has acts of its own", () => {
  expect(Object.keys(CLAIMS)).toEqual(GOLDENS.map(({ name }) => name));
});

describe.each(GOLDENS)("the rules of a $name", ({ name, files, profiles = [] }) => {
  const project = () => simulatedProject(files, profiles);
  const pairs = [...ALWAYS, ...(CLAIMS[name] ?? [])];

  test("compile as they are printed, however they are read, and no lint finds anything", async () => {
    const shown = await project().shown();
    const params = CALL_PARAMETERS;
    const kinds = new Set(EVERY_READING.map((reading) => compile(shown, reading, { params }).kind));
    expect([[...kinds], wrongIn(shown)]).toEqual([["profile"], []]);
  });

  test("refuse what they must, and let pass what is like it", async () => {
    const ask = asked(await project().plan());
    const answered = pairs.map((pair) =>
      pair.map(([act, target]) => `${act} ${target}: ${ask(ACTS[act](target))}`),
    );
    const meant = pairs.map(([no, yes]) => [`${no.join(" ")}: no`, `${yes.join(" ")}: yes`]);
    expect(answered).toEqual(meant);
  });
});

test("an operator may hide a file of `/etc` by its usual name, and nothing else", async () => {
  const ask = asked(await hidingProject("/etc/hosts").plan());
  expect(["hosts", "services"].map((name) => ask(ACTS.read(`/private/etc/${name}`)))).toEqual(["no", "yes"]);
});

test.each([
  "(version 1)\n(deny default)\n(allow file-reed*)\n",
  '(version 1)\n(allow file-read* (subpath (param "X")))\n',
  "(version 1)\n(deny default",
  "(version 1))\n",
])("what the quick reader of the daily tests refuses is no profile for the model either: %j", (text) => {
  expect(problemOf(text, CALL_PARAMETERS)).not.toBeNull();
  expect(
    EVERY_READING.map((reading) => compile(text, reading, { params: CALL_PARAMETERS }).kind),
  ).not.toContain("profile");
});
