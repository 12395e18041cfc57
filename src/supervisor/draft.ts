import type { Backend } from "../backend/backend.ts";
import { OWN_LOOPBACK_PORT } from "../backend/proxy-way.ts";
import type { Loaded } from "../config/config.ts";
import { FactsMemory, lookUpFacts, type StandingFacts } from "../host/facts.ts";
import type { Host } from "../host/host.ts";
import { Ledger } from "../host/ledger.ts";
import { there } from "../host/mac/stated.ts";
import { lookUpStated, statedMachine } from "../host/mac/stated-facts.ts";
import { lookAtMachine } from "../host/machine.ts";
import { boundsFrom, MaskSearch } from "../host/search/search.ts";
import { type Call, readShellInput, type ShellInput } from "../tool/call.ts";
import { lookAtCall } from "./look.ts";
import { nearPaths } from "./near-paths.ts";
import { assertOptions } from "./options.ts";
import { type CallFacts, type Prepared, prepare } from "./prepare.ts";
import type { Standing } from "./standing.ts";
import { statedCall } from "./stated.ts";
import { type Decided, decideStanding, SUPERVISOR_OPTIONS, type SupervisorOptions } from "./supervisor.ts";

/** Nothing listens for a draft: where a supervisor's port would stand in the rules, the one of every own loopback does. */
function withNominalPort(facts: StandingFacts): StandingFacts {
  return facts.mac === null ? facts : { ...facts, mac: { ...facts.mac, proxyPort: OWN_LOOPBACK_PORT } };
}

/**
 * Decides calls and never runs one. It writes nothing: no state folder, no journal, no placeholder; the one thing that
 * may be started is the launcher with `--help`, to learn its options. Made by `createDraft`.
 */
export class Draft {
  readonly #decided: Decided;
  readonly #memory: FactsMemory;
  #machine: Promise<StandingFacts> | null = null;

  constructor(decided: Decided) {
    this.#decided = decided;
    this.#memory = new FactsMemory(new MaskSearch(boundsFrom(decided.loaded.config.sandbox.search)));
  }

  /** What it is decided for. */
  get host(): Host {
    return this.#decided.host;
  }

  /** The config and the ceiling over it. */
  get loaded(): Loaded {
    return this.#decided.loaded;
  }

  /** What all calls have in common. */
  get standing(): Standing {
    return this.#decided.standing;
  }

  /** What the machine has, looked at once. Throws `SANDBOX_UNAVAILABLE` without a launcher. */
  machine(): Promise<StandingFacts> {
    const { host, loaded, standing } = this.#decided;
    this.#machine ??=
      host.stated === null
        ? lookAtMachine(host, loaded.config.roots, loaded.config.runtimes).then(withNominalPort)
        : Promise.resolve(withNominalPort(statedMachine(host.stated, standing.settings.runtimes)));
    return this.#machine;
  }

  /**
   * What a session would decide about the same input of a person. Another backend than the machine's own makes a plan
   * that can be read, not run; on a stated Mac all paths are the Mac's. Throws `USAGE`, `SANDBOX_UNAVAILABLE`, `NOT_ENFORCEABLE`, `FACTS_UNSTABLE`.
   */
  async prepare(given: ShellInput, backend: Backend = this.standing.backend): Promise<Prepared> {
    const input = readShellInput(given);
    const { host } = this.#decided;
    const standing = { ...this.standing, backend };
    const look = await this.#look(input, standing);
    const call: Call = {
      callId: "draft",
      runId: "draft",
      sessionId: "draft",
      tool: "shell",
      input,
      use: null,
      caller: "person",
      agent: null,
      stdin: "none",
    };
    return prepare(call, standing, { ...look, callerEnv: host.env });
  }

  async #look(input: ShellInput, standing: Standing): Promise<Omit<CallFacts, "callerEnv">> {
    const { host, cwd } = this.#decided;
    const { stated } = host;
    const machine = await this.machine();
    const profiles = [standing.unasked.profile, standing.onYes.profile];
    const held = new Ledger(host.stateFolder).held();
    if (stated === null) {
      const near = () => nearPaths(input, standing, cwd);
      const facts = await lookUpFacts(host, machine, profiles, this.#memory, held, near);
      return { ...lookAtCall(input, standing, cwd, host.env["PWD"]), facts };
    }
    const { roots, runtimes } = standing.settings;
    const about = { machine, roots, runtimes, profiles };
    const facts = await lookUpStated(host, stated, about, this.#memory, held);
    return { ...statedCall(input, standing.settings, there(stated, cwd), stated), facts };
  }
}

/** Loads what a supervisor would load. Throws what `createSupervisor` throws before it looks at the machine. */
export function createDraft(options: SupervisorOptions = {}): Draft {
  assertOptions("createDraft", SUPERVISOR_OPTIONS, options);
  return new Draft(decideStanding(options));
}
