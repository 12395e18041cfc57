import { once } from "node:events";
import { mkdirSync, rmSync, statSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { readAnswer } from "../../../../src/approval/read-decision.ts";
import { deviceFindings } from "../../../../src/cli/device-findings.ts";
import { loadConfig } from "../../../../src/config/load.ts";
import type { FoundNode } from "../../../../src/host/launch/device-nodes.ts";
import { LiveCalls } from "../../../../src/host/launch/live-calls.ts";
import { lock } from "../../../../src/host/launch/lock.ts";
import { printProcess, thisProcess } from "../../../../src/host/launch/process-id.ts";
import type { CallWork } from "../../../../src/host/launch/work.ts";
import { simulatedMac } from "../../../../src/host/look/mac/simulated.ts";
import { PortListeners } from "../../../../src/network/port-listeners.ts";
import { knownPath } from "../../../../src/profile/path.ts";
import { createDraft } from "../../../../src/session/draft.ts";
import { openJournal } from "../../../../src/session/open-journal.ts";
import { createSupervisor } from "../../../../src/session/supervisor.ts";
import { MemoryStore } from "../../../../src/store/memory.ts";
import { editSteps } from "../../../../src/tool/files/apply-edits.ts";
import type { Machine } from "../../../unit/config/machine.ts";
import { desk } from "../../approval/desk.ts";
import { put, settled } from "../../http/test-app.ts";
import { CONFIG } from "../config.ts";
import type { Row, Situation } from "../row.ts";

type Device = "fuse" | "kvm";

/** The findings of `check` about a device. The machine has one node of it, with this mode and group, or none. */
const device =
  (
    sandbox: string,
    group: Device,
    node: { readonly mode: number; readonly gid: number } | null,
    more: Partial<{ uid: number; gid: number; isCaller: boolean }> = {},
  ): Situation =>
  (at) => {
    at.write({ [CONFIG]: `version: 1\nsandbox: { runtimes: []${sandbox} }\n` });
    const { config } = loadConfig(at.host, { config: at.at(CONFIG) });
    const path = knownPath("/dev/null");
    const found: readonly FoundNode[] =
      node === null ? [] : [{ path, stats: Object.assign(statSync("/dev/null"), { uid: 0, ...node }) }];
    const user = { uid: 1_000, gid: 1_000, isCaller: false, ...more };
    return deviceFindings(config, { devices: [group] }, { user }, () => found).map(({ hint }) => hint);
  };

/** A call with this many edits; each searches a file of a million letters. */
const edits =
  (count: number): Situation =>
  () => {
    const text = `${"x".repeat(1_000_000)}0`;
    const all = Array.from({ length: count }, (_, at) => ({ old_text: `${at}`, new_text: `${at + 1}` }));
    for (const _ of editSteps(text, all));
  };

/** A port of this machine that somebody else has, or another one. */
const listening =
  (isTaken: boolean): Situation =>
  async () => {
    await using other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    if (!isTaken) await new Promise((done) => other.close(done));
    using _listeners = await PortListeners.listen([port]);
  };

const WORK: CallWork = { places: [], isIsolated: false, acts: true, builds: true };
/** The file of a call that runs holds what is no entry. */
const BROKEN = `home/ann/state/live/1-${printProcess(thisProcess())}`;

const entering: Situation = async (at) => {
  using _entered = await new LiveCalls(at.at("home/ann/state"), true).enter(WORK, null);
};

const journalAt =
  (path: string, make: (at: Machine) => void = () => undefined): Situation =>
  (at) => {
    at.write({ [CONFIG]: "version: 1\nsandbox: { runtimes: [] }\n" });
    make(at);
    const { config } = loadConfig(at.host, { config: at.at(CONFIG) });
    const folder = at.at(path);
    openJournal(at.host, { ...config, journal: { ...config.journal, folder } }, "run-1")[Symbol.dispose]();
  };

/** Follows the events of a store that keeps only the last ones. */
const following =
  (after: number | undefined): Situation =>
  async () => {
    const { broker } = desk({ store: new MemoryStore({ maxEvents: 1 }) });
    await using _broker = broker;
    for (let count = 1; count < 9; count += 1) void put(broker, { approvalId: `a${count}` });
    await settled({ broker }, 8);
    await broker.pending();
    for await (const _ of broker.events(after === undefined ? {} : { after })) break;
  };

/** What the parts of the product are asked by each other. */
export const OF_PARTS: readonly Row[] = [
  // Devices
  [
    "leave it out, or connect the device and load its driver",
    device(", devices: [kvm]", "kvm", null),
    device("", "kvm", null),
  ],
  [
    "leave it out; mount file systems outside, and list their folders under `sandbox.paths`",
    device(", devices: [fuse]", "fuse", { mode: 0o666, gid: 0 }),
    (at, told) => {
      at.write({ "srv/mounted/a": "" });
      return device(`, paths: { data: { root: ${at.at("srv/mounted")}, mode: ro } }`, "fuse", {
        mode: 0o666,
        gid: 0,
      })(at, told);
    },
  ],
  [
    "outside the sandbox, let a group of the user open it (`ls -l {}` shows its owner), and log in again",
    device(", devices: [kvm]", "kvm", { mode: 0o600, gid: 0 }),
    device(", devices: [kvm]", "kvm", { mode: 0o660, gid: 1_000 }),
  ],
  [
    "outside the sandbox, add user {} to the group of {} (`stat -c %G {}`), and start cofferdam as that user",
    device(", devices: [kvm]", "kvm", { mode: 0o660, gid: 44 }),
    // That user may open it: the null device is everybody's.
    device(", devices: [kvm]", "kvm", { mode: 0o660, gid: 44 }, { isCaller: true }),
  ],
  // Files, ports and locks
  ["make fewer edits in one call", edits(200), edits(2)],
  [
    'answer `{ status: "approved", scope: "once", by }` or `{ status: "rejected", by, note? }`, or `{ approved: true | false, by?, editedInput? }`',
    () => void readAnswer("yes", "ann"),
    () => void readAnswer({ status: "approved", scope: "once", by: "ann" }, "ann"),
  ],
  [
    "use another port, or end its program (Linux: `ss -ltnp sport = :{}`; macOS: `lsof -i :{}`)",
    listening(true),
    listening(false),
  ],
  [
    "end that call, or remove the file if no cofferdam runs",
    (at, told) => {
      at.write({ [BROKEN]: "{" });
      return entering(at, told);
    },
    (at, told) => {
      rmSync(at.at(BROKEN));
      return entering(at, told);
    },
  ],
  [
    "make sure that this user may write in {}, and that the disk is not full",
    async (at) => {
      at.write({ own: "" });
      using _lock = await lock(at.at("own/lock"));
    },
    async (at) => {
      rmSync(at.at("own"));
      mkdirSync(at.at("own"));
      using _lock = await lock(at.at("own/lock"));
    },
  ],
  [
    "use another folder, or create it yourself with the mode 0700",
    (at, told) => {
      at.write({ "srv/a": "" });
      return journalAt("srv/a/records")(at, told);
    },
    journalAt("srv/records"),
  ],
  [
    "use `createDraft`, which runs nothing, or remove `simulated` from the host",
    async (at) => {
      at.write({ [CONFIG]: "version: 1\nsandbox: { runtimes: [] }\n" });
      const host = { ...at.host, simulated: simulatedMac({ name: "ann", home: at.home }) };
      await using _made = await createSupervisor({ host, config: at.at(CONFIG) });
    },
    (at) => {
      const host = { ...at.host, simulated: simulatedMac({ name: "ann", home: at.home }) };
      void createDraft({ host, config: at.at(CONFIG) });
    },
  ],
  ["read the pending requests, and subscribe without a number", following(0), following(undefined)],
];
