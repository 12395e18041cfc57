import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { GivenRule, RuleKeeper } from "../approval/memory.ts";
import { CofferdamError, visible } from "../errors.ts";
import { lock } from "../host/launch/lock.ts";
import { makeStateFolder, problemOfState } from "../host/launch/state-folder.ts";
import type { Host } from "../host/look/host.ts";
import { KeptRule, type KeptState, keptState } from "../policy/kept-rule.ts";
import { holdsExamples } from "../policy/recorded-call.ts";
import type { RememberedAnswers } from "../policy/remembered.ts";
import { sha256 } from "../profile/digest.ts";
import { type AbsolutePath, joinPath } from "../profile/path.ts";
import { quote } from "../shell/quote.ts";
import type { Config } from "./config.ts";
import { assertOwn, changing, isThere, removePrivate, writePrivate } from "./private-file.ts";
import { printFailure, readPinned } from "./safe-file.ts";

/** The file of one project's kept rules. */
const KeptFile = z.strictObject({
  version: z.literal(1),
  path: z.string().describe("the config that they belong to"),
  rules: z.array(KeptRule).max(500),
});
type KeptFile = z.infer<typeof KeptFile>;

/** An unlimited rule's use is noted at most once in this time. */
const NOTED_EVERY_MS = 60 * 60 * 1000;

/** One kept rule, and whether it answers calls now. */
export interface ListedRule {
  readonly rule: KeptRule;
  readonly state: KeptState;
}

/**
 * The rules that people kept for one config, in a file of this user beside its trust. The file is read for every call,
 * so that a change by any process holds at once. Changes are made one at a time. A broken file keeps nothing.
 */
export class KeptRules implements RuleKeeper {
  readonly #host: Host;
  readonly #config: string;
  readonly #file: AbsolutePath;
  readonly #places: string;
  readonly #rules: string;
  #known: { readonly bytes: Uint8Array; readonly file: KeptFile } | null = null;

  constructor(
    host: Host,
    config: string,
    { roots, shell, approval }: Pick<Config, "roots" | "shell" | "approval">,
  ) {
    this.#host = host;
    this.#config = config;
    this.#file = fileOf(host, config);
    this.#places = sha256(JSON.stringify(roots.map(({ name, path }) => [name, path])));
    this.#rules = sha256(JSON.stringify([shell, approval]));
  }

  /** Every rule, the newest last. Throws `CONFIG_INVALID` for a broken file. */
  list(): readonly ListedRule[] {
    const now = this.#host.now();
    return this.#read().rules.map((rule) => ({ rule, state: keptState(rule, this.#places, now) }));
  }

  read(): Pick<RememberedAnswers, "kept" | "problem"> {
    try {
      const kept = this.list().flatMap(({ rule, state }) => (state === "active" ? [rule] : []));
      return { kept, problem: null };
    } catch (cause) {
      const problem =
        cause instanceof CofferdamError ? cause.message : `the kept rules ${printFailure(cause)}`;
      return { kept: [], problem };
    }
  }

  has(id: string): boolean {
    try {
      return this.list().some(({ rule }) => rule.id === id);
    } catch {
      return false;
    }
  }

  async use(id: string): Promise<boolean> {
    const rule = this.read().kept.find((one) => one.id === id);
    if (rule === undefined) return false;
    const now = this.#host.now();
    const isNoted = rule.maxUses === null && now - (rule.lastUsed ?? 0) < NOTED_EVERY_MS;
    if (isNoted) return true;
    return this.#change((rules) => {
      const found = rules.find((one) => one.id === id);
      if (found === undefined || keptState(found, this.#places, now) !== "active") return null;
      const used = { ...found, uses: found.uses + 1, lastUsed: now };
      return rules.map((one) => (one === found ? used : one));
    });
  }

