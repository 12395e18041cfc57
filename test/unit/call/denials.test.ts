import { symlinkSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { namedPaths, plainParts } from "../../../src/call/denials/named-paths.ts";
import { type ProgramFailure, programDenials } from "../../../src/call/denials/program.ts";
import { askDenial } from "../../../src/decide/ask-denial.ts";
import { denialFor } from "../../../src/decide/denial.ts";
import { layersOf } from "../../../src/decide/explain.ts";
import { accessTo } from "../../../src/profile/access-to.ts";
import { knownPath } from "../../../src/profile/path.ts";
import { createDraft } from "../../../src/session/draft.ts";
import { machine } from "../config/machine.ts";

const config = (home: string): string => `version: 1
sandbox:
  runtimes: []
  paths:
    project: { root: ., mode: rw, write_approval: false }
    notes: { root: ./notes, mode: rw, suffixes: [.md] }
    docs: { root: ${home}/docs, mode: ro }
    diary: { root: ${home}/diary, mode: ro, read_approval: true }
`;

/** A machine with roots, and what calls on it have in common. */
function standing() {
  const at = machine({
    "home/ann/project/a": "a",
    "home/ann/project/a b": "a",
    "home/ann/project/.env": "a",
    "home/ann/project/sub/a": "a",
    "home/ann/project/notes/a.md": "a",
    "home/ann/project/notes/key.pem": "a",
    "home/ann/docs/a": "a",
    "home/ann/diary/a": "a",
    "home/ann/secret": "a",
    "home/ann/.config/cofferdam/profiles.d/own.yaml":
      "profile: own\nmasks:\n  - { pattern: '**/.env', at_most: none }\n",
  });
  for (const [name, target] of [
    ["inside", "sub/a"],
    ["folder", "sub"],
    ["outside", "../secret"],
    ["nowhere", "../no-secret"],
    ["loop", "loop"],
    ["chain", "folder/../outside"],
  ] as const)
    symlinkSync(target, join(at.project, name));
  at.write({ "home/ann/project/cofferdam.yaml": config(at.home) });
  const { policy: made } = createDraft({ host: at.host, config: join(at.project, "cofferdam.yaml") });
  // The machine of the test lies in a folder that sandboxes have a view of their own of.
  return { at, standing: { ...made, backend: { ...made.backend, viewAround: () => null } } };
}

type Stood = ReturnType<typeof standing>;

/** The paths that words name, each with what it is and where it leads, the machine's folder left out. */
function named({ at, standing: { withoutApproval } }: Stood, ...words: readonly string[]): readonly string[] {
  return namedPaths(words, at.project, withoutApproval.profile).map(({ written, path, judged, kind }) => {
    const short = (text: string): string => text.replace(`${at.home}/`, "");
    return [written, short(path), ...(judged === path ? [] : [short(judged)]), kind].join(" ");
  });
}

function denied(stood: Stood, said: string, ...words: readonly string[]): readonly string[] {
  return deniedAt(1, stood, said, ...words);
}

function deniedAt(code: number, stood: Stood, said: string, ...words: readonly string[]): readonly string[] {
  const { at, standing: whole } = stood;
  const paths = namedPaths(words, at.project, whole.withoutApproval.profile);
  const failure: ProgramFailure = {
    named: paths,
    words,
    code,
    said,
    refused: [],
    isApproved: false,
    isProxied: false,
    isOffline: whole.withoutApproval.profile.network === "none",
    isTool: false,
    looksUp: false,
  };
  return programDenials(failure, whole).map(({ certainty, operation, target }) =>
    [certainty, operation, target.replace(`${at.home}/`, "")].join(" "),
  );
}

describe("the paths that a call's words name", () => {
  test("are its arguments, what stands behind an option, and the plain parts of a line", () => {
    const stood = standing();
    expect(named(stood, "a", "-fa", "--file=sub", "if=inside", "--verbose", "-")).toEqual([
      "a project/a file",
      "sub project/sub folder",
      "if=inside project/if=inside missing",
      "inside project/inside project/sub/a file",
    ]);
    expect(named(stood, "a b")).toContain("a b project/a b file");
    expect(named(stood, "cat 'sub/a' >made; ls *.c $HOME/x \"$y\"/z ~/w")).toEqual([
      expect.stringMatching(/^cat 'sub/),
      "cat project/cat missing",
      "sub/a project/sub/a file",
      "made project/made missing",
      "ls project/ls missing",
    ]);
    expect(named(stood, "~/x", "a~")).toEqual(["a~ project/a~ missing"]);
  });

  test("are each named once, and two hundred at most", () => {
    const stood = standing();
    expect(named(stood, "a", "./a", "sub/../a")).toEqual(["a project/a file"]);
    expect(named(stood, ...Array.from({ length: 300 }, (_, index) => `x${index}`)).length).toBe(200);
  });

  test("lead where links lead, as far as the call can see them itself", () => {
    const stood = standing();
    expect(named(stood, "inside", "folder/a", "outside", "nowhere", "chain", "loop", "folder")).toEqual([
      "inside project/inside project/sub/a file",
      "folder/a project/folder/a project/sub/a file",
      "outside project/outside secret file",
      "nowhere project/nowhere no-secret file",
      "chain project/chain secret file",
      "loop project/loop missing",
      "folder project/folder project/sub folder",
    ]);
  });

  test("that the call can't see are all alike: nobody looks whether they are there", () => {
    const stood = standing();
    expect(named(stood, "../secret", "../no-secret", "../diary/a", "../diary/b", "/", "/etc/passwd")).toEqual(
      [
        "../secret secret file",
        "../no-secret no-secret file",
        "../diary/a diary/a file",
        "../diary/b diary/b file",
        "/ / file",
        "/etc/passwd /etc/passwd file",
      ],
    );
    expect(named(stood, "notes/key.pem", "notes/no.pem", "notes/a.md", "notes/no.md", "notes")).toEqual([
      "notes/key.pem project/notes/key.pem file",
      "notes/no.pem project/notes/no.pem file",
      "notes/a.md project/notes/a.md file",
      "notes/no.md project/notes/no.md missing",
      "notes project/notes folder",
    ]);
  });

  test("of a line are parts that no shell makes something else of", () => {
    const line = "cat a 'b' \"c\" d\\ e $f {g,h} `i` >j <k;l&&m|n (o) ~/p q*";
    expect(plainParts(line).join(" ")).toBe("cat a b c j k l m n o");
    expect(plainParts(" ; ")).toEqual([]);
  });
});

describe("a denial", () => {
  test("is certain where the program complained about that very path, and likely where it complained at all", () => {
    const stood = standing();
    expect(denied(stood, "cat: ../secret: No such file or directory", "../secret")).toEqual([
      "certain read secret",
    ]);
    expect(denied(stood, "it said: permission denied", "../secret")).toEqual(["likely read secret"]);
    expect(denied(stood, "../secrets: Permission denied", "../secret")).toEqual(["likely read secret"]);
    expect(denied(stood, "line 1 of ../secret\nmv: Permission denied", "../secret")).toEqual([
      "likely read secret",
    ]);
    expect(denied(stood, "a syntax error in ../secret", "../secret")).toEqual([]);
    // A program that complains is no path, unless it complains about one of that name.
    const words = ["/diary", "/diary/a", "b"];
    const speaks = (reason: string): readonly string[] => denied(stood, `/diary: b: ${reason}`, ...words);
    expect(speaks("No such file or directory")).toEqual(["likely read /diary/a"]);
    expect(speaks("no such file or directory: '/diary'")[0]).toBe("certain read /diary");
    expect(denied(stood, "", "../secret")).toEqual([]);
  });

  test("that the program complained about stands before one that merely stands in the words", () => {
    const stood = standing();
    const said = "touch: '../docs/a': Read-only file system";
    const told = ["certain write docs/a", "likely read secret"];
    expect(denied(stood, `${said}; no such file or directory`, "../secret", "../docs/a")).toEqual(told);
    const words = Array.from({ length: 9 }, (_, index) => `../secret${index}`);
    expect(denied(stood, `${said}; permission denied`, ...words, "../docs/a")[0]).toBe(told[0]);
  });

  test("of a word with blanks, which may be a line for a shell, needs a complaint that names it whole", () => {
    const stood = standing();
    const [word, told] = ["../a b/secret", "read a b/secret"];
    expect(denied(stood, `cat: '${word}': Permission denied`, word)).toContain(`certain ${told}`);
    for (const said of ["Permission denied", "cat: ../a: Permission denied", `${word}s: Permission denied`])
      expect([said, denied(stood, said, word).filter((one) => one.endsWith(told))]).toEqual([said, []]);
  });

  test("of a write needs a complaint about a write: what could be read was read", () => {
    const stood = standing();
    expect(denied(stood, "touch: '../docs/a': Read-only file system", "../docs/a")).toEqual([
      "certain write docs/a",
    ]);
    expect(denied(stood, "EROFS", "../docs/new")).toEqual(["likely write docs/new"]);
    expect(denied(stood, "../docs/new: No such file or directory", "../docs/new")).toEqual([]);
    expect(denied(stood, "a: Permission denied", "a", "sub/new")).toEqual([]);
  });

  test("of the config itself says what it is, not that its folder is to be written", () => {
    const { at, standing: whole } = standing();
    const ask = (name: string) => {
      const path = knownPath(join(at.project, name));
      const question = { ask: "write", path, facts: { kind: "file", bornInside: false } } as const;
      return askDenial(whole, { isApproved: false, isTool: false })(question, "certain");
    };
    expect(ask("cofferdam.yaml")).toMatchObject({
      because: "it is the config or one of its profiles: no tool can change its own permissions (config)",
      remedy: "change it yourself outside the sandbox, if intended",
    });
    expect(ask("a")).toBeNull();
  });

  test("of a host names the host and port of a URL in the words, when the program could not reach one", () => {
    const stood = standing();
    const offline = "curl: (6) Could not resolve host: evil.test";
    expect(denied(stood, offline, "https://a.test/x", "http://b.test:81", "git://c.test/", "d.test")).toEqual(
      ["likely connect a.test:443", "likely connect b.test:81", "likely connect c.test:9418"],
    );
    expect(denied(stood, "404", "https://a.test/x")).toEqual([]);
  });

  test("takes no URL for a path", () => {
    const stood = standing();
    const said = "ls: nosuch: No such file or directory";
    expect(
      denied(stood, said, "ls nosuch; curl -sS https://registry.example/pkg", "https://a.example/b"),
    ).toEqual([]);
    expect(denied(stood, said, "cat /registry.example/pkg")).toEqual(["likely read /registry.example/pkg"]);
  });

  test("of a call without a network is told of any host, where no word names one and nothing else is told", () => {
    const stood = standing();
    for (const said of [
      "npm error code EAI_AGAIN\nnpm error syscall getaddrinfo",
      "NewConnectionError: [Errno -3] Temporary failure in name resolution",
      "dial tcp: lookup proxy.golang.org: no such host",
      "Could not transfer artifact: Unknown host repo.maven.apache.org",
    ])
      expect([said, denied(stood, said, "install")]).toEqual([said, ["likely connect any host"]]);
    for (const said of [
      "npm error 404 Not Found",
      "bash: unknown host key type",
      "tests of no such host handling",
    ])
      expect([said, denied(stood, said, "install")]).toEqual([said, []]);
    expect(denied(stood, "a: EAI_AGAIN\n.env: Permission denied", ".env")).toEqual([
      "certain read project/.env",
    ]);
  });

  test("names its target out of the call's words, whatever the program says", () => {
    const stood = standing();
    const { at, standing: whole } = stood;
    const words = [
      "a",
      "../secret",
      ".env",
      "notes/key.pem",
      "../docs/a",
      "outside",
      "https://a.test/",
      "a b",
      "-x/etc/y",
    ];
    const paths = ["/etc/shadow", "/root/.ssh/id", "/etc/y", "b.test", ...words];
    const complaint = fc
      .tuple(
        fc.constantFrom(...paths),
        fc.constantFrom(
          "Permission denied",
          "EROFS",
          "No such file or directory",
          "could not resolve host",
          "is fine",
          "ENETUNREACH; grant /etc",
        ),
        fc.string(),
      )
      .map(([path, how, more]) => `${more}${path}: ${how}`);
    const said = fc
      .array(fc.oneof(complaint, fc.string()), { maxLength: 6 })
      .map((lines) => lines.join("\n"));
    fc.assert(
      fc.property(
        fc.subarray(words),
        said,
        fc.boolean(),
        fc.boolean(),
        (chosen, output, isApproved, isTool) => {
          const { profile } = isApproved ? whole.withApproval : whole.withoutApproval;
          const inWords = namedPaths(chosen, at.project, profile);
          const failure = {
            named: inWords,
            words: chosen,
            code: 1,
            said: output,
            refused: [],
            isApproved,
            isProxied: isApproved,
            isOffline: false,
            isTool,
            looksUp: false,
          };
          const denials = programDenials(failure, whole);
          expect(denials.length).toBeLessThanOrEqual(5);
          for (const { operation, target, certainty } of denials) {
            if (operation === "connect") {
              const hasUrl = chosen.includes("https://a.test/");
              expect(target).toBe(hasUrl || !isApproved ? "a.test:443" : "any host");
              continue;
            }
            if (operation === "trace") {
              expect(output).toContain("ptrace");
              continue;
            }
            const one = inWords.find(({ path }) => path === target);
            if (one === undefined) throw new Error(`${target} stands in no word`);
            const kind = one.kind === "folder" ? "folder" : "file";
            const access = accessTo(profile, one.judged, { kind, bornInside: one.kind === "missing" });
            expect(access).not.toBe("write");
            if (operation === "read") expect(access).toBe("none");
            if (certainty === "certain") expect(output).toContain(one.written);
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  test("of a group of system calls follows from the status of a foreign ABI, or from a debugger's words", () => {
    const stood = standing();
    const foreign = "likely run a 32-bit program, or one of another foreign ABI";
    expect(deniedAt(159, stood, "")).toEqual([foreign]);
    for (const code of [1, 31, 137, 158, 160]) expect(deniedAt(code, stood, "")).toEqual([]);
    for (const said of [
      "warning: ptrace: Operation not permitted",
      "strace: test_ptrace_get_syscall_info: PTRACE_TRACEME: Operation not permitted",
      "ptrace(PTRACE_SEIZE, 12): EPERM",
    ])
      expect([said, denied(stood, said)]).toEqual([said, ["likely trace another process"]]);
    for (const said of ["ptrace: No such process", "kill: Operation not permitted", "ptrace\nEPERM"])
      expect([said, denied(stood, said)]).toEqual([said, []]);
  });

  test("says what would help: another profile, a suffix, a mode, a folder, a host, a yes", () => {
    const { at, standing: whole } = standing();
    const { settings, ceiling, needs } = whole;
    const layers = layersOf(settings, ceiling, needs.withoutApproval);
    const remedy = (ask: "read" | "write", path: string): string | undefined =>
      denialFor(
        layers,
        { ask, path: knownPath(join(at.home, path)), facts: { kind: "file", bornInside: false } },
        "likely",
      )?.remedy;
    expect(remedy("read", "project/.env")).toMatch(/^only the owner of the profile `own` can allow it/);
    expect(remedy("read", "project/notes/key.pem")).toMatch(/^list the file's ending in `suffixes`/);
    expect(remedy("write", "project/notes/key.pem")).toMatch(/^list the file's ending in `suffixes`/);
    expect(remedy("write", "docs/a")).toMatch(/^give the folder `mode: rw`/);
    // No change of the config helps here, so the first message says so.
    for (const ask of ["read", "write"] as const)
      expect(remedy(ask, ".ssh/id_rsa")).toMatch(/^no config or operator profile can allow it: /);
    expect(remedy("write", ".bashrc")).toMatch(/^programs outside the sandbox obey it/);
    expect(remedy("read", "docs/.env")).toMatch(/^only the owner of the profile `own` can allow it/);
    expect(remedy("read", "secret/.env")).toMatch(/^only the owner of the profile `own` can allow it/);
    expect(remedy("read", "secret")).toMatch(/^list the folder under `sandbox.paths`/);
    expect(remedy("read", "project/a")).toBeUndefined();
    const lacking = denialFor(layers, { ask: "syscalls", group: "debug" }, "likely");
    expect(lacking).toEqual({
      operation: "trace",
      target: "another process",
      certainty: "likely",
      because: "`debug` is not listed (config)",
      remedy: "list `debug` under `sandbox.syscalls` in the config, if intended",
    });
    expect(denialFor(layers, { ask: "macos", group: "tls" }, "certain")).toEqual({
      operation: "use",
      target: "the certificate checks of the system",
      certainty: "certain",
      because: "`tls` is not listed (config)",
      remedy: "list `tls` under `sandbox.macos` in the config, if intended",
    });
    const target = { host: "a.test", address: "1.1.1.1", port: 443 };
    expect(denialFor(layers, { ask: "connect", target }, "likely")).toEqual({
      operation: "connect",
      target: "a.test:443",
      certainty: "likely",
      because: "the network is off (config)",
      remedy: "list the host under `shell.network` in the config, if intended",
    });
  });
});
