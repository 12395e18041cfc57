import { visible } from "../../errors.ts";
import { CallWatches } from "../../host/call-watches.ts";
import { thisHost } from "../../host/host.ts";
import { Quarantine } from "../../host/quarantine/quarantine.ts";
import { isHeld, type QuarantineRecord } from "../../host/quarantine/record.ts";
import { COMMON, knownWord, readArguments, usage } from "../arguments.ts";
import type { Print } from "../print.ts";
import { itemLines, quarantineRows, recordLine, settledLines } from "../quarantine-text.ts";
import { typedPath, waysToType } from "../typed-path.ts";

const { json: JSON_OPTION, help: HELP_OPTION } = COMMON;

/** Lists, shows, gives back and removes what calls made and hosts execute. See `cofferdam quarantine --help`. */
export async function quarantine(args: readonly string[], print: Print): Promise<number> {
  const { values, positionals } = readArguments("quarantine", args, { json: JSON_OPTION, help: HELP_OPTION });
  const { json: isJson = false } = values;
  const [word = "list", id, ...paths] = positionals;
  const action = knownWord("quarantine", "action", word, ["list", "show", "restore", "drop"]);
  const host = thisHost();
  const held = new Quarantine(host.stateFolder, host);
  await held.sweep();
  if (action === "list") {
    if (id !== undefined) throw usage("quarantine", `${visible(id)} is one word too many for \`quarantine\``);
    return list(held, new CallWatches(host.stateFolder), isJson, print);
  }
  const record = recordNamed(id, held);
  if (action === "show") {
    if (isJson) print.json(record);
    else await show(record, held, print);
    return 0;
  }
  const wanted = paths.length === 0 ? null : paths.map((path) => pathNamed(path, record));
  const settled = await (action === "restore"
    ? held.restore(record.id, wanted)
    : held.drop(record.id, wanted));
  const done = action === "restore" ? "given back" : "removed";
  if (isJson) print.json(settled);
  else if (settled.length === 0) print.talk("nothing of it is held any more");
  else for (const line of settledLines(done, settled, print.ink)) print.result(line);
  return settled.some(({ problem }) => problem !== null) ? 1 : 0;
}

function list(held: Quarantine, watches: CallWatches, isJson: boolean, print: Print): number {
  const records = held.list();
  if (isJson) print.json(records);
  else if (records.length === 0) print.talk("nothing is in quarantine");
  else for (const line of quarantineRows(records, print.ink)) print.result(line);
  const cut = watches.leftBehind().length;
  if (cut > 0)
    print.talk(
      `${cut === 1 ? "a call was" : `${cut} calls were`} cut off: what was made is looked for when cofferdam runs next`,
    );
  return 0;
}

async function show(record: QuarantineRecord, held: Quarantine, print: Print): Promise<void> {
  print.result(recordLine(record, print.ink));
  for (const [index, item] of record.items.entries())
    for (const line of ["", ...itemLines(item, await held.contentOf(record, index), print.ink)])
      print.result(line);
}

/** Throws `USAGE`. */
function recordNamed(id: string | undefined, held: Quarantine): QuarantineRecord {
  if (id === undefined) throw usage("quarantine", "`quarantine` needs ID");
  const [only, ...others] = held.list().filter((one) => one.id.startsWith(id));
  if (only !== undefined && others.length === 0) return only;
  const message =
    only === undefined ? `nothing is held under ${visible(id)}` : `several begin with ${visible(id)}`;
  throw usage("quarantine", message, "run `cofferdam quarantine list`");
}

/** A path of the record, written whole or as it ends. Throws `USAGE`. */
function pathNamed(path: string, { id, items }: QuarantineRecord): string {
  const held = items.filter(isHeld).map((item) => item.path);
  const typed = typedPath(path);
  const isMeant = (one: string): boolean =>
    waysToType(one).some((way) => way === typed || way.endsWith(`/${typed}`));
  const [only, ...others] = held.includes(typed) ? [typed] : held.filter(isMeant);
  if (only !== undefined && others.length === 0) return only;
  const message =
    only === undefined ? `${visible(path)} is not held` : `several paths end in ${visible(path)}`;
  throw usage("quarantine", message, `run \`cofferdam quarantine show ${id.slice(0, 8)}\``);
}
