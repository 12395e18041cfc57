import { visible } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { temporaryFolderOf } from "../host/installation/node-files.ts";
import { foldersOfPath } from "../host/installation/path-folders.ts";
import type { Installation } from "../host/installation.ts";
import { leadsTo } from "../host/leads.ts";
import { statsOf } from "../host/nodes.ts";
import { homesOf } from "../host/user.ts";
import { type AbsolutePath, isInside, joinPath, nameOf, upwards } from "../profile/path.ts";
import type { Root } from "../tool/facts.ts";
import { type Finding, warning } from "./finding.ts";
import { installationFor, partsInRoots } from "./installation.ts";

/** Whether the product lies in roots that tools may write, and what of it: one line each. */
export function installationWords(host: Host, roots: readonly Root[]): readonly string[] {
  const inRoots = partsInRoots(installationFor(host, roots), roots);
  if (inRoots.length === 0) return ["installed outside of the roots that tools may write"];
  return inRoots.map(
    ({ part, root }) => `${part.path}, in the root ${visible(root.name)}: read-only for tools`,
  );
}

/** The same as data. */
export function installationJson(host: Host, roots: readonly Root[]): unknown {
  const installation = installationFor(host, roots);
  const { folder, node } = installation;
  const readOnly = partsInRoots(installation, roots).map(({ part, root }) => ({ ...part, root: root.name }));
  return { folder, node, readOnly };
}

/** What of the host's own programs tools could change, although no part of this product. */
export function installationFindings(host: Host, roots: readonly Root[]): readonly Finding[] {
  const installation = installationFor(host, roots);
  const writable = roots.filter(({ mode }) => mode === "rw");
  const readOnly = partsInRoots(installation, roots).map(({ part }) => part.path);
  const open = foldersOfPath({ ...host, homes: homesOf(host) }).filter(
    (folder) => !readOnly.some((path) => isInside(folder, path)),
  );
  return [
    ...writable.flatMap((root) => agentFinding(installation, root)),
    ...open.flatMap((folder) => pathFinding(folder, writable)),
    ...temporaryFinding(host, writable),
  ];
}

/** Programs in a root that find cofferdam there or above it: they are the host's, and tools could change them. */
function agentFinding({ project }: Installation, root: Root): readonly Finding[] {
  const hasCopy = (folder: AbsolutePath): boolean =>
    !isPrefix(folder) && statsOf(joinPath(folder, "node_modules/cofferdam")) !== null;
  const isOwn = project !== null && isInside(project, root.path) && !isPrefix(project);
  const found = isOwn ? project : [...upwards(root.path)].find(hasCopy);
  if (found === undefined) return [];
  return [
    warning(
      `your agent's own code lies in a root that it may write: programs in the root ${visible(root.name)} use the cofferdam that is installed in ${visible(found)}`,
      "give tools a folder of their own, or make the root `ro`; without a program of yours that imports cofferdam, install it globally instead, and `npm uninstall cofferdam` there",
      root.at,
    ),
  ];
}

/** Where npm installs commands for all projects, no program of a project's lies (https://docs.npmjs.com/cli/configuring-npm/folders). */
function isPrefix(folder: AbsolutePath): boolean {
  return nameOf(folder) === "lib";
}

function pathFinding(folder: AbsolutePath, writable: readonly Root[]): readonly Finding[] {
  const root = writable.find(({ path }) => isInside(folder, path));
  if (root === undefined) return [];
  return [
    warning(
      `PATH holds ${visible(folder)}, which lies in the root ${visible(root.name)}: tools can put programs there that you start by name`,
      "take the folder out of PATH, or make the root `ro`",
      root.at,
    ),
  ];
}

function temporaryFinding({ env, cwd }: Host, writable: readonly Root[]): readonly Finding[] {
  const { path: folder } = leadsTo(temporaryFolderOf(env), cwd, () => true);
  const root = writable.find(({ path }) => isInside(folder, path));
  if (root === undefined) return [];
  return [
    warning(
      `programs keep temporary files in ${visible(folder)}, which lies in the root ${visible(root.name)}: tools can change what these programs trust`,
      "set TMPDIR to a folder outside of the root, or make the root `ro`",
      root.at,
    ),
  ];
}
