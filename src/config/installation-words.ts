import { visible } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { type AbsolutePath, isAbsolutePath, isInside } from "../profile/path.ts";
import type { Root } from "../tool/facts.ts";
import { type Finding, warning } from "./finding.ts";
import { partsInRoots } from "./installation.ts";
import { realPath } from "./operator-path.ts";

/** Whether the product lies in roots that tools may write, and what of it: one line each. */
export function installationWords(host: Host, roots: readonly Root[]): readonly string[] {
  const inRoots = partsInRoots(host.installation(), roots);
  if (inRoots.length === 0) return ["installed outside of the roots that tools may write"];
  return inRoots.map(
    ({ part, root }) => `${part.path}, in the root ${visible(root.name)}: read-only for tools`,
  );
}

/** The same as data. */
export function installationJson(host: Host, roots: readonly Root[]): unknown {
  const installation = host.installation();
  const { folder, node } = installation;
  const readOnly = partsInRoots(installation, roots).map(({ part, root }) => ({ ...part, root: root.name }));
  return { folder, node, readOnly };
}

/** What of the host's own programs tools could change, although no part of this product. */
export function installationFindings(host: Host, roots: readonly Root[]): readonly Finding[] {
  const { project } = host.installation();
  const writable = roots.filter(({ mode }) => mode === "rw");
  const around = writable.find(({ path }) => project !== null && isInside(project, path));
  const ofAgent =
    project === null || around === undefined
      ? []
      : [
          warning(
            `your agent's own code lies in a root that it may write: ${visible(project)} uses cofferdam, and lies in the root ${visible(around.name)}`,
            "give tools a folder of their own, or make the root `ro`; without a program of yours that imports cofferdam, install it globally instead",
            around.at,
          ),
        ];
  return [...ofAgent, ...pathFolders(host).flatMap((folder) => pathFinding(folder, writable))];
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

function pathFolders({ env }: Host): readonly AbsolutePath[] {
  const written = (env["PATH"] ?? "").split(":").map((folder) => folder.replace(/(?<=.)\/+$/, ""));
  return [...new Set(written.filter(isAbsolutePath).map((folder) => realPath(folder)))];
}
