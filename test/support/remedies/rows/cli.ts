import { rmSync } from "node:fs";
import { cli } from "../cli.ts";
import { CONFIG } from "../config.ts";
import { quoted, type Row, type Situation } from "../row.ts";

/** The machine's files before the situation. */
const given =
  (files: Readonly<Record<string, string>>, then: Situation): Situation =>
  (at, told) => {
    at.write(files);
    return then(at, told);
  };

const WS = "paths: { ws: { root: ., mode: rw, write_approval: false } }";
const PLAIN = { [CONFIG]: `version: 1\nsandbox: { runtimes: [system], ${WS} }\n` };
const BARE = { [CONFIG]: `version: 1\nsandbox: { runtimes: [], ${WS} }\n` };
const NAMED = ["--config", "cofferdam.yaml"];

/** Words of a remedy's command, without `cofferdam` itself. */
const words = (told: string): readonly string[] => quoted(told).split(" ").slice(1);

/** What is typed. */
export const OF_COMMANDS: readonly Row[] = [
  ["run `cofferdam --help`", cli(["xyzzy"]), cli(words)],
  ["run `cofferdam help`", cli(["help", "xyzzy"]), cli(words)],
  ["run `cofferdam {} --help`", cli(["check", "a"]), cli(words)],
  [
    "did you mean `{}{}`?",
    cli(["check", "--jsn"]),
    given(
      PLAIN,
      cli((told) => ["check", quoted(told), ...NAMED]),
    ),
  ],
  [
    "use one of: {}{}",
    given(PLAIN, cli(["explain", "xyzzy", "a", ...NAMED])),
    given(PLAIN, cli(["explain", "read", "cofferdam.yaml", ...NAMED])),
  ],
  [
    "edit it, or move it away first",
    given(PLAIN, cli(["init"])),
    (at, told) => {
      rmSync(at.at(CONFIG));
      return cli(["init"])(at, told);
    },
  ],
  [
    "add `system` to `sandbox.runtimes`",
    given(BARE, cli(["check", ...NAMED])),
    given(PLAIN, cli(["check", ...NAMED])),
  ],
  ["run `cofferdam journal --list`", cli(["journal", "show", "nowhere"]), cli(words)],
  [
    "grant a folder under `sandbox.paths`",
    given({ [CONFIG]: "version: 1\nsandbox: { runtimes: [system] }\n" }, cli(["check", ...NAMED])),
    given(PLAIN, cli(["check", ...NAMED])),
  ],
  [
    "change to an existing folder",
    given(
      { "home/ann/project/gone/a": "" },
      cli(
        (_told, at) => {
          rmSync(at.at("home/ann/project/gone"), { recursive: true });
          return ["check"];
        },
        { cwd: "home/ann/project/gone" },
      ),
    ),
    given(PLAIN, cli(["check", ...NAMED])),
  ],
];
