import { describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { compile } from "../sbpl/compile.ts";
import { EVERY_READING } from "../sbpl/readings.ts";
import { CALL, CALL_PARAMETERS } from "../sbpl/support/mac-case.ts";
import { ACTS, type Act, asked, wrongIn } from "../support/mac/asked.ts";
import { statedProject } from "../support/mac/stated-project.ts";

const APP = "/Users/ada/work/app";
const TMP = `${CALL}/tmp`;

/** A repository as `git init` leaves it. */
const REPOSITORY = {
  ".git/HEAD": "ref: refs/heads/main\n",
  ".git/config": "[core]\n\trepositoryformatversion = 0\n\tbare = false\n",
  ".git/hooks/pre-commit.sample": "#!/bin/sh\n",
  ".git/objects/": "",
  ".git/refs/heads/": "",
};

/** An act that is refused, and one like it that is not. */
type Pair = readonly [no: readonly [Act, string], yes: readonly [Act, string]];

interface Golden {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  readonly profiles?: readonly string[];
  readonly mostBytes: number;
  readonly claims: readonly Pair[];
}

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

const GOLDENS: readonly Golden[] = [
  {
    name: "developer",
    files: {
      "cofferdam.yaml": `version: 1
sandbox:
  paths:
    app: { root: ., mode: rw, write_approval: false }
    docs: { root: ./docs, mode: ro }
  runtimes: [system, node, git]
`,
      ...REPOSITORY,
      ".vscode/settings.json": "{}",
      "docs/guide.md": "",
      "package.json": "{}",
      "src/a.ts": "",
    },
    mostBytes: 50 * 1024,
    claims: [
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
  },
  {
    name: "reader",
    files: {
      "cofferdam.yaml": `version: 1
sandbox:
  paths: { app: { root: ., mode: rw, write_approval: false } }
  os_profile: [read-only]
  runtimes: [system, git]
`,
      ...REPOSITORY,
      "src/a.ts": "",
    },
    mostBytes: 12 * 1024,
    claims: [
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
  },
  {
    name: "ci",
    files: {
      "cofferdam.yaml": `version: 1
sandbox:
  paths: { app: { root: ., mode: rw, write_approval: false } }
  runtimes: [system, node]
approval: { mode: strict }
`,
      ...REPOSITORY,
      "certs/server.key": "",
      "deploy/.env.production": "",
      "src/a.ts": "",
    },
    profiles: ["ci", "strict"],
    mostBytes: 54 * 1024,
    claims: [
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
  },
  {
    name: "data",
    files: {
      "cofferdam.yaml": `version: 1
sandbox:
  paths:
    data: { root: ./data, mode: ro }
    output: { root: ./output, mode: rw, write_approval: false }
  runtimes: [system, python]
  macos: [openmp]
`,
      "data/2025.csv": "",
      "output/": "",
      "notes.txt": "",
    },
    mostBytes: 50 * 1024,
    claims: [
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
  },
  {
    name: "hosts",
    files: {
      "cofferdam.yaml": `version: 1
sandbox:
  paths: { app: { root: ., mode: rw, write_approval: false } }
  runtimes: [system, node]
shell:
  network:
    hosts: [registry.npmjs.org, "*.npmjs.test:443"]
    ask: unlisted
`,
      "package.json": "{}",
    },
    mostBytes: 50 * 1024,
    claims: [
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
  },
  {
    name: "own-network",
    files: {
      "cofferdam.yaml": `version: 1
sandbox:
  paths: { app: { root: ., mode: rw, write_approval: false } }
  runtimes: [system, go]
  macos: [listen, tls, watch]
shell: { network: host }
`,
      "main.go": "",
    },
    mostBytes: 50 * 1024,
    claims: [
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
  },
];

describe.each(GOLDENS)("the rules of a $name", ({ name, files, profiles = [], mostBytes, claims }) => {
  const project = () => statedProject(files, profiles);

  test("are what the golden file says, whatever the order of the config's keys", async () => {
    const shown = await project().shown();
    await expect(shown).toMatchFileSnapshot(`seatbelt/${name}.sb`);
    const reversed = { ...files, "cofferdam.yaml": reversedKeys(files["cofferdam.yaml"] ?? "") };
    expect(await statedProject(reversed, profiles).shown()).toBe(shown);
  });

  test("are what the command prints below what it states", async () => {
    const [shown, { rules }] = [await project().shown(), await project().plan()];
    expect(shown.endsWith(`\n\n${rules.text}`)).toBe(true);
    expect(shown.slice(0, -rules.text.length)).toMatch(/^(; .+\n)+\n$/);
    expect(rules.text.length).toBeLessThan(mostBytes);
  });

  test("compile as they are printed, however they are read, and no lint finds anything", async () => {
    const shown = await project().shown();
    const params = CALL_PARAMETERS;
    const kinds = new Set(EVERY_READING.map((reading) => compile(shown, reading, { params }).kind));
    expect([[...kinds], wrongIn(shown)]).toEqual([["profile"], []]);
  });

  test("refuse what they must, and let pass what is like it", async () => {
    const ask = asked(await project().plan());
    const answered = [...ALWAYS, ...claims].map((pair) =>
      pair.map(([act, target]) => `${act} ${target}: ${ask(ACTS[act](target))}`),
    );
    const meant = [...ALWAYS, ...claims].map(([no, yes]) => [`${no.join(" ")}: no`, `${yes.join(" ")}: yes`]);
    expect(answered).toEqual(meant);
  });
});

test("an operator may hide a file of `/etc` by its usual name, and nothing that programs need to start", async () => {
  const hiding = (pattern: string) =>
    statedProject(
      {
        "cofferdam.yaml":
          "version: 1\nsandbox: { paths: { app: { root: ., mode: rw, write_approval: false } } }\n",
        "own.yaml": `profile: own\nmasks: [{ pattern: "${pattern}", at_most: none }]\n`,
      },
      ["own.yaml"],
    );
  const ask = asked(await hiding("/etc/hosts").plan());
  expect(["hosts", "services"].map((name) => ask(ACTS.read(`/private/etc/${name}`)))).toEqual(["no", "yes"]);
  await expect(hiding("/usr/lib").plan()).rejects.toThrow(/operator profiles cut off \/usr\/lib/);
});

/** The same YAML with the keys of each of its maps the other way round. */
function reversedKeys(yaml: string): string {
  return stringify(parse(yaml, (_, value: unknown) => (isMap(value) ? reversed(value) : value)));
}

function isMap(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function reversed(map: object): object {
  return Object.fromEntries(Object.entries(map).reverse());
}
