import { coversOf, saidBy } from "../approval/tool-question.ts";
import { inTurns } from "../host/turns.ts";
import { readJsonInSteps } from "../policy/canonical-json.ts";
import { redact, redactText } from "../policy/redact.ts";
import { type AbsolutePath, isInside } from "../profile/path.ts";
import { quotedHead } from "../shell/quote.ts";
import { type Call, type ProgramUse, readShellInput, type ShellInput, wordsOf } from "../tool/call.ts";
import type { DefinedTool } from "../tool/define-tool.ts";
import type { ToolSettings } from "../tool/derive.ts";
import type { Ask } from "../tool/function-tool.ts";
import { grantedView } from "./granted-view.ts";
import type { Prepared } from "./prepare.ts";
import type { ProgramQuestion } from "./shell-question.ts";
import type { Standing } from "./standing.ts";

/** One use of a program of the host's own: the words that it is run with, and what it says of itself. */
interface MadeUse {
  readonly input: ShellInput;
  readonly use: ProgramUse;
  readonly ask: Ask | null;
}

/** In which settings a use is made, and where calls start. */
export interface UseOptions {
  /** Cut down to what the tool needs. */
  readonly settings: ToolSettings;
  readonly base: AbsolutePath;
  readonly signal: AbortSignal | null;
}

/** A tool that does not need the root in which calls start begins in the first that it needs. */
function startOf({ roots }: ToolSettings, base: AbsolutePath): AbsolutePath | undefined {
  const needed = roots.filter(({ mode }) => mode !== "none");
  return needed.some(({ path }) => isInside(base, path)) ? undefined : needed[0]?.path;
}

/** Reads arguments, asks the tool's own checks, and makes the words. Throws `USAGE` for arguments that it does not take. */
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
  const said = await saidBy({ tool, use: made }, { legacyBareTools: "ask" });
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

/** So much of a command is made a line of: more is cut anyway. */
const MOST_DESCRIBED = 4_096;

/** The question about a use: what the tool says of it, and the command as it will be run. */
export function toolProgramQuestion(
  call: Call,
  ask: Ask | null,
  prepared: Prepared,
  standing: Standing,
): ProgramQuestion {
  const { verdict, onYes, argsHash, grantKey } = prepared;
  const { tool, use, input } = call;
  const words = wordsOf(input);
  const cwd = onYes.launch?.cwd ?? input.cwd ?? ".";
  const args = use?.args ?? null;
  return {
    prepared,
    verdict,
    argsHash,
    grantKey,
    groupId: ask?.groupId ?? null,
    show: () => ({
      risk: use?.risk ?? null,
      description: redactText(
        call.use?.description ?? `use ${tool}: run ${quotedHead(words, MOST_DESCRIBED).line}`,
      ).text,
      ...redact(ask?.displayArgs ?? args),
      covers: use?.mayRemember === true && call.stdin === "none" ? coversOf(tool, use.payload, args) : null,
      granted: grantedView(onYes, standing.settings),
    }),
    present: async () => {
      const { presentCommand } = await import("../approval/present.ts");
      return presentCommand({ words, cwd });
    },
  };
}
