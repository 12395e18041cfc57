import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { closeSync, existsSync, openSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { trialScript } from "../../src/host/launch/trial-script.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { checkoutFor, PEOPLE } from "../support/battery/people.ts";
import { Place, type Start } from "../support/battery/place.ts";
import { commandLinesWith } from "../support/battery/processes.ts";
import { IN_A_TERMINAL, OPENS_TTY, PUSHES, takesPushes } from "../support/battery/terminal.ts";

sandboxMustWork("identity, environment and descriptors");

describe.skipIf(unusable !== null).each(PEOPLE)("as $name", (person) => {
  let place: Place;
  beforeEach(() => {
    place = new Place(person);
  });
  afterEach(() => place[Symbol.dispose]());

  /** What lines of shell print inside, each a call of its own. */
  async function inside(lines: readonly string[], start: Partial<Start> = {}): Promise<readonly string[]> {
    const calls = lines.map((line) => ({ argv: ["sh", "-c", line], ...start.job?.calls[0] }));
    const [made, ...replies] = await place.run({ ...start, job: { ...start.job, calls } });
    expect(made).toEqual({ kind: "made" });
    return replies.map((reply) => (reply.kind === "ran" ? reply.stdout : JSON.stringify(reply)));
  }

  describe("views", () => {
    const unique = `cofferdam-${randomBytes(8).toString("hex")}`;
    const places = ["/tmp", "/var/tmp", "/run", "/dev/shm", "$HOME"];

    it("fs.views: what is written to a private place is gone after the call, and no path of the host changed", async () => {
      const [first, second] = await inside([
        trialScript([...places, place.ws].map((folder) => `echo x > ${folder}/${unique}`)),
        trialScript([...places, place.ws].map((folder) => `[ -e ${folder}/${unique} ]`)),
      ]);
      expect([first, second]).toEqual(["y\n".repeat(6), `${"n\n".repeat(5)}y\n`]);
      const onHost = ["/tmp", "/var/tmp", "/run", "/dev/shm", "/tmp/home", place.ws].map((folder) =>
        existsSync(join(folder, unique)),
      );
      expect(onHost).toEqual([false, false, false, false, false, true]);
    });

    it("fs.views: a private place takes as much as it is sized for and no more", async () => {
      const write = (folder: string, size: string): string => `head -c ${size} /dev/zero > ${folder}/big`;
      const [small, large] = await inside(
        [
          trialScript([
            write("/tmp", "3M"),
            write("/dev/shm", "3M"),
            write("/run", "500K"),
            write(place.ws, "8M"),
          ]),
          trialScript([
            write("/tmp", "5M"),
            write("/dev/shm", "5M"),
            write("/run", "2M"),
            write("$HOME", "5M"),
          ]),
        ],
        { settings: { sandbox: { limits: { scratch: "4MiB" } } } },
      );
      expect([small, large]).toEqual(["y\n".repeat(4), "n\n".repeat(4)]);
    });
  });

  describe("environment", () => {
    const secret = randomBytes(12).toString("hex");
    const env = { COFFERDAM_TEST_SECRET: secret, SSH_AUTH_SOCK: "/x", LANG: "C.UTF-8", LC_ALL: "C" };
    const settings = { sandbox: { env: { set: { TOKEN: secret } } } };

    it("env: only planned names are visible, in /proc/1/environ too", async () => {
      const names = "cut -d= -f1 | sort | tr '\\n' ' '";
      const listOf = (pid: string): string =>
        `cat /proc/${pid}/environ > "$TMPDIR/list" && tr '\\0' '\\n' < "$TMPDIR/list" | ${names}; echo .`;
      const [own, first, value] = await inside([listOf("$$"), listOf("1"), `echo $LANG:$TOKEN`], {
        env,
        settings,
      });
      const planned = "HOME LANG LC_ALL LOGNAME PATH PWD SHELL TMPDIR TOKEN USER .\n";
      // What the start program is handed, of which nothing goes on to the program.
      const variables = ["cofferdam_word_0", "cofferdam_word_1", "cofferdam_word_2", "cofferdam_words"];
      expect([own, first]).toEqual([planned, planned.replace(" .", ` ${variables.join(" ")} .`)]);
      expect(value).toBe(`C.UTF-8:${secret}\n`);
      const plain = place.plainly(listOf("$$"), { ...env, TMPDIR: place.ws }).stdout;
      expect(plain).toBe("COFFERDAM_TEST_SECRET LANG LC_ALL PATH SSH_AUTH_SOCK TMPDIR .\n");
    });

    it("env: no value stands in any command line of the machine while the call runs", async () => {
      const argv = [
        "sh",
        "-c",
        `[ "$TOKEN" ] && : > ${place.ws}/ready; while [ ! -e ${place.ws}/go ]; do sleep 0.05; done`,
      ];
      const child = place.start({ job: { calls: [{ argv }] }, env, settings });
      const ended = once(child, "close");
      try {
        while (!existsSync(join(place.ws, "ready"))) await pause(20);
        expect(commandLinesWith(secret)).toHaveLength(0);
        const twin = spawn("/usr/bin/perl", ["-e", "sleep 60", secret], { stdio: "ignore" });
        await once(twin, "spawn");
        expect(commandLinesWith(secret)).toHaveLength(1);
        twin.kill("SIGKILL");
      } finally {
        place.file("ws/go", "");
        await ended;
      }
    });
  });

  it("fd: a descriptor that the supervisor inherited or opened cannot be used inside", async () => {
    place.file("outside/canary", "secret\n");
    const [folder, file] = [openSync(place.outside, "r"), openSync(join(place.outside, "canary"), "r")];
    const uses = [
      "grep secret /proc/self/fd/40/canary",
      "grep secret /dev/fd/40/canary",
      "cd /proc/self/fd/40 && grep secret canary",
      "grep secret <&41",
      "exec 3< /proc/self/fd/41; grep secret <&3",
    ];
    const inherits = new Map([
      [40, folder],
      [41, file],
    ]);
    try {
      const list = "for fd in /proc/[0-9]*/fd/*; do readlink $fd; done | grep -e ^/ -e ^socket: | sort -u";
      const [answers, seen] = await inside(
        [uses.map((line) => `( ${line} ) >/dev/null 2>&1 && echo y || echo n`).join("\n"), list],
        { inherits },
      );
      expect(answers).toBe("n\n".repeat(uses.length));
      expect(seen?.split("\n").filter((path) => !/^(\/dev\/null|\/proc\/.*|)$/.test(path))).toEqual([]);
      // Node hands on what it inherited above 16: a child of the same process has it.
      const { node } = checkoutFor(person);
      const plain = `require("child_process").spawnSync("/bin/sh", ["-c", ${JSON.stringify(uses.slice(0, 3).join(" && "))}], { stdio: "inherit" })`;
      const stdio = Array.from({ length: 42 }, (_, fd) => inherits.get(fd) ?? (fd === 1 ? "pipe" : "ignore"));
      const child = spawn(node, ["-e", plain], { ...person.runAs, stdio });
      const [[chunk]] = await Promise.all([once(child.stdout ?? child, "data"), once(child, "close")]);
      expect(String(chunk)).toMatch(/^secret/);
    } finally {
      closeSync(folder);
      closeSync(file);
    }
  });

  it("identity: host name, users and machine id are not the machine's", async () => {
    const names = "getent passwd | cut -d: -f1; getent group | cut -d: -f1";
    const lines = [
      "hostname; uname -n; cat /proc/sys/kernel/hostname",
      names,
      "cat /etc/hosts /etc/resolv.conf",
      "cat /etc/machine-id /etc/hostname /etc/shadow /var/lib/dbus/machine-id 2>/dev/null; ls /home /root 2>/dev/null",
    ];
    const [host, people, hosts, hidden] = await inside(lines);
    expect(host).toBe("cofferdam\n".repeat(3));
    const known = new Set(["root", "user", "nobody", "nogroup"]);
    expect(
      people
        ?.trim()
        .split("\n")
        .filter((name) => !known.has(name)),
    ).toEqual([]);
    expect(hosts).toBe(
      "127.0.0.1 localhost\n::1 localhost ip6-localhost\n127.0.1.1 cofferdam\n# no resolver inside\n",
    );
    expect(hidden).toBe("");
    const plain = place.plainly(`hostname; ${names}`).stdout.trim().split("\n");
    expect(plain[0]).toBe(hostname());
    expect(plain.slice(1).filter((name) => !known.has(name)).length).toBeGreaterThan(5);
  });

  it("tty: the caller's terminal is not handed on, cannot be opened, and takes nothing", async () => {
    const acts = [OPENS_TTY, PUSHES].map((line) => `( ${line} ) 2>/dev/null && echo y || echo n`).join("\n");
    const typed = place.file("typed", "");
    const start = { under: IN_A_TERMINAL, env: { TYPED: typed } };
    const argv = ["sh", "-c", `[ -t 0 ] || [ -t 1 ] || [ -t 2 ] || echo none; ${acts}`];
    const [, reply] = await place.run({ ...start, job: { calls: [{ argv, stdin: "inherit" }] } });
    expect(reply).toMatchObject({ kind: "ran", stdout: "none\nn\nn\n" });
    expect(place.read("typed")).toBe("");
    const [perl = "", ...words] = IN_A_TERMINAL;
    const twin = place.plainly(`exec ${perl} -e "$TERMINAL" /bin/sh -c "$ACTS"`, {
      TERMINAL: words[1] ?? "",
      ACTS: acts,
      TYPED: typed,
    });
    const isPushed = takesPushes() || person.uid === 0;
    expect(twin.stdout).toBe(`y\n${isPushed ? "y" : "n"}\n`);
    expect(place.read("typed")).toBe(isPushed ? "x" : "");
  });
});
