import { z } from "zod";
import type { Limits } from "./limits.ts";
import { Duration, Size } from "./quantity.ts";

/** A size that is enforced as written: the kernel counts in blocks, pages or kibibytes and has no smaller bound. */
function sizeFrom(least: number, written: string) {
  return Size.refine((size) => size >= least, `the minimum size is \`${written}\``);
}

export const LimitsSection = z.strictObject({
  wall: Duration.optional().meta({ description: "Max duration of a call.", examples: ["2m"] }),
  cpu: Duration.optional().meta({ description: "Max processor time of each process.", examples: ["60s"] }),
  memory: sizeFrom(1024, "1KiB")
    .optional()
    .meta({
      description: "Max memory of all processes of a call if a cgroup can be created, else of each.",
      examples: ["2GiB"],
    }),
  processes: z
    .int()
    .min(1)
    .optional()
    .meta({ description: "Max number of processes and threads of a call.", examples: [256] }),
  file_size: sizeFrom(512, "512B")
    .optional()
    .meta({ description: "Max size of a file that a call writes.", examples: ["1GiB"] }),
  open_files: z
    .int()
    .min(16)
    .optional()
    .meta({ description: "Max number of open files of each process.", examples: [1024] }),
  output: Size.optional().meta({
    description: "Max output of a call that is kept; the rest is dropped.",
    examples: ["1MiB"],
  }),
  connections: z
    .int()
    .min(1)
    .optional()
    .meta({ description: "Max concurrent connections through the egress proxy.", examples: [16] }),
  transfer: Size.optional().meta({
    description: "Max total of bytes sent and received through the egress proxy.",
    examples: ["100MiB"],
  }),
  connection_time: Duration.optional().meta({
    description: "Max duration of a connection through the egress proxy.",
    examples: ["60s"],
  }),
  scratch: sizeFrom(4096, "4KiB")
    .optional()
    .meta({
      description: "Max size of `/tmp`, which contains HOME; also the max for `/dev/shm`. Default: 256MiB.",
      examples: ["256MiB"],
    }),
  shared_memory: sizeFrom(4096, "4KiB")
    .optional()
    .meta({
      description: "Max size of `/dev/shm`. Default: half of `scratch`, or 64MiB if that is more.",
      examples: ["64MiB"],
    }),
  strict: z.boolean().optional().describe("Reject the call if this machine cannot enforce a limit."),
});
export type LimitsSection = z.infer<typeof LimitsSection>;

/** `limits:` in the model's units: milliseconds, whole seconds (rounded up), bytes and counts. */
export function limitsFrom(section: LimitsSection): Limits {
  return {
    ...(section.wall === undefined ? {} : { wallMs: section.wall }),
    ...(section.cpu === undefined ? {} : { cpuSeconds: Math.ceil(section.cpu / 1000) }),
    ...(section.memory === undefined ? {} : { memoryBytes: section.memory }),
    ...(section.processes === undefined ? {} : { processes: section.processes }),
    ...(section.file_size === undefined ? {} : { fileBytes: section.file_size }),
    ...(section.open_files === undefined ? {} : { openFiles: section.open_files }),
    ...(section.output === undefined ? {} : { outputBytes: section.output }),
    ...(section.scratch === undefined ? {} : { scratchBytes: section.scratch }),
    ...(section.shared_memory === undefined ? {} : { sharedMemoryBytes: section.shared_memory }),
    ...(section.connections === undefined ? {} : { connections: section.connections }),
    ...(section.transfer === undefined ? {} : { transferBytes: section.transfer }),
    ...(section.connection_time === undefined ? {} : { connectionMs: section.connection_time }),
    ...(section.strict === true ? { strict: true } : {}),
  };
}
