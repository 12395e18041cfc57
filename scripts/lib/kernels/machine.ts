import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, createWriteStream, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { setPriority } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Kernel } from "./archive.ts";
import { makeInitramfs } from "./initramfs.ts";
import type { Job } from "./job.ts";

/** The interval at which the host looks for progress. */
const LOOK_MS = 500;

/** The start of the machine, and the words of each job. */
export interface Machine {
  readonly kernel: Kernel;
  readonly jobs: readonly Job[];
  /** The only folder that the machine can write. */
  readonly out: string;
  readonly signal: AbortSignal;
  /** Called for each job as it ends. */
  readonly onDone: (job: Job) => void;
}

/**
 * Starts an emulated machine, waits until it powers itself off, and leaves the output of the jobs in `out`. The host's
 * files are there read-only, below a layer in memory. It emulates by software, because the host's own sandbox may refuse
 * hardware support. Returns null, or the reason if the machine ended before its jobs.
 */
export async function runMachine({ kernel, jobs, out, signal, onDone }: Machine): Promise<string | null> {
  mkdirSync(join(out, "jobs"), { recursive: true });
  copyFileSync(join(import.meta.dirname, "inside.sh"), join(out, "inside.sh"));
  writeLines(join(out, "settings"), [
    join(import.meta.dirname, "../../.."),
    dirname(dirname(process.execPath)),
  ]);
  for (const [index, { name, user, place, seconds, argv }] of jobs.entries())
    writeLines(join(out, "jobs", String(index).padStart(2, "0")), [
      name,
      user,
      place,
      String(seconds),
      ...argv,
    ]);
  const initramfs = makeInitramfs(kernel.modules, out);
  const child = spawn("qemu-system-x86_64", optionsFor(kernel, initramfs, out), {
    stdio: ["ignore", "pipe", "pipe"],
    signal,
  });
  const console = createWriteStream(join(out, "console"));
  child.stdout.pipe(console, { end: false });
  child.stderr.pipe(console, { end: false });
  // Other work of this machine comes first.
  if (child.pid !== undefined) setPriority(child.pid, 19);
  const ended = once(child, "close");
  let isOver = false;
  const told = new Set<Job>();
  const tell = (): void => {
    for (const job of jobs)
      if (!told.has(job) && existsSync(join(out, `${job.name}.status`))) {
        told.add(job);
        onDone(job);
      }
  };
  const telling = (async () => {
    while (!isOver) {
      await sleep(LOOK_MS);
      tell();
    }
  })();
  try {
    await ended;
  } finally {
    isOver = true;
    await telling;
    console.end();
  }
  if (existsSync(join(out, "done"))) return null;
  return `the machine ended before its jobs did: ${readFileSync(join(out, "console"), "utf8").slice(-2_000)}`;
}

function optionsFor({ image }: Kernel, initramfs: string, out: string): readonly string[] {
  const share = (tag: string, path: string, more: string): readonly string[] => [
    "-virtfs",
    `local,path=${path.replaceAll(",", ",,")},mount_tag=${tag},security_model=none${more}`,
  ];
  return [
    // With protection keys in the emulated processor, V8 aborted twice in a check of its code pages; without them never.
    ...["-accel", "tcg,thread=multi", "-cpu", "max,pku=off", "-m", "4096", "-smp", "2"],
    ...["-display", "none", "-serial", "stdio", "-monitor", "none", "-nic", "none", "-no-reboot"],
    ...["-kernel", image, "-initrd", initramfs, "-append", "console=ttyS0 quiet panic=1"],
    ...share("host", "/", ",readonly=on,multidevs=remap"),
    ...share("out", out, ""),
  ];
}

/** No shell reads these, so nothing is quoted; `inside.sh` takes a line for a word. */
function writeLines(file: string, words: readonly string[]): void {
  const broken = words.find((word) => word.includes("\n"));
  if (broken !== undefined)
    throw new Error(`a path with a line break can't be told the machine: ${JSON.stringify(broken)}`);
  writeFileSync(file, words.map((word) => `${word}\n`).join(""));
}
