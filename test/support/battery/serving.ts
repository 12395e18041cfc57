import { type ChildProcess, spawn } from "node:child_process";
import { createInterface, type Interface } from "node:readline";
import { checkoutFor, compileCacheFor, type Person, runFile } from "./people.ts";
import { Served, type Serving } from "./serving-job.ts";

/** A process of a person's that does one job after another. */
class Servant {
  readonly #lines: AsyncIterator<string>;
  readonly #child: ChildProcess;
  readonly #reader: Interface;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(person: Person) {
    const [program, ...words] = runFile(checkoutFor(person), "serving-driver.ts");
    const child = spawn(program, words, {
      ...person.runAs,
      cwd: "/",
      env: { PATH: "/usr/local/bin:/usr/bin:/bin", NODE_COMPILE_CACHE: compileCacheFor(person) },
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.#child = child;
    this.#reader = createInterface({ input: child.stdout });
    this.#lines = this.#reader[Symbol.asyncIterator]();
  }

  /** One after another, whoever asks. */
  serve(serving: Serving): Promise<Served> {
    const mine = this.#turn.then(() => this.#exchange(serving));
    this.#turn = mine.catch(() => undefined);
    return mine;
  }

  async #exchange(serving: Serving): Promise<Served> {
    this.#child.stdin?.write(`${JSON.stringify(serving)}\n`);
    const line = await this.#lines.next();
    if (line.done === true) throw new Error("the process that does jobs has ended");
    return Served.parse(JSON.parse(line.value));
  }
}

/** One for each person, for one file of tests: it ends with the process that the file has. */
const servants = new Map<Person, Servant>();

/** Has a job done in the person's one process for jobs. Throws what was thrown there that no supervisor throws. */
export async function serve(person: Person, serving: Serving): Promise<Served["replies"]> {
  const servant = servants.get(person) ?? new Servant(person);
  servants.set(person, servant);
  const { replies, problem } = await servant.serve(serving);
  if (problem !== null) throw new Error(problem);
  return replies;
}
