import { checkOf, coversOf } from "../approval/tool-question.ts";
import type { CallPolicy } from "../decide/call-policy.ts";
import { grantedView } from "../decide/granted-view.ts";
import type { Prepared } from "../decide/prepare.ts";
import { inTurns } from "../host/turns.ts";
import { readJsonInSteps } from "../policy/canonical-json.ts";
import { redact, redactText } from "../policy/redact.ts";
import { isShownWhole } from "../policy/redactions.ts";
import { spelledOut } from "../policy/spelled-out.ts";
import { type AbsolutePath, isInside } from "../profile/path.ts";
import { quotedHead } from "../shell/quote.ts";
import { type Call, type ProgramUse, readShellInput, type ShellInput, wordsOf } from "../tool/call.ts";
import type { DefinedTool } from "../tool/define-tool.ts";
import type { ToolSettings } from "../tool/derive.ts";
import type { Ask } from "../tool/function-tool.ts";
import type { DecidedProgram } from "./shell-question.ts";

interface MadeUse {
  readonly input: ShellInput;
  readonly use: ProgramUse;
  readonly ask: Ask | null;
}

/** The settings of a use, and the start folder of calls. */
export interface UseOptions {
  /** The settings, reduced to the tool's needs. */
  readonly settings: ToolSettings;
  readonly base: AbsolutePath;
  readonly signal: AbortSignal | null;
}

/** A tool that does not need the root in which calls start begins in the first one it needs. */
function startOf({ roots }: ToolSettings, base: AbsolutePath): AbsolutePath | undefined {
  const needed = roots.filter(({ mode }) => mode !== "none");
  return needed.some(({ path }) => isInside(base, path)) ? undefined : needed[0]?.path;
}

/** Reads arguments, asks the tool's own checks, and makes the words. Throws `USAGE` for invalid arguments. */
export async function programUse(
  tool: DefinedTool,
  given: unknown,
  { settings, base, signal }: UseOptions,
): Promise<MadeUse> {
  const raw = await inTurns(readJsonInSteps(given));
  const made = tool.use(raw, { signal, metadata: {} });
  const cwd = tool.needs?.cwd ?? startOf(settings, base);
  const { ports = [] } = tool.needs ?? {};
  const input = readShellInput({
    argv: made.argv?.() ?? [],
    ...(cwd === undefined ? {} : { cwd }),
    ...(ports.length === 0 ? {} : { ports }),
  });
  const said = await checkOf({ tool, use: made }, { legacyBareTools: "ask" });
  const ask = said?.ask ?? null;
  const use: ProgramUse = {
    version: tool.version,
    risk: tool.risk,
    args: made.args,
    payload: ask?.payload ?? made.args,
    said: said === null ? null : { hit: said.hit, doubt: null },
    mayRemember: said?.remember ?? true,
    description: said?.description ?? null,
  };
  return { input, use, ask };
}

const MAX_DESCRIBED = 4_096;

/** The question about a use: the tool's description, and the command as it will be run. */
export function decidedProgram(
  call: Call,
  ask: Ask | null,
  prepared: Prepared,
  policy: CallPolicy,
): DecidedProgram {
  const { verdict, withApproval, withoutApproval, argsHash, grantKey, bound, generalised } = prepared;
  const { tool, use, input } = call;
  const words = wordsOf(input);
  const cwd = withApproval.launch?.cwd ?? input.cwd ?? ".";
  const args = use?.args ?? null;
  return {
    prepared,
    verdict,
    argsHash,
    grantKey,
    bound,
    ...(generalised === undefined ? {} : { generalised }),
    groupId: ask?.groupId ?? null,
    summarize: () => ({
      risk: use?.risk ?? null,
      description: redactText(
        call.use?.description ?? `use ${tool}: run ${quotedHead(words, MAX_DESCRIBED).line}`,
      ).text,
      ...redact(ask?.displayArgs ?? args),
      covers: use?.mayRemember === true && call.stdin === "none" ? coversOf(tool, use.payload, args) : null,
      granted: grantedView(withApproval, policy.settings),
      folder: spelledOut(cwd),
    }),
    preview: async () => {
      const { presentCommand } = await import("../approval/present.ts");
      return presentCommand({ words, cwd });
    },
    reviewSubject: () => ({
      input: args,
      cwd,
      commands: [words],
      risk: use?.risk ?? null,
      granted: grantedView(withApproval, policy.settings),
      grantsMore: withApproval.digest !== withoutApproval.digest,
      isWhole: call.stdin === "none" && isShownWhole(redact([args, words]).redactions),
      mayRemember: use?.mayRemember === true,
    }),
  };
}
