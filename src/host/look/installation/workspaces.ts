import { readdirSync } from "node:fs";
import { parse } from "yaml";
import { type AbsolutePath, joinPath, namesInText, pathFromBytes } from "../../../profile/path.ts";
import { orNull } from "../../or-null.ts";
import { statsOf, systemPath } from "../nodes.ts";
import { readPlainText } from "../plain-file.ts";
import { MAX_MANIFEST_BYTES } from "./packages.ts";

/** Maximum of folders, more than the workspaces of a project lie in: the manifest is not trusted. */
const MAX_FOLDERS = 5_000;

/**
 * The `node_modules` of every workspace of a project. They are installed as one with the project's own: `npm ci`
 * empties them all at once, and goes on if one can't be emptied (https://docs.npmjs.com/cli/commands/npm-ci,
 * https://docs.npmjs.com/cli/using-npm/workspaces, https://pnpm.io/pnpm-workspace_yaml). For patterns that this does
 * not read in full it takes too many folders, not too few.
 */
export function packagesOfWorkspaces(project: AbsolutePath): readonly AbsolutePath[] {
  const ahead = patternsOf(project)
    .filter((pattern) => !pattern.startsWith("!"))
    .map(namesInText)
    .filter((names) => !names.includes(".."))
    .map((names) => ({ folder: project, names }));
  const found = new Set<AbsolutePath>();
  for (const [at, { folder, names }] of ahead.entries()) {
    if (at > MAX_FOLDERS) break;
    const [name, ...rest] = names;
    if (name === undefined) found.add(joinPath(folder, "node_modules"));
    else if (name === "**") {
      ahead.push({ folder, names: rest });
      ahead.push(...foldersIn(folder, "*").map((below) => ({ folder: below, names })));
    } else ahead.push(...foldersIn(folder, name).map((below) => ({ folder: below, names: rest })));
  }
  return [...found].filter((path) => statsOf(path)?.isDirectory() === true);
}

/** The folders that a name with wildcards means; no package lies in `node_modules` itself. */
function foldersIn(folder: AbsolutePath, pattern: string): readonly AbsolutePath[] {
  const [before = ""] = pattern.split(/[*?[{(!+@\\]/, 1);
  if (before === pattern) {
    const path = joinPath(folder, pattern);
    return statsOf(path)?.isDirectory() === true ? [path] : [];
  }
  return (
    orNull(() =>
      readdirSync(systemPath(folder), { withFileTypes: true, encoding: "buffer" })
        .filter((entry) => entry.isDirectory())
        .map((entry) => pathFromBytes(entry.name))
        .filter((name) => name.startsWith(before) && name !== "node_modules" && !name.startsWith(".git"))
        .map((name) => joinPath(folder, name)),
    ) ?? []
  );
}

function patternsOf(project: AbsolutePath): readonly string[] {
  const ofNpm = fieldOf(contentOf(project, "package.json"), "workspaces");
  const ofPnpm = fieldOf(contentOf(project, "pnpm-workspace.yaml"), "packages");
  const lists = [ofNpm, fieldOf(ofNpm, "packages"), ofPnpm];
  return lists
    .flatMap((list): readonly unknown[] => (Array.isArray(list) ? list : []))
    .filter((one) => typeof one === "string");
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

function contentOf(folder: AbsolutePath, name: string): unknown {
  try {
    const text = readPlainText(systemPath(joinPath(folder, name)), MAX_MANIFEST_BYTES) ?? "";
    return name.endsWith(".json") ? JSON.parse(text) : parse(text, { maxAliasCount: 0, logLevel: "silent" });
  } catch {
    return null;
  }
}
