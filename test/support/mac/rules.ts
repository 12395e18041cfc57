import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Enforcement, RulePlan } from "../../../src/backend/plan.ts";
import type { ProxyWay } from "../../../src/backend/proxy-way.ts";
import { startScript } from "../../../src/backend/seatbelt/start-program.ts";
import type { RuleGround } from "../../../src/host/launch/mac/ground.ts";
import { Outsider } from "../../../src/host/launch/mac/outsider.ts";
import { Pipes } from "../../../src/host/launch/pipes.ts";
import { run } from "../../../src/host/launch/run.ts";
import type { Ended, PlanRunOptions } from "../../../src/host/launch/run-options.ts";
import type { Surroundings } from "../../../src/host/launch/surroundings.ts";
import type { Limits } from "../../../src/profile/limits.ts";
import { type AbsolutePath, knownPath } from "../../../src/profile/path.ts";
import { StandIn } from "./stand-in.ts";

const ENFORCED: Enforcement = { kind: "enforced" };

/** What a plan of a test says beside its program. */
export interface Sketch {
  readonly argv: readonly string[];
  readonly shell?: string;
  readonly limits?: Limits;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: AbsolutePath;
  readonly text?: string;
  readonly proxy?: ProxyWay;
  readonly script?: (script: string) => string;
}

/** A place for calls behind the stand-in, without a supervisor. */
export class RulesPlace implements Disposable {
  readonly standIn = new StandIn();
  readonly top: string;
  readonly ws: AbsolutePath;
  readonly calls: AbsolutePath;
  readonly surroundings: Surroundings;

  constructor() {
    this.top = realpathSync(mkdtempSync(join(tmpdir(), "cofferdam-rules-")));
    this.ws = knownPath(join(this.top, "ws"));
    this.calls = knownPath(join(this.top, "calls"));
    mkdirSync(this.ws);
    this.surroundings = surroundingsOf(this.calls);
  }

  /** Runs a program behind the start program. */
  run(sketch: Sketch, options: Partial<PlanRunOptions> = {}): Promise<Ended> {
    return run(this.plan(sketch), {
      stdin: null,
      wallMs: null,
      outputBytes: null,
      sinks: null,
      signal: null,
      runAs: null,
      surroundings: this.surroundings,
      onProven: null,
      ...options,
    });
  }

  plan({
    argv,
    shell = "/bin/sh",
    limits = {},
    env = {},
    cwd,
    text,
    proxy,
    script = (same) => same,
  }: Sketch): RulePlan {
    return {
      backend: "seatbelt",
      version: "0",
      file: this.standIn.file,
      argv: [shell, "-c", script(startScript(limits, proxy ?? null)), "cofferdam", ...argv],
      kind: "rules",
      rules: { text: text ?? this.text(), parameters: {} },
      environment: { PATH: "/usr/bin:/bin", ...env },
      cwd: cwd ?? this.ws,
      given: [],
      atHome: [],
      inputs: [],
      placeholders: [],
      proxy: proxy ?? null,
      ports: [],
      clauses: [],
      approximations: [],
      limits: [],
      fixed: [],
      enforcement: {
        files: ENFORCED,
        network: ENFORCED,
        sockets: ENFORCED,
        processes: ENFORCED,
        capabilities: ENFORCED,
        syscalls: ENFORCED,
        terminal: ENFORCED,
        environment: ENFORCED,
        descriptors: ENFORCED,
        limits: ENFORCED,
      },
      tree: null,
    };
  }

  /** What is left of calls. */
  left(): readonly string[] {
    try {
      return readdirSync(this.calls);
    } catch {
      return [];
    }
  }

  text(): string {
    return `(version 1)\n(deny default (with message "cofferdam-0000000000000000"))\n(allow file-read* file-write* file-read-data (subpath "${this.ws}"))\n`;
  }

  [Symbol.dispose](): void {
    this.surroundings[Symbol.dispose]();
    this.standIn[Symbol.dispose]();
    rmSync(this.top, { recursive: true, force: true });
  }
}

function surroundingsOf(calls: AbsolutePath): Surroundings {
  const outsider = new Outsider(knownPath("/bin/sh"), null);
  const rules: RuleGround = {
    calls,
    ps: knownPath("/usr/bin/ps"),
    tools: { rm: knownPath("/bin/rm"), chmod: knownPath("/bin/chmod"), chflags: null },
    outsider,
    log: null,
  };
  return {
    namespaces: new Map(),
    leaked: [],
    devNull: -1,
    pipes: Pipes.none(),
    rules,
    [Symbol.dispose]: () => outsider[Symbol.dispose](),
  };
}
