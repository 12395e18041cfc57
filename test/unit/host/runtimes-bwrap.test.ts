import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, realpathSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { thisHost } from "../../../src/host/look/host.ts";
import { detectRuntimes, findRuntimes } from "../../../src/host/look/runtimes.ts";
import type { Runtime } from "../../../src/tool/facts.ts";
import { freshTrees } from "./runtimes-tree.ts";

const tree = freshTrees();

const BWRAP = ["/usr/bin/bwrap", "/bin/bwrap"].find((path) => existsSync(path));
const SANDBOX =
  "--unshare-all --cap-drop ALL --die-with-parent --clearenv --dev /dev --proc /proc --tmpfs /tmp --chdir /tmp".split(
    " ",
  );

const unusable = whyUnusable();
if (unusable !== undefined) console.warn(`the runtimes are not tried in a sandbox: ${unusable}`);

test.runIf(process.env["COFFERDAM_SANDBOX_MUST_WORK"] === "1")("a sandbox works where it must", () => {
  expect(unusable).toBeUndefined();
});

const SYSTEM = findRuntimes(thisHost(), ["system"], []);

describe.runIf(unusable === undefined)("in a sandbox with the system's grant alone", () => {
  const programs: readonly (readonly [program: string, line: string, says: RegExp])[] = [
    ["/usr/bin/ls", "ls /usr/bin", /\bls\b/],
    ["/usr/bin/git", "git --version", /^git version/],
    [
      "/usr/bin/python3",
      'python3 -c "import ssl, json, zoneinfo; print(len(ssl.create_default_context().get_ca_certs()) > 0)"',
      /^(True|False)/,
    ],
    ["/usr/bin/perl", "perl -MIO::Socket -e 'print getservbyname(qw(http tcp)) ? 1 : 0'", /^1/],
    [
      "/usr/bin/gcc",
      "printf 'int puts(const char*); int main(){puts(\"hello\");}' > a.c && gcc a.c -o a && ./a",
      /^hello/,
    ],
    ["/usr/bin/make", "printf 'all:\\n\\t@echo made\\n' > Makefile && make", /^made/],
    ["/usr/bin/awk", "awk 'BEGIN { print 6 * 7 }'", /^42/],
    ["/usr/bin/java", "java -version", /version/],
    [
      "/usr/bin/openssl",
      "openssl req -x509 -newkey rsa:2048 -nodes -keyout k -out c -subj /CN=x && cat c",
      /BEGIN CERTIFICATE/,
    ],
  ];

  for (const [program, line, says] of programs) {
    const isHere = existsSync(program);
    if (!isHere) console.warn(`not tried in a sandbox, because it is not installed: ${program}`);
    test.runIf(isHere)(`${line}`, () => {
      const { status, output } = run(SYSTEM, line);
      expect(output).toMatch(says);
      expect(status).toBe(0);
    });
  }

  test("every link leads to where it leads outside", () => {
    const links = SYSTEM.flatMap((runtime) => runtime.links.map(({ path }) => path));
    const { output } = run(SYSTEM, `readlink -f ${links.join(" ")}`);
    expect(output.trim().split("\n")).toEqual(links.map((path) => realpathSync(path)));
  });

  test("nothing of /etc is seen but what was granted", () => {
    const granted = SYSTEM.flatMap(({ read, links }) => [...read, ...links.map(({ path }) => path)]);
    const { output } = run(SYSTEM, "ls -A /etc");
    const names = output.trim().split("\n");
    expect(
      names.filter(
        (name) => !granted.some((path) => path === `/etc/${name}` || path.startsWith(`/etc/${name}/`)),
      ),
    ).toEqual([]);
    expect(names.length).toBeLessThan(readdirSync("/etc").length);
    expect(run(SYSTEM, "cat /etc/shadow /etc/machine-id /etc/ssl/private/*").status).not.toBe(0);
  });

  test("the entries are few, because each is a mount at every launch", () => {
    const read = SYSTEM.flatMap((runtime) => runtime.read);
    expect(read.length).toBeLessThanOrEqual(20);
  });
});

