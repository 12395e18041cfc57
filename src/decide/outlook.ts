import type { Action } from "../policy/action.ts";
import { NOTHING_REMEMBERED } from "../policy/remembered.ts";
import { joinPath } from "../profile/path.ts";
import type { AnyFileTool } from "../tool/files/all.ts";
import type { TouchedPath } from "../tool/files/file-tool.ts";
import { shownPath } from "../tool/files/written-path.ts";
import type { CallPolicy } from "./call-policy.ts";
import { prepareFile } from "./prepare-file.ts";

/** The expected decision about a tool in one root. */
export interface Outlook {
  readonly root: string;
  readonly action: Action;
  readonly reason: string;
  /** True if calls that are allowed ask where approval would give them more access; else left out. */
  readonly asksForAccess?: true;
}

/** The expected decision on a file tool in each root. Rules on arguments, masks and suffixes may differ for a file. */
export function outlookOf(tool: AnyFileTool, policy: CallPolicy, agent: string | null): readonly Outlook[] {
  const need = tool.risk === "read_only" ? "read" : "write";
  const { roots } = policy.settings;
  return roots.map((root) => {
    const suffix = root.suffixes === "any" ? "" : (root.suffixes[0] ?? "");
    const path = joinPath(root.path, `any-name${suffix}`);
    const looked = {
      target: path,
      kind: "file",
      version: "",
      bytes: 0,
      mode: 0,
      folder: root.path,
      leadsTo: null,
    } as const;
    const shown = shownPath(path, roots);
    const target: TouchedPath = {
      written: shown,
      argument: "path",
      need,
      end: "followed",
      path,
      root,
      shown,
      looked,
    };
    const use = {
      touches: [target],
      describe: () => `${need} in ${root.name}`,
      preview: null,
      run: async () => null,
      args: {},
    };
    const { verdict, denials } = prepareFile(
      { tool, use, targets: [target], agent, caller: "agent", executed: [] },
      policy,
      NOTHING_REMEMBERED,
    );
    const [denial] = denials;
    return denial !== undefined && verdict.action !== "deny"
      ? { root: root.name, action: "deny", reason: denial.because }
      : { root: root.name, action: verdict.action, reason: verdict.reason };
  });
}
