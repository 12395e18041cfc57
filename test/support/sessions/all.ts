import type { AgentSession } from "./agent-session.ts";
import { GO_PROGRAM } from "./go.ts";
import { JAVASCRIPT } from "./javascript.ts";
import { MIXED } from "./mixed.ts";
import { MONOREPO } from "./monorepo.ts";
import { PYTHON } from "./python.ts";
import { RUST } from "./rust.ts";

/** Every session: six kinds of project, 30 steps each. */
export const AGENT_SESSIONS: readonly AgentSession[] = [
  JAVASCRIPT,
  PYTHON,
  GO_PROGRAM,
  RUST,
  MONOREPO,
  MIXED,
];
