import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { saidBy } from "../support/battery/command.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { PEOPLE } from "../support/battery/people.ts";
import { Place, type Start } from "../support/battery/place.ts";

sandboxMustWork("hostile environments");

const PERL = "/usr/bin/perl";

/** What programs obey, and names and values that readers of environments stumble over. */
const HOSTILE: Readonly<Record<string, string>> = {
  "BASH_FUNC_ls%%": "() { echo taken; }",
  "BASH_FUNC_echo()": "() { printf taken; }",
  ...{ LD_PRELOAD: "/no/such.so", LD_AUDIT: "/no/such.so", LD_LIBRARY_PATH: "/no/such" },
  ...{
    NODE_OPTIONS: "--require /no/such.js",
    PYTHONSTARTUP: "/no/such.py",
    PERL5OPT: "-Mno_such",
    RUBYOPT: "-rno",
  },
  ...{ GIT_SSH_COMMAND: "echo taken", GIT_EXEC_PATH: "/no/such", GIT_DIR: "/no/such", GIT_CONFIG_COUNT: "1" },
  ...{
    SHELLOPTS: "xtrace:noexec",
    BASHOPTS: "extdebug",
    PS4: "$(echo taken >&2)",
    IFS: "t",
    ENV: "/no/such",
  },
  ...{ BASH_ENV: "/no/such", PROMPT_COMMAND: "echo taken", CDPATH: "/", POSIXLY_CORRECT: "1" },
  ...{
    PAGER: "echo taken",
    EDITOR: "echo taken",
    TAR_OPTIONS: "--checkpoint-action=exec=x",
    LESSOPEN: "|echo taken",
  },
  ...{
    JAVA_TOOL_OPTIONS: "-javaagent:/no/such.jar",
    _JAVA_OPTIONS: "-x",
    DOTNET_STARTUP_HOOKS: "/no/such.dll",
  },
};
/** These do nothing but stand there. */
const HARMLESS: Readonly<Record<string, string>> = {
  GREETING: "first\nLD_PRELOAD=/no/such.so\n",
  "with blank": "=\u{1b}[2J=",
  "new\nline": "%s%n${HOME}`id`",
  EMPTY: "",
};

/** Every variable that any process inside has. */
const LISTS = `for one in /proc/[0-9]*/environ; do tr '\\0' '\\1' < $one; done | tr '\\1\\n' '\\n\\2' | sort -u`;

