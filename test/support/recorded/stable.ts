/** Names of fields whose values differ from run to run, or from machine to machine. */
const VARIABLE = new Set([
  "at",
  "bytes",
  "createdAt",
  "durationMs",
  "expiresAt",
  "grantedAt",
  "env",
  "runAs",
  "startedAt",
  "version",
]);

const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const HASH = /(sha256:)?\b[0-9a-f]{64}\b/g;

/**
 * Prints records so that two runs of one behaviour print the same text: ids and hashes are numbered in the order in which
 * they appear, so that equal ones stay equal; times and versions are left out; `names` replaces paths and texts of this run.
 */
export class StablePrinter {
  readonly #names: readonly (readonly [text: string, name: string])[];
  readonly #seen = new Map<string, string>();

  constructor(names: readonly (readonly [text: string, name: string])[]) {
    this.#names = names;
  }

  /** One line of JSON, its keys sorted. */
  print(record: unknown): string {
    const text = JSON.stringify(record, (key, value: unknown) => {
      if (VARIABLE.has(key)) return value === null ? null : "<varies>";
      // How well each protection is enforced differs between kernels; that each is reported does not.
      if (key === "standings" || key === "enforcement") return Object.keys(Object.assign({}, value));
      if (value instanceof Error) return `${value.name}: ${value.message}`;
      return isPlain(value) ? Object.fromEntries(Object.entries(value).sort(byName)) : value;
    });
    const named = this.#names.reduce((left, [from, to]) => left.replaceAll(from, to), text);
    return named
      .replace(ID, (id) => this.#numbered("id", id))
      .replace(HASH, (hash) => this.#numbered("hash", hash));
  }

  #numbered(kind: string, value: string): string {
    const known = this.#seen.get(value);
    if (known !== undefined) return known;
    const name = `<${kind} ${[...this.#seen.values()].filter((one) => one.startsWith(`<${kind} `)).length + 1}>`;
    this.#seen.set(value, name);
    return name;
  }
}

function isPlain(value: unknown): value is object {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