describe.runIf(unusable === undefined)("in a sandbox with what a machine without config gets", () => {
  const host = thisHost();
  const versions: Readonly<Record<string, string>> = {
    node: "node -e 'console.log(1)'",
    python: "python3 -c 'import json; print(1)'",
    rust: "rustc --version && cargo --version",
    go: "go version",
    git: "git --version",
  };
  for (const name of unusable === undefined ? detectRuntimes(host, []) : []) {
    const line = versions[name];
    if (line === undefined) continue;
    test(`${name} starts`, () => {
      const result = run(findRuntimes(host, [name, "system"], []), line);
      expect(result).toMatchObject({ status: 0 });
    });
  }

  test.runIf(existsSync("/usr/bin/git"))("git knows who commits and nothing else of the caller", () => {
    tree().add({
      "home/me/.gitconfig": "[user]\nname = Ada King\nemail = ada@host\n[credential]\nhelper = store\n",
    });
    const runtimes = findRuntimes(tree().host({}, ["/usr/bin"]), ["git", "system"], []);
    const given = runtimes
      .flatMap(({ files = [] }) => files)
      .map(({ name, text }) => `cat > "$HOME/${name}" <<'END'\n${text}\nEND\n`);
    const result = run(runtimes, `export HOME=/tmp\n${given.join("")}git config --list --show-scope`);
    expect(result.output.trim().split("\n")).toEqual([
      "global\tuser.name=Ada King",
      "global\tuser.email=ada@host",
    ]);
  });

  test.runIf(hasVenv())("a virtual environment finds its packages", () => {
    const venv = tree().at("work/.venv");
    const made = spawnSync("/usr/bin/python3", ["-m", "venv", "--without-pip", venv], { encoding: "utf8" });
    expect(made.stderr).toBe("");
    const runtimes = findRuntimes(tree().host({}, ["work/.venv/bin", "/usr/bin"]), ["python", "system"], []);
    const { output } = run(runtimes, 'python3 -c "import sys, json; print(sys.prefix)"');
    expect(output.trim()).toBe(venv);
  });
});

function hasVenv(): boolean {
  if (unusable !== undefined || !existsSync("/usr/bin/python3")) return false;
  const has = spawnSync("/usr/bin/python3", ["-c", "import venv"]).status === 0;
  if (!has) console.warn("virtual environments are not tried: this Python has no venv");
  return has;
}

interface Result {
  readonly status: number | null;
  readonly output: string;
}

/** Runs the line in a sandbox in which nothing of the machine stands but what the runtimes grant. */
function run(runtimes: readonly Runtime[], line: string): Result {
  const path = runtimes.flatMap((runtime) => runtime.path).join(":");
  const env = [
    ["PATH", path] as const,
    ["HOME", "/tmp"] as const,
    ...runtimes.flatMap((runtime) => Object.entries(runtime.env)),
  ];
  const args = [
    ...SANDBOX,
    ...runtimes.flatMap(({ links }) => links.flatMap((link) => ["--symlink", link.target, link.path])),
    ...runtimes.flatMap(({ read }) => read.flatMap((each) => ["--ro-bind", each, each])),
    ...env.flatMap(([name, value]) => ["--setenv", name, value]),
    "--",
    "sh",
    "-c",
    line,
  ];
  const { status, stdout, stderr } = spawnSync(BWRAP ?? "bwrap", args, { encoding: "utf8" });
  return { status, output: stdout + stderr };
}

function whyUnusable(): string | undefined {
  if (BWRAP === undefined) return "bwrap is not installed";
  const probe = spawnSync(BWRAP, ["--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "true"], {
    encoding: "utf8",
  });
  return probe.status === 0 ? undefined : `bwrap failed: ${probe.stderr.trim()}`;
}
