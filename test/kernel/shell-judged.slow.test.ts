import { copyFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ShellInput } from "../../src/index.ts";
import { printed } from "../support/approval/test-session.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";

sandboxMustWork("that what is judged is what runs");

const FREE = { default: { approval: false } };
/** It speaks wherever it can't be excluded, as an operator's does. */
const NO_RM = { pattern: "rm", allowed: false, doubt: "ask" };

describe.skipIf(unusable !== null)("what is judged is what runs", () => {
  let place: Place;
  let runtimes: readonly unknown[] = [];
  beforeEach(() => {
    place = new Place(CALLER);
    runtimes = ["system"];
    place.file("ws/victim", "v");
    place.folder("docs");
    place.file("docs/secret", "s");
  });
  afterEach(() => place[Symbol.dispose]());

  /** What an agent's calls come to: what they print, or why they don't run. */
  async function told(
    shell: Readonly<Record<string, unknown>>,
    ...inputs: readonly (string | ShellInput)[]
  ): Promise<readonly string[]> {
    const paths = {
      ws: { root: place.ws, mode: "rw", write_approval: false },
      docs: { root: join(place.top, "docs"), mode: "ro" },
    };
    await using supervisor = await place.supervisor({ shell, sandbox: { paths, runtimes } });
    await using session = supervisor.session();
    const found: string[] = [];
    for (const input of inputs)
      found.push(printed(await session.call("shell", typeof input === "string" ? { script: input } : input)));
    return found;
  }

  it("where a word or an operator goes on in the next line", async () => {
    const rules = [NO_RM, { pattern: "touch new", allowed: false }];
    const evaded = [
      "1\\\n2>/dev/null rm victim",
      "2\\\n>/dev/null rm victim",
      "touch &\\\n>/dev/null new",
      '$\\\n0 -c "rm victim"; :',
      ': ; "$\\\n0" -c "rm victim"',
    ];
    expect(await told({ ...FREE, rules }, ...evaded, "cat \\\nvictim; true")).toEqual([
      "APPROVAL_BLOCKED",
      "APPROVAL_BLOCKED",
      "APPROVAL_BLOCKED",
      "APPROVAL_DENIED",
      "APPROVAL_DENIED",
      "v",
    ]);
  });

  it("where digits are more than a descriptor has", async () => {
    symlinkSync("../docs/secret", join(place.ws, "2147483648"));
    const rules = [{ pattern: "cat", approval: false, sandbox_paths: ["ws"] }];
    const opened = ["</dev/null", "<<E\nE", "<<-E\nE", "<<<x"];
    const calls = opened.flatMap((one) => [`cat victim 2147483648${one}`, `cat victim 9${one}`]);
    expect(await told({ rules }, ...calls)).toEqual(opened.flatMap(() => ["APPROVAL_DENIED", "v"]));
  });

  it("where a path depends on who asks", async () => {
    symlinkSync("/proc/self/cwd", join(place.ws, "here"));
    const rules = [NO_RM];
    const programs = ["/proc/self/exe", "/proc/2/exe", "/dev/../proc/self/exe", "here/../exe"];
    const lines = programs.map((program) => `${program} -c "rm victim"; true`);
    expect(await told({ ...FREE, rules }, ...lines)).toEqual(lines.map(() => "APPROVAL_DENIED"));
    const inside = [{ pattern: "cat", approval: false, sandbox_paths: ["ws"] }];
    const cwd = join(place.top, "docs");
    const paths = ["/proc/self/cwd/secret", "/proc/thread-self/cwd/secret", `${place.ws}/here/secret`];
    const calls = [
      ...paths.map((path) => ({ argv: ["cat", path], cwd })),
      { argv: ["cat", `${place.ws}/victim`], cwd: place.ws },
    ];
    const before = process.cwd();
    process.chdir(place.ws);
    try {
      expect(await told({ rules: inside }, ...calls)).toEqual([...paths.map(() => "APPROVAL_DENIED"), "v"]);
    } finally {
      process.chdir(before);
    }
  });

  it("where a file is many programs, and the name tells which", async () => {
    place.folder("ws/tools/sub");
    place.file("ws/tools/busybox", '#!/bin/sh\necho "${0##*/} $*"\n', 0o755);
    for (const name of ["ls", "cat", "busyboxx"]) symlinkSync("busybox", join(place.ws, "tools", name));
    symlinkSync("tools/sub", join(place.ws, "l"));
    const rules = [NO_RM, { pattern: "./tools/cat", allowed: false }];
    const calls = [
      { argv: ["l/../ls", "rm"] },
      { argv: ["tools/busybox", "rm"] },
      { argv: ["tools/busyboxx", "rm"] },
      "l/../ls rm 2>&1",
      "l/../cat victim; true",
      "tools/../tools/cat victim; true",
    ];
    const [blocked] = ["APPROVAL_BLOCKED"];
    expect(await told({ ...FREE, rules }, ...calls)).toEqual([
      "ls rm",
      blocked,
      blocked,
      "ls rm",
      blocked,
      blocked,
    ]);
  });

  it("where a rule is a glob, and a link lies in its folder", async () => {
    place.folder("ws/tools");
    symlinkSync("/usr/bin/date", join(place.ws, "tools/d"));
    const rules = [{ pattern: "./tools/*", allowed: false }];
    expect(await told({ ...FREE, rules }, "tools/d", "tools/d; true", "/usr/bin/date +x")).toEqual([
      "APPROVAL_BLOCKED",
      "APPROVAL_BLOCKED",
      "x",
    ]);
  });

  it("where the line itself makes the program, or a link on the way to it", async () => {
    place.folder("ws/bin");
    symlinkSync("/usr/bin", join(place.ws, "lb"));
    const allow = ["cp", "ln", "./t", "/tmp/t", "./lb/date", "/usr/bin/date"];
    const rules = allow.map((pattern) => ({ pattern, approval: false }));
    const lines = [
      "cp /usr/bin/id t; ./t",
      "cp /usr/bin/id /tmp/t; /tmp/t",
      "cp /usr/bin/id bin/date; ln -sfn bin lb; ./lb/date",
      "cp /usr/bin/id bin/date; /usr/bin/date +x",
    ];
    expect(await told({ rules }, ...lines)).toEqual([...lines.slice(1).map(() => "APPROVAL_DENIED"), "x"]);
    copyFileSync("/usr/bin/id", join(place.ws, "real"));
    const many = Array.from({ length: 256 }, (_, index) => `./n${index}`).join(";");
    const any = [{ pattern: "./*", approval: false }];
    expect(await told({ rules: any }, `${many}; ./real`)).toEqual(["APPROVAL_DENIED"]);
  });

  it("where the line makes a program in a folder of the sandbox's own, whatever the host has there", async () => {
    const hosts = place.file("outside/t", "#!/bin/sh\necho of the host", 0o755);
    const granted = place.file("docs/t", "#!/bin/sh\necho granted", 0o755);
    const allow = ["mkdir", "cp", "true", hosts, granted, "./t"];
    const rules = allow.map((pattern) => ({ pattern, approval: false }));
    const made = `mkdir -p ${place.outside}; cp /usr/bin/id ${hosts}; ${hosts}`;
    // The folders above a root can be moved away there; from the folder that the call starts in none of them is passed.
    const near = { script: "true; ./t", cwd: join(place.top, "docs") };
    expect(await told({ rules }, made, `true; ${granted}`, near)).toEqual([
      ...["APPROVAL_DENIED", "APPROVAL_DENIED"],
      "granted",
    ]);
  });

  it("where the line makes a link to what is denied", async () => {
    const rules = [NO_RM];
    const lines = [
      "ln -s /usr/bin/rm x; ./x victim",
      "ln -s /usr/bin/rm /tmp/x; /tmp/x victim",
      "ln -s a b; true",
    ];
    expect(await told({ ...FREE, rules }, ...lines)).toEqual(["APPROVAL_DENIED", "APPROVAL_DENIED", ""]);
  });

  it("where the line makes a link to what is denied of a program that is there", async () => {
    place.file("ws/x", "#!/bin/sh\necho x", 0o755);
    place.folder("ws/d");
    place.file("ws/d/t", "#!/bin/sh\necho t", 0o755);
    place.folder("ws/e");
    symlinkSync("/usr/bin/rm", join(place.ws, "e/t"));
    const rules = [NO_RM];
    const lines = [
      "true; ln -sf /usr/bin/rm x; ./x victim",
      "./x; ln -sf /usr/bin/rm x",
      "mv d old; mv e d; d/t victim",
      "ln -sf /usr/bin/rm x | ./x victim",
      "ln -sf /usr/bin/rm x & ./x victim",
      "for i in 1 2; do ./x victim; ln -sf /usr/bin/rm x; done",
    ];
    const alone = ["./x 2>&1", "./x </dev/null >/dev/null; ", "d/t <<<x", "/usr/bin/true; ls victim"];
    expect(await told({ ...FREE, rules }, ...lines, ...alone)).toEqual([
      ...lines.map(() => "APPROVAL_DENIED"),
      ...["x", "", "t", "victim"],
    ]);
    // What is not there when it is judged may be anything when a shell looks for it; without one it is what it was.
    expect(await told({ ...FREE, rules }, "./gone 2>&1", "./gone")).toEqual(["APPROVAL_DENIED", "127"]);
    // Only the sandbox prevents an unrestricted agent from doing it.
    expect(await told(FREE, "true; ln -sf /usr/bin/id x; ./x -u | cat >/dev/null")).toEqual([""]);
  });

  it("where the line puts a program before another in the PATH inside", async () => {
    runtimes = [{ name: "tools", read: [place.folder("ws/tools")] }, "system"];
    place.file("ws/tools/mine", "#!/bin/sh\necho mine", 0o755);
    const rules = [NO_RM];
    const lines = ["true; ln -s /usr/bin/rm tools/ls; ls victim", "mine | cat"];
    const calls = [...lines, "ls victim", "mine", "/usr/bin/true; /usr/bin/ls victim"];
    expect(await told({ ...FREE, rules }, ...calls)).toEqual([
      ...lines.map(() => "APPROVAL_DENIED"),
      ...["victim", "mine", "victim"],
    ]);
    const allow = ["/usr/bin/cp", "fresh", "ls", "/usr/bin/true"].map((pattern) => ({
      pattern,
      approval: false,
    }));
    const made = ["fresh", "/usr/bin/true"].map(
      (program) => `/usr/bin/cp /usr/bin/id tools/fresh; ${program}`,
    );
    // One program is started without a shell, and nothing comes before it that could put another there.
    expect(await told({ rules: allow }, ...made, "ls victim")).toEqual(["APPROVAL_DENIED", "", "victim"]);
  });

  it("where a rule is a glob for names, and the program is called by a link to a link", async () => {
    place.folder("ws/links");
    symlinkSync("/usr/bin/true", join(place.ws, "links/pager"));
    symlinkSync("/usr/bin/true", join(place.ws, "links/other"));
    symlinkSync("links/pager", join(place.ws, "p"));
    symlinkSync("links", join(place.ws, "pages"));
    const rules = [{ pattern: "pag*", allowed: false }];
    expect(await told({ ...FREE, rules }, "./p", "./p; true", "./pages/other", "true")).toEqual([
      "APPROVAL_BLOCKED",
      "APPROVAL_BLOCKED",
      "",
      "",
    ]);
  });

  it("where bash reads what looks like a calculation once more, without its here-documents", async () => {
    const rules = [NO_RM];
    const evaded = ["((cat <<F\nrm victim\nF\n) | cat)", "! (((cat <<'F'\nrm victim\nF\n) ) )"];
    const lines = [...evaded, "( (cat <<F\nrm victim\nF\n) | cat)", "cat victim"];
    expect(await told({ ...FREE, rules }, ...lines)).toEqual([
      ...evaded.map(() => "APPROVAL_DENIED"),
      ...["rm victim", "v"],
    ]);
  });

  it("where bash drops the backslash at the end", async () => {
    symlinkSync("../docs/secret", join(place.ws, "s"));
    const rules = [NO_RM, { pattern: "cat", approval: false, sandbox_paths: ["ws"] }];
    const lines = [": '\n'; rm\\", ": '\n'; cat s\\", ": $'\n'; cat s\\", ": '\n'; cat victim"];
    expect(await told({ default: { approval: true }, rules }, ...lines)).toEqual([
      "APPROVAL_BLOCKED",
      ...["APPROVAL_DENIED", "APPROVAL_DENIED", "v"],
    ]);
  });

  it("where printf counts into a variable", async () => {
    place.folder("ws/0");
    symlinkSync("/usr/bin/rm", join(place.ws, "0/ls"));
    const rules = [NO_RM];
    const lines = [
      "printf %n PATH; ls victim",
      "printf '%s %-5ln' x PATH; ls victim",
      "printf '%s\n' x; ls victim",
    ];
    expect(await told({ ...FREE, rules }, ...lines)).toEqual([
      "APPROVAL_DENIED",
      "APPROVAL_DENIED",
      "x\nvictim",
    ]);
  });

  it("where the line swaps a folder on the way to a program", async () => {
    for (const folder of ["ws/r", "ws/r/1", "ws/r/1/2", "ws/r/1/2/3", "ws/r/1/2/3/4", "ws/sub", "ws/ok"])
      place.folder(folder);
    const up = "../".repeat(join(place.ws, "sub").split("/").length - 1);
    symlinkSync("r/1/2/3/4", join(place.ws, "trap"));
    const rules = [NO_RM];
    const lines = [
      `mv sub old; mv trap sub; sub/${up}usr/bin/ls victim`,
      `mkdir /run/x; /run/lock/../../usr/bin/ls victim`,
    ];
    expect(await told({ ...FREE, rules }, ...lines, `mv ok fine; /usr/bin/ls victim`)).toEqual([
      ...["APPROVAL_DENIED", "APPROVAL_DENIED"],
      "victim",
    ]);
    const made = place.folder("docs/bin");
    symlinkSync("/usr/bin/ls", join(made, "ls"));
    symlinkSync(made, join(place.ws, "../docs/l"));
    expect(await told({ ...FREE, rules }, "mkdir -p x; ../docs/l/ls victim", "../docs/l/ls victim")).toEqual([
      "APPROVAL_DENIED",
      "victim",
    ]);
  });

  it("where a file is named like an option", async () => {
    for (const name of ["-s", "--secret", "-sec"]) symlinkSync("../docs/secret", join(place.ws, name));
    place.file("ws/-own", "own");
    const rules = ["cat", "head", "ls", "file"].map((pattern) => ({
      pattern,
      approval: false,
      sandbox_paths: ["ws"],
    }));
    const evaded = [
      ["cat", "--", "-s"],
      ["cat", "--", "--secret"],
      ["head", "--", "-sec"],
      ["file", "-m", "-s:x"],
    ];
    const calls = [...evaded, ["cat", "--", "-own"], ["cat", "-A", "victim"]].map((argv) => ({ argv }));
    expect(await told({ rules }, ...calls)).toEqual([...evaded.map(() => "APPROVAL_DENIED"), "own", "v"]);
    // What a command without words is about is the folder that it starts in.
    const cwds = [{ argv: ["ls"], cwd: join(place.top, "docs") }, { argv: ["ls", "victim"] }];
    expect(await told({ rules }, ...cwds)).toEqual(["APPROVAL_DENIED", "victim"]);
  });

  it("where a line has more programs than are looked up: any of the others may be what is denied", async () => {
    const tools = place.folder("docs/tools");
    symlinkSync("/usr/bin/rm", join(tools, "del"));
    runtimes = [{ name: "tools", read: [tools] }, "system"];
    const rules = [NO_RM];
    const many = (length: number): string =>
      Array.from({ length }, (_, index) => `n${index} 2>/dev/null;`).join("");
    const lines = ["del victim", `${many(256)}del victim`];
    expect(await told({ ...FREE, rules }, ...lines)).toEqual(["APPROVAL_BLOCKED", "APPROVAL_BLOCKED"]);
    runtimes = ["system"];
    expect(await told({ ...FREE, rules }, `${many(255)}echo`)).toEqual([""]);
  });

  it("where braces make several words of one", async () => {
    const rules = [NO_RM];
    const evaded = [
      "find victim ''{},-exec} rm {} +; true",
      "find victim 'x'{},-exec} rm {} +",
      "find victim {$'}',-exec} rm",
    ];
    const lines = [...evaded, "echo '{},x' a{b}c {} {x} x,y | cat"];
    expect(await told({ ...FREE, rules }, ...lines)).toEqual([
      ...evaded.map(() => expect.stringMatching(/^APPROVAL_(DENIED|BLOCKED)$/)),
      "{},x a{b}c {} {x} x,y",
    ]);
    expect(
      await told({ rules: [{ pattern: "find", approval: false }] }, "find victim ''{},-delete}; find ."),
    ).toEqual(["APPROVAL_DENIED"]);
  });

  it("where the line moves away what a folder of PATH lies in", async () => {
    const tools = place.folder("docs/tools");
    runtimes = [{ name: "tools", read: [tools] }, "system"];
    const rules = [NO_RM];
    const move = `mv ${place.top} ${place.top}x; mkdir -p ${tools}; ln -s /usr/bin/rm ${tools}/cat; cat victim`;
    expect(await told({ ...FREE, rules }, move, "cat victim")).toEqual(["APPROVAL_DENIED", "v"]);
  });

  it("where the line begins like an option of bash", async () => {
    const [said] = await told({ ...FREE }, "+x 2>/dev/null; ls victim");
    expect(said).toBe("victim");
  });

  it("where an option names the folder that paths are meant from", async () => {
    place.folder("ws/a");
    place.file("ws/a/f", "f\n");
    place.folder("ws/e");
    symlinkSync("../../docs", join(place.ws, "a/e"));
    const rules = [{ pattern: "tar", approval: false, sandbox_paths: ["ws"] }];
    const lines = ["tar -cf - -Ca e/secret", "tar --directory a -cf - e/secret", "tar -cf - a/e/secret"];
    const words = [...lines, "tar -tf victim"].map((line) => ({ argv: line.split(" ") as [string] }));
    expect(await told({ rules }, ...words)).toEqual([...lines.map(() => "APPROVAL_DENIED"), ""]);
  });

  it("where a rule names one of several roots", async () => {
    const calls = [
      { argv: ["cat", "victim"] },
      { argv: ["cat", "secret"], cwd: join(place.top, "docs") },
      { argv: ["cat", join(place.top, "docs/secret")] },
    ];
    const inside = (root: string) => ({
      rules: [{ pattern: "cat", approval: false, sandbox_paths: [root] }],
    });
    expect(await told(inside("ws"), ...calls)).toEqual(["v", "APPROVAL_DENIED", "APPROVAL_DENIED"]);
    expect(await told(inside("docs"), ...calls)).toEqual(["APPROVAL_DENIED", "s", "APPROVAL_DENIED"]);
  });

  it("where the folder to start in is behind a link and out again", async () => {
    place.folder("ws/in/deep");
    symlinkSync("in/deep", join(place.ws, "dl"));
    const calls = ["dl/..", "dl", "in/.."].map((cwd) => ({ argv: ["pwd"], cwd }));
    const folders = ["/in", "/in/deep", ""].map((name) => `${place.ws}${name}`);
    expect(await told(FREE, ...calls)).toEqual(folders);
  });
});
