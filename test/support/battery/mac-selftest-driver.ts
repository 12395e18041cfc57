/** Tries the selftest of macOS with a stand-in for its sandbox program, whose folder is the first word, and prints the report. */
import process from "node:process";
import { thisHost } from "../../../src/host/look/host.ts";
import { knownPath } from "../../../src/profile/path.ts";
import { runSelftest } from "../../../src/selftest/run-selftest.ts";

const [, , helpers = "/"] = process.argv;
const host = thisHost({
  platform: "darwin",
  operatorFolders: [],
  helperFolders: [helpers, "/usr/bin", "/bin"].map(knownPath),
});
process.stdout.write(JSON.stringify(await runSelftest(host, new AbortController().signal)));
process.stdin.destroy();
