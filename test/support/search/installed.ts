/** Searches a folder of the system that is this process's own, before and after what root does there. See its test. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { MaskSearch } from "../../../src/host/look/search/search.ts";
import { knownPath } from "../../../src/profile/path.ts";
import { parsePatterns } from "../../../src/profile/pattern.ts";
import { normalProfile } from "../../../src/profile/profile.ts";

const [folder = "", mode = "755", access] = process.argv.slice(2);
for (const [at, bits] of [
  ["/usr/share", mode],
  ["/var/lib", "755"],
] as const)
  execFileSync("/usr/bin/mount", ["-t", "tmpfs", "-o", `mode=${bits}`, "none", at]);
for (const one of [folder, "/var/lib/dpkg"]) mkdirSync(one, { recursive: true });
writeFileSync("/var/lib/dpkg/status", "");

const search = new MaskSearch();
const profile = normalProfile({
  files: [{ path: knownPath("/usr"), access: access === "write" ? access : "read", suffixes: "any" }],
  masks: parsePatterns("/usr/share/**/.env", {}).map((pattern) => ({
    pattern,
    atMost: "none" as const,
    ignoreCase: false,
  })),
});
const found = async (): Promise<number> => (await search.find([profile])).hits.length;

await new Promise((resolve) => setTimeout(resolve, 100));
const seen = [await found()];
writeFileSync(`${folder}/.env`, "");
seen.push(await found());
writeFileSync("/var/lib/dpkg/status", "Package: one\n");
seen.push(await found());
console.log(JSON.stringify(seen));
