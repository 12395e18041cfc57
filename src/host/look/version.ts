import { readFileSync } from "node:fs";
import { PACKAGE_FOLDER } from "../package-folder.ts";

/** The package's version. */
export function packageVersion(): string {
  const text = readFileSync(`${PACKAGE_FOLDER}/package.json`, "utf8");
  return /"version":\s*"([^"]+)"/.exec(text)?.[1] ?? "unknown";
}