describe.skipIf(unusable !== null).each(PEOPLE)("as $name", (person) => {
  let place: Place;
  beforeEach(() => {
    place = new Place(person);
  });
  afterEach(() => place[Symbol.dispose]());

  async function seenInside(start: Omit<Start, "job">, line = LISTS): Promise<readonly string[]> {
    const [, reply] = await place.run({ ...start, job: { calls: [{ argv: ["/bin/sh", "-c", line] }] } });
    if (reply?.kind !== "ran") throw new Error(JSON.stringify(reply));
    expect([reply.stderr, reply.code]).toEqual(["", 0]);
    return reply.stdout.split("\n").filter((one) => one !== "");
  }

  // The last are the start program's, of the program's words, and not the caller's.
  const OURS = /^(HOME|LOGNAME|PATH|PWD|SHELL|TMPDIR|USER|_|OLDPWD|cofferdam_words|cofferdam_word_\d+)=/;
  // The supervisor's own Node and its loader obey these.
  const { NODE_OPTIONS: _node, LD_PRELOAD: _preload, LD_AUDIT: _audit, ...hostile } = HOSTILE;

  it("env: nothing of the caller's is seen by any process inside unless it is listed; by its own name it is, to the byte", async () => {
    const env = { ...hostile, ...HARMLESS };
    expect((await seenInside({ env })).filter((one) => !OURS.test(one))).toEqual([]);
    const passed = await seenInside({
      env,
      settings: { sandbox: { env: { pass: ["GREETING", "EMPTY", "TAR_OPTIONS"] } } },
    });
    expect(passed.filter((one) => !OURS.test(one)).toSorted()).toEqual([
      "EMPTY=",
      "GREETING=first\u{2}LD_PRELOAD=/no/such.so\u{2}",
      "TAR_OPTIONS=--checkpoint-action=exec=x",
    ]);
    const plain = place.plainly(LISTS.replace("[0-9]*", "self"), env).stdout;
    expect(plain).toContain("BASH_FUNC_ls%%=");
  });

  it("env: the start program's own names reach no program, whoever lists them", async () => {
    const env = {
      cofferdam_words: "7",
      cofferdam_word_0: "echo",
      cofferdam_word_9: "taken",
      cofferdam_mode: "x",
    };
    const pass = ["*", ...Object.keys(env)];
    const seen = await seenInside({ env, settings: { sandbox: { env: { pass } } } }, "env");
    expect(seen.filter((one) => one.startsWith("cofferdam"))).toEqual([]);
  });

  it("env: `*` passes what does nothing, and nothing that programs obey, the shell in the start program first of all", async () => {
    const seen = await seenInside({
      env: { ...hostile, ...HARMLESS },
      settings: { sandbox: { env: { pass: ["*"] } } },
    });
    const names = seen.map((one) => one.split("=", 1)[0] ?? "");
    expect(names.filter((name) => Object.hasOwn(HOSTILE, name))).toEqual([]);
    expect(names).toEqual(expect.arrayContaining(["EMPTY", "GREETING", "new\u{2}line", "with blank"]));
    const bash = await seenInside(
      { env: hostile, settings: { sandbox: { env: { pass: ["*"] } } } },
      "bash -c 'type -t ls; echo $-'",
    );
    expect(bash).toEqual(["file", expect.not.stringContaining("x")]);
  });

  it("env: no secret is in the arguments of any process of the machine, nor in the variables of one outside the sandbox, at any instant", {
    timeout: 60_000,
  }, async () => {
    const secret = `secret-${randomBytes(16).toString("hex")}`;
    const watching = spyOn(secret);
    const [made, ...replies] = await place.run({
      env: { PASSED: secret },
      under: ["/bin/sh", "-c", `printf ${secret.slice(0, 8)}%s ${secret.slice(8)} | "$@"`, "sh"],
      settings: { sandbox: { env: { pass: ["PASSED"], set: { TOKEN: secret } } } },
      job: {
        calls: Array.from({ length: 6 }, (_, at) => ({
          argv: ["/bin/sh", "-c", 'cat > input; printf "%s%s" "${#TOKEN}" "${#PASSED}"; sleep 0.1'],
          stdin: at === 0 ? ("inherit" as const) : ("none" as const),
        })),
        steps: [
          { tool: "write_file", input: { path: "by-tool", content: secret } },
          {
            tool: "edit_file",
            input: { path: "by-tool", edits: [{ old_text: secret, new_text: `${secret}2` }] },
          },
          { tool: "search_files", input: { pattern: secret } },
        ],
      },
    });
    const [looks, seen] = await watching.end();
    expect([made?.kind, replies.map((one) => (one.kind === "ran" ? one.stdout : one.kind))]).toEqual([
      "made",
      [...Array.from({ length: 6 }, () => `${secret.length}${secret.length}`), "told", "told", "told"],
    ]);
    expect(place.read("ws/by-tool")).toBe(`${secret}2`);
    expect(looks).toBeGreaterThan(50);
    expect(seen).toContainEqual(expect.stringMatching(/^environ (node|MainThread) /));
    // The supervisor was given them as variables, and the shell that it is started by has one in its line.
    expect(seen.filter((one) => !/^(environ|cmdline) (node|MainThread|sh) /.test(one))).toEqual([]);
    const twin = spyOn(secret);
    const other = spawn(PERL, ["-e", "select undef, undef, undef, 1", secret], { stdio: "ignore" });
    await new Promise((resolve) => other.once("close", resolve));
    expect((await twin.end())[1]).toEqual([expect.stringMatching(/^cmdline perl /)]);
  });
});

/**
 * Looks again and again at the words of every process of the machine, and at the variables of those in this one's own
 * namespace of processes and of launchers: where the text stands in them. A process that becomes another program while it
 * is read is read at the next look: what it had as the first is not the second's.
 */
function spyOn(secret: string): { end(): Promise<readonly [looks: number, seen: readonly string[]]> } {
  // The secret comes over standard input: the spy must not see itself.
  const program = `
    sub name { open my $f, "<", "/proc/$_[0]/comm" or return; local $/ = "\\n"; my $name = <$f> // ""; chomp $name; $name }
    my $secret = <STDIN>; my $own = readlink "/proc/self/ns/pid"; my ($looks, %seen) = 0; local $SIG{TERM} = sub { $looks = -$looks if $looks > 0 };
    while ($looks >= 0) { $looks++; opendir my $d, "/proc"; for my $pid (grep /^[0-9]+$/, readdir $d) {
      for my $kind ("cmdline", "environ") {
        my $name = name($pid) // next;
        open my $f, "<", "/proc/$pid/$kind" or next; local $/; my $text = <$f> // ""; next if index($text, $secret) < 0;
        next if $name ne (name($pid) // "");
        next if $kind eq "environ" && $name ne "bwrap" && (readlink "/proc/$pid/ns/pid" // "") ne $own;
        $seen{"$kind $name $pid"} = 1 } } }
    print -$looks, "\\n", map "$_\\n", sort keys %seen`;
  const spy: ChildProcess = spawn(PERL, ["-e", program], { stdio: ["pipe", "pipe", "inherit"] });
  spy.stdin?.end(secret);
  const said = saidBy(spy);
  return {
    end: async () => {
      spy.kill("SIGTERM");
      const [looks = "0", ...seen] = (await said).stdout.trim().split("\n");
      return [Number(looks), seen];
    },
  };
}