  /** Keeps a rule. One that covers the same calls is replaced. */
  async keep(given: GivenRule): Promise<void> {
    const rule = { ...given, places: this.#places, rules: this.#rules, uses: 0, lastUsed: null };
    await this.#change((rules) => [...rules.filter((one) => !isSame(one, rule)), rule]);
  }

  /** Wakes a rule that sleeps because a root leads elsewhere; false if there is none under this id. */
  confirm(id: string): Promise<boolean> {
    return this.#change((rules) =>
      rules.some((one) => one.id === id)
        ? rules.map((one) => (one.id === id ? { ...one, places: this.#places, at: this.#host.now() } : one))
        : null,
    );
  }

  drop(id: string): Promise<boolean> {
    return this.#change((rules) => {
      const left = rules.filter((one) => one.id !== id);
      return left.length === rules.length ? null : left;
    });
  }

  /** Replaces the rules, or leaves them for null; true if they were replaced. Throws `CONFIG_INVALID`. */
  async #change(change: (rules: readonly KeptRule[]) => readonly KeptRule[] | null): Promise<boolean> {
    const problem = problemOfState(this.#host);
    if (problem !== null) throw problem;
    makeStateFolder(this.#host);
    using _lock = await lock(joinPath(this.#host.stateFolder, "rules-lock"));
    const rules = change(this.#read().rules);
    if (rules === null) return false;
    const file = KeptFile.safeParse({ version: 1, path: this.#config, rules });
    if (!file.success)
      throw new CofferdamError("CONFIG_INVALID", "too many rules are kept for this project", {
        hint: "drop some with `cofferdam rules drop`",
      });
    changing(this.#file, () => writePrivate(this.#host, this.#file, `${JSON.stringify(file.data)}\n`));
    return true;
  }

  #read(): KeptFile {
    if (!isThere(this.#file)) return { version: 1, path: this.#config, rules: [] };
    for (const path of [this.#host.stateFolder, folderOf(this.#host), this.#file])
      assertOwn(this.#host, path);
    const { bytes } = readPinned(this.#file, { code: "CONFIG_INVALID", by: "CONFIG_INVALID", at: null });
    if (this.#known !== null && Buffer.from(bytes).equals(this.#known.bytes)) return this.#known.file;
    const file = this.#parsed(bytes);
    this.#known = { bytes, file };
    return file;
  }

  #parsed(bytes: Uint8Array): KeptFile {
    const broken = (what: string, cause?: unknown): CofferdamError =>
      new CofferdamError(
        "CONFIG_INVALID",
        `the file of kept rules ${visible(this.#file)} ${what}; none applies`,
        {
          hint: `remove it with \`${quote(["rm", this.#file])}\``,
          cause,
        },
      );
    let data: unknown;
    try {
      data = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    } catch (cause) {
      throw broken("is damaged", cause);
    }
    const read = KeptFile.safeParse(data);
    if (!read.success) throw broken("is damaged", read.error);
    if (read.data.path !== this.#config) throw broken("belongs to another config");
    const failing = read.data.rules.find((rule) => !holdsExamples(rule.cover, rule));
    if (failing !== undefined) throw broken(`has a rule with a failing example: ${failing.id}`);
    return read.data;
  }
}

/** The kept rules of a loaded config; null without a config file. */
export function keptRulesOf(host: Host, config: Config): KeptRules | null {
  return config.origin.kind === "default" ? null : new KeptRules(host, config.origin.file, config);
}

/** Removes all rules that were kept for a config; false if there were none. */
export function forgetKept(host: Host, config: string): boolean {
  return removePrivate(host, fileOf(host, config));
}

function folderOf(host: Host): AbsolutePath {
  return joinPath(host.stateFolder, "rules");
}

/** One file per config, as for trust. */
function fileOf(host: Host, config: string): AbsolutePath {
  return joinPath(folderOf(host), `${sha256(config)}.json`);
}

function isSame(a: KeptRule, b: KeptRule): boolean {
  return a.agent === b.agent && isDeepStrictEqual(a.cover, b.cover);
}
