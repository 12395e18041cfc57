import { visible } from "../../errors.ts";
import { CallWatches } from "../../host/launch/call-watches.ts";
import { Quarantine } from "../../host/launch/quarantine/quarantine.ts";
import { isHeld, type QuarantineRecord } from "../../host/launch/quarantine/record.ts";
import { thisHost } from "../../host/look/host.ts";
import { COMMON, knownWord, readArguments, usage } from "../arguments.ts";
import type { Print } from "../print.ts";
import { itemLines, quarantineRows, recordLine, settledLines } from "../quarantine-text.ts";
import { typedPath, waysToType } from "../typed-path.ts";

const { json: JSON_OPTION, help: HELP_OPTION } = COMMON;

/** Lists, shows, restores and removes files that calls made and hosts execute. See `cofferdam quarantine --help`. */
export async function quarantine(args: readonly string[], print: Print): Promise<number> {
  const { values, positionals } = readArguments("quarantine", args, { json: JSON_OPTION, help: HELP_OPTION });
  const { json: isJson = false } = values;
  const [word = "list", id, ...paths] = positionals;
  const action = knownWord("quarantine", "action", word, ["list", "show", "restore", "drop"]);
  const host = thisHost();
  const held = new Quarantine(host.stateFolder, host);
  await held.sweep();
  if (action === "list") {
    if (id !== undefined) throw usage("quarantine", `unexpected argument ${visible(id)}`);
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
  const done = action === "restore" ? "restored" : "deleted";
  if (isJson) print.json(settled);
  else if (settled.length === 0) print.talk("nothing is left in this entry");
  else for (const line of settledLines(done, settled, print.ink)) print.result(line);
  return settled.some(({ problem }) => problem !== null) ? 1 : 0;
}

function list(held: Quarantine, watches: CallWatches, isJson: boolean, print: Print): number {
  const records = held.list();
  if (isJson) print.json(records);
  else if (records.length === 0) print.talk("the quarantine is empty");
  else for (const line of quarantineRows(records, print.ink)) print.result(line);
  const cut = watches.leftBehind().length;
  if (cut > 0)
    print.talk(
      `${cut === 1 ? "a call was" : `${cut} calls were`} interrupted: new files are checked when cofferdam runs next`,
    );
  return 0;
}

async function show(record: QuarantineRecord, held: Quarantine, print: Print): Promise<void> {
  print.result(recordLine(record, print.ink));
  for (const [index, item] of record.items.entries())
    for (const line of ["", ...itemLines(item, await held.contentOf(record, index), print.ink)])
      print.result(line);
}

function recordNamed(id: string | undefined, held: Quarantine): QuarantineRecord {
  if (id === undefined) throw usage("quarantine", "`quarantine` needs ID");
  const [only, ...others] = held.list().filter((one) => one.id.startsWith(id));
  if (only !== undefined && others.length === 0) return only;
  const message =
    only === undefined ? `unknown entry ${visible(id)}` : `several entries begin with ${visible(id)}`;
  throw usage("quarantine", message, "run `cofferdam quarantine list`");
}

/** A path of the record, given in full or by its end. Throws `USAGE`. */
function pathNamed(path: string, { id, items }: QuarantineRecord): string {
  const held = items.filter(isHeld).map((item) => item.path);
  const typed = typedPath(path);
  const isMeant = (one: string): boolean =>
    waysToType(one).some((way) => way === typed || way.endsWith(`/${typed}`));
  const [only, ...others] = held.includes(typed) ? [typed] : held.filter(isMeant);
  if (only !== undefined && others.length === 0) return only;
  const message =
    only === undefined ? `${visible(path)} is not in this entry` : `several paths end in ${visible(path)}`;
  throw usage("quarantine", message, `run \`cofferdam quarantine show ${id.slice(0, 8)}\``);
}
