import { existsSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ProxyWay, proxyWay } from "../../src/backend/proxy-way.ts";
import { startScript } from "../../src/backend/seatbelt/start-program.ts";
import type { WayOut } from "../../src/host/launch/run-options.ts";
import { RulesPlace, type Sketch } from "../support/mac/rules.ts";
import { noStandIn, standInMustWork } from "../support/mac/stand-in.ts";

standInMustWork("the start program of rules, where a proxy listens");

const SHELLS = ["/bin/dash", "/bin/bash", "/usr/bin/busybox", "/usr/bin/zsh"].filter((path) =>
  existsSync(path),
);
const WAY: ProxyWay = proxyWay({ network: { hosts: [], never: [] } }, 50_123);
const SECRET = "-_0aZ".repeat(6);
const URL = `http://cofferdam:${SECRET}@127.0.0.1:50123`;
const EGRESS: WayOut = { secret: SECRET, serve: () => undefined };

/** All that a program is told of the proxy. */
const TOLD = {
  ...Object.fromEntries(
    ["http_proxy", "https_proxy", "all_proxy"].flatMap((name) => [
      [name, URL],
      [name.toUpperCase(), URL],
    ]),
  ),
  YARN_HTTP_PROXY: URL,
  YARN_HTTPS_PROXY: URL,
  no_proxy: "localhost,127.0.0.1,::1",
  NO_PROXY: "localhost,127.0.0.1,::1",
  NODE_USE_ENV_PROXY: "1",
};

describe.skipIf(noStandIn !== null).each(SHELLS)("the start program in %s", (program) => {
  let place: RulesPlace;
  let shell = "";
  beforeEach(() => {
    place = new RulesPlace();
    shell = join(place.standIn.folder, "sh");
    symlinkSync(program, shell);
  });
  afterEach(() => place[Symbol.dispose]());

  const ran = async (sketch: Partial<Sketch>, line = "env", stdin: Readable | null = null) => {
    const argv = ["/bin/sh", "-c", line];
    const { code, stdout, stderr } = await place.run({ argv, shell, ...sketch }, { egress: EGRESS, stdin });
    expect([code, stderr.bytes.toString()]).toEqual([0, ""]);
    return stdout.bytes.toString();
  };
  const variables = (text: string): Readonly<Record<string, string>> =>
    Object.fromEntries(
      text
        .trim()
        .split("\n")
        .map((line) => line.split(/=(.*)/s).slice(0, 2))
        .filter(([name]) => !["_", "HOME", "TMPDIR", "CLANG_MODULE_CACHE_PATH"].includes(name ?? "")),
    );

  it("tells the program where the proxy is, with the call's secret, and nothing else that is new", async () => {
    const [without, withIt] = [variables(await ran({})), variables(await ran({ proxy: WAY }))];
    expect(withIt).toEqual({ ...without, ...TOLD });
    expect([...WAY.variables].sort()).toEqual(Object.keys(TOLD).sort());
  });

  it("tells it that over what its own variables say", async () => {
    const env = { HTTP_PROXY: "http://elsewhere.test", no_proxy: "*", cofferdam_secret: "x" };
    const { cofferdam_secret, ...told } = variables(await ran({ proxy: WAY, env }));
    expect(told).toMatchObject(TOLD);
    expect(cofferdam_secret).toBe(undefined);
  });

  it("has the secret in no word of any process, and in no variable but those", async () => {
    const words =
      "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' >words; found() { case $(cat words) in *\"$1\"*) echo yes ;; *) echo no ;; esac; }";
    const lines = [
      "secret=${http_proxy#*cofferdam:} secret=${secret%@*}",
      words,
      'found "$secret"',
      "found twin-of-the-secret",
      "env | grep -v -e _proxy= -e _PROXY= | grep -c -e \"$secret\" -e '^cofferdam_'",
      "set | grep -c '^cofferdam_'; exit 0; : twin-of-the-secret",
    ];
    expect(await ran({ proxy: WAY }, lines.join("\n"))).toBe("no\nyes\n0\n0\n");
  });

  it("hands standard input in beside it, or none", async () => {
    expect((await ran({ proxy: WAY }, "wc -c", Readable.from(["12345"]))).trim()).toBe("5");
    expect((await ran({ proxy: WAY }, "wc -c")).trim()).toBe("0");
  });
});

describe("the text of a start program", () => {
  it("without a proxy says nothing of one, and with one differs by no more than that", () => {
    const [without, withIt] = [null, WAY].map((way) => startScript({}, way).split("\n"));
    const [added, gone] = [
      withIt?.filter((line) => without?.includes(line) === false),
      without?.filter((line) => withIt?.includes(line) === false),
    ];
    expect(without?.join("\n")).not.toMatch(/proxy|secret/i);
    expect(gone).toEqual([
      'IFS=" " TMOUT=0 read -r cofferdam_go cofferdam_in <&3 && [ "$cofferdam_go" = go ] || exit 125',
    ]);
    expect(added).toMatchInlineSnapshot(`
      [
        "IFS=" " TMOUT=0 read -r cofferdam_go cofferdam_in cofferdam_secret <&3 && [ "$cofferdam_go" = go ] || exit 125",
        "cofferdam_proxy="http://cofferdam:$cofferdam_secret@127.0.0.1:50123"",
        "http_proxy=$cofferdam_proxy",
        "HTTP_PROXY=$cofferdam_proxy",
        "https_proxy=$cofferdam_proxy",
        "HTTPS_PROXY=$cofferdam_proxy",
        "all_proxy=$cofferdam_proxy",
        "ALL_PROXY=$cofferdam_proxy",
        "YARN_HTTP_PROXY=$cofferdam_proxy",
        "YARN_HTTPS_PROXY=$cofferdam_proxy",
        "no_proxy='localhost,127.0.0.1,::1'",
        "NO_PROXY='localhost,127.0.0.1,::1'",
        "NODE_USE_ENV_PROXY=1",
        "export http_proxy HTTP_PROXY https_proxy HTTPS_PROXY all_proxy ALL_PROXY YARN_HTTP_PROXY YARN_HTTPS_PROXY no_proxy NO_PROXY NODE_USE_ENV_PROXY",
        "unset cofferdam_secret cofferdam_proxy",
      ]
    `);
  });

  it("leaves out of the direct hosts what the config lists: then it is the machine's own that is meant", () => {
    const rule = { name: "localhost", port: 5432, private: false } as const;
    expect(proxyWay({ network: { hosts: [rule], never: [] } }, 1).direct).toEqual(["127.0.0.1", "::1"]);
  });
});
