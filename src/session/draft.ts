import type { Backend } from "../backend/backend.ts";
import { OWN_LOOPBACK_PORT } from "../backend/proxy-way.ts";
import { lookAtCall } from "../call/look.ts";
import { nearPaths } from "../call/near-paths.ts";
import type { LoadedConfig } from "../config/config.ts";
import type { CallPolicy } from "../decide/call-policy.ts";
import { type CallFacts, type Prepared, prepare } from "../decide/prepare.ts";
import { FactsMemory, lookUpFacts, type MachineFacts } from "../host/launch/facts.ts";
import { Ledger } from "../host/launch/ledger.ts";
import { assumedFacts, lookUpSimulated } from "../host/launch/mac/simulated-facts.ts";
import { lookAtMachine } from "../host/launch/machine.ts";
import type { Host } from "../host/look/host.ts";
import { there } from "../host/look/mac/simulated.ts";
import { boundsFrom, MaskSearch } from "../host/look/search/search.ts";
import { assertOptions } from "../policy/options.ts";
import { type Call, readShellInput, type ShellInput } from "../tool/call.ts";
import { type ResolvedSetup, resolvePolicy } from "./resolve-setup.ts";
import { simulatedCall } from "./simulated.ts";
import { SUPERVISOR_OPTIONS, type SupervisorOptions } from "./supervisor-options.ts";

/** A draft listens on no port: the rules show the port of every private loopback in place of a supervisor's. */
function withNominalPort(facts: MachineFacts): MachineFacts {
  return facts.mac === null ? facts : { ...facts, mac: { ...facts.mac, proxyPort: OWN_LOOPBACK_PORT } };
}

/** Decides calls, runs none and writes nothing; starts at most the launcher with `--help`. Made by `createDraft`. */
export class Draft {
  readonly #decided: ResolvedSetup;
  readonly #memory: FactsMemory;
  #machine: Promise<MachineFacts> | null = null;

  constructor(decided: ResolvedSetup) {
    this.#decided = decided;
    this.#memory = new FactsMemory(new MaskSearch(boundsFrom(decided.loaded.config.sandbox.search)));
  }

  get host(): Host {
    return this.#decided.host;
  }

  get loaded(): LoadedConfig {
    return this.#decided.loaded;
  }

  get policy(): CallPolicy {
    return this.#decided.policy;
  }

  /** The facts of the machine, collected once. Throws `SANDBOX_UNAVAILABLE` without a launcher. */
  machine(): Promise<MachineFacts> {
    const { host, loaded, policy } = this.#decided;
    this.#machine ??=
      host.simulated === null
        ? lookAtMachine(host, loaded.config.roots, loaded.config.runtimes).then(withNominalPort)
        : Promise.resolve(withNominalPort(assumedFacts(host.simulated, policy.settings.runtimes)));
    return this.#machine;
  }

  /**
   * The decision of a session on the same input of a person. A foreign backend makes a plan that can only be read; on a
   * simulated Mac all paths are the Mac's. Throws `USAGE`, `SANDBOX_UNAVAILABLE`, `NOT_ENFORCEABLE`, `FACTS_UNSTABLE`.
   */
  async prepare(given: ShellInput, backend: Backend = this.policy.backend): Promise<Prepared> {
    const input = readShellInput(given);
    const { host } = this.#decided;
    const policy = { ...this.policy, backend };
    const look = await this.#look(input, policy);
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
    return prepare(call, policy, { ...look, callerEnv: host.env });
  }

  async #look(input: ShellInput, policy: CallPolicy): Promise<Omit<CallFacts, "callerEnv">> {
    const { host, cwd } = this.#decided;
    const { simulated } = host;
    const machine = await this.machine();
    const profiles = [policy.withoutApproval.profile, policy.withApproval.profile];
    const held = new Ledger(host.stateFolder).held();
    if (simulated === null) {
      const near = () => nearPaths(input, policy, cwd);
      const facts = await lookUpFacts(host, machine, profiles, this.#memory, held, near);
      return { ...lookAtCall(input, policy, cwd, host.env["PWD"]), facts };
    }
    const { roots, runtimes } = policy.settings;
    const about = { machine, roots, runtimes, profiles };
    const facts = await lookUpSimulated(host, simulated, about, this.#memory, held);
    return { ...simulatedCall(input, policy.settings, there(simulated, cwd), simulated), facts };
  }
}

/** Loads the same as a supervisor. Throws what `createSupervisor` throws before it inspects the machine. */
export function createDraft(options: SupervisorOptions = {}): Draft {
  assertOptions("createDraft", SUPERVISOR_OPTIONS, options);
  return new Draft(resolvePolicy(options));
}
