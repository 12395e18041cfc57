import { visible } from "../errors.ts";
import type { Host } from "../host/look/host.ts";
import { temporaryFolderOf } from "../host/look/installation/node-files.ts";
import { foldersOfPath } from "../host/look/installation/path-folders.ts";
import type { Installation } from "../host/look/installation.ts";
import { leadsTo } from "../host/look/leads.ts";
import { statsOf } from "../host/look/nodes.ts";
import { homesOf } from "../host/look/user.ts";
import { type AbsolutePath, isInside, joinPath, nameOf, upwards } from "../profile/path.ts";
import type { Root } from "../tool/facts.ts";
import { type ConfigFinding, warning } from "./finding.ts";
import { installationFor, partsInRoots } from "./installation.ts";

/** Whether parts of the product are in roots that tools may write: one line each. */
export function installationWords(host: Host, roots: readonly Root[]): readonly string[] {
  const inRoots = partsInRoots(installationFor(host, roots), roots);
  if (inRoots.length === 0) return ["installed outside the writable roots"];
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

/** The host's own programs that tools could change, though they are not part of this product. */
export function installationFindings(host: Host, roots: readonly Root[]): readonly ConfigFinding[] {
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

/** Programs in a root that find cofferdam there or above it: they belong to the host, and tools could change them. */
function agentFinding({ project }: Installation, root: Root): readonly ConfigFinding[] {
  const hasCopy = (folder: AbsolutePath): boolean =>
    !isPrefix(folder) && statsOf(joinPath(folder, "node_modules/cofferdam")) !== null;
  const isOwn = project !== null && isInside(project, root.path) && !isPrefix(project);
  const found = isOwn ? project : [...upwards(root.path)].find(hasCopy);
  if (found === undefined) return [];
  return [
    warning(
      `your agent can change its own code: programs in the writable root ${visible(root.name)} use the cofferdam installed in ${visible(found)}`,
      "give tools a separate folder, or make the root `ro`; if no program of yours imports cofferdam, install it globally and run `npm uninstall cofferdam` there",
      root.at,
    ),
  ];
}

/** npm's `lib` has the commands of all projects, not of one (https://docs.npmjs.com/cli/configuring-npm/folders). */
function isPrefix(folder: AbsolutePath): boolean {
  return nameOf(folder) === "lib";
}

function pathFinding(folder: AbsolutePath, writable: readonly Root[]): readonly ConfigFinding[] {
  const root = writable.find(({ path }) => isInside(folder, path));
  if (root === undefined) return [];
  return [
    warning(
      `PATH has ${visible(folder)}, which is in the root ${visible(root.name)}: tools can put programs there that you start by name`,
      "remove the folder from PATH, or make the root `ro`",
      root.at,
    ),
  ];
}

function temporaryFinding({ env, cwd }: Host, writable: readonly Root[]): readonly ConfigFinding[] {
  const { path: folder } = leadsTo(temporaryFolderOf(env), cwd, () => true);
  const root = writable.find(({ path }) => isInside(folder, path));
  if (root === undefined) return [];
  return [
    warning(
      `the folder for temporary files, ${visible(folder)}, is in the root ${visible(root.name)}: tools can change files there that programs trust`,
      "set TMPDIR to a folder outside the root, or make the root `ro`",
      root.at,
    ),
  ];
}
