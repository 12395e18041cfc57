import { CofferdamError } from "../../errors.ts";

/** Classic BPF instructions, by mnemonic (include/uapi/linux/bpf_common.h). */
export const OPCODES = {
  ld: 0x20,
  ja: 0x05,
  jeq: 0x15,
  jgt: 0x25,
  jge: 0x35,
  jset: 0x45,
  ret: 0x06,
} as const;

/** A comparison of the loaded word with a constant: equal, greater, not less, has one of these bits. */
export type JumpTest = "jeq" | "jgt" | "jge" | "jset";

/** One line of a program before its labels are resolved; made by `load`, `jump`, `go`, `answer` and `label`. */
export type AssemblyLine =
  | { readonly kind: "load"; readonly offset: number }
  | {
      readonly kind: "jump";
      readonly test: JumpTest;
      readonly value: number;
      readonly yes: string;
      readonly no: string;
    }
  | { readonly kind: "go"; readonly to: string }
  | { readonly kind: "answer"; readonly value: number }
  | { readonly kind: "label"; readonly name: string };

/** The label of the following instruction: a jump there continues. */
export const NEXT = "next";

/** Bytes of one `struct sock_filter` (include/uapi/linux/filter.h). */
export const INSTRUCTION_BYTES = 8;

/** The maximum of instructions in one program: `BPF_MAXINSNS` (include/uapi/linux/bpf_common.h). */
export const MAX_INSTRUCTIONS = 4096;

/** A line that loads the 32-bit word at a byte offset of `seccomp_data`. */
export function load(offset: number): AssemblyLine {
  return { kind: "load", offset };
}

/** A line that compares the loaded word with `value` and goes to the label `yes` or `no`. */
export function jump(test: JumpTest, value: number, yes: string, no: string = NEXT): AssemblyLine {
  return { kind: "jump", test, value, yes, no };
}

/** A line that jumps to the label, at any distance. */
export function go(to: string): AssemblyLine {
  return { kind: "go", to };
}

/** A line that ends the program with a `SECCOMP_RET_*` value. */
export function answer(value: number): AssemblyLine {
  return { kind: "answer", value };
}

/** A line that names the instruction after it. */
export function label(name: string): AssemblyLine {
  return { kind: "label", name };
}

/**
 * The bytes of a program, as `prctl(PR_SET_SECCOMP)` and bwrap's `--seccomp` take them: an array of little-endian
 * `struct sock_filter { u16 code; u8 jt; u8 jf; u32 k; }`. Jumps go forwards only, and those that compare over at most
 * 255 instructions. Throws `INTERNAL` for a program that the kernel would refuse and for a label that is unknown,
 * repeated, earlier or too far ahead.
 */
export function assemble(lines: readonly AssemblyLine[]): Uint8Array {
  const places = placeLabels(lines);
  const instructions = lines.filter((line) => line.kind !== "label");
  if (instructions.length > MAX_INSTRUCTIONS)
    throw broken(`${instructions.length} instructions, the kernel takes ${MAX_INSTRUCTIONS}`);
  if (lines.at(-1)?.kind !== "answer") throw broken("it does not end with an answer");
  const bytes = new Uint8Array(instructions.length * INSTRUCTION_BYTES);
  const view = new DataView(bytes.buffer);
  for (const [index, line] of instructions.entries()) write(view, index, line, places);
  return bytes;
}

type Instruction = Exclude<AssemblyLine, { readonly kind: "label" }>;

function placeLabels(lines: readonly AssemblyLine[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  let index = 0;
  for (const line of lines) {
    if (line.kind !== "label") {
      index += 1;
      continue;
    }
    if (line.name === NEXT || places.has(line.name)) throw broken(`label \`${line.name}\` is taken`);
    places.set(line.name, index);
  }
  return places;
}

function write(view: DataView, index: number, line: Instruction, places: ReadonlyMap<string, number>): void {
  const { code, yes, no, value } = encode(line, index, places);
  if (!Number.isInteger(value) || value < 0 || value > 0xffff_ffff)
    throw broken(`${value} is no 32-bit word`);
  const at = index * INSTRUCTION_BYTES;
  view.setUint16(at, code, true);
  view.setUint8(at + 2, yes);
  view.setUint8(at + 3, no);
  view.setUint32(at + 4, value, true);
}

interface Encoded {
  readonly code: number;
  readonly yes: number;
  readonly no: number;
  readonly value: number;
}

function encode(line: Instruction, index: number, places: ReadonlyMap<string, number>): Encoded {
  switch (line.kind) {
    case "load":
      return { code: OPCODES.ld, yes: 0, no: 0, value: wordOffset(line.offset) };
    case "jump": {
      const yes = distance(line.yes, index, places);
      const no = distance(line.no, index, places);
      return { code: OPCODES[line.test], yes, no, value: line.value };
    }
    case "go":
      return { code: OPCODES.ja, yes: 0, no: 0, value: skipped(line.to, index, places) };
    case "answer":
      return { code: OPCODES.ret, yes: 0, no: 0, value: line.value };
  }
}

/** The kernel refuses a load that is not aligned or not inside the 64 bytes of `seccomp_data`. */
function wordOffset(offset: number): number {
  if (offset % 4 !== 0 || offset > 60) throw broken(`no word of \`seccomp_data\` is at ${offset}`);
  return offset;
}

/** The instructions that a comparison skips to reach the label; the kernel keeps them in 8 bits. */
function distance(name: string, index: number, places: ReadonlyMap<string, number>): number {
  if (name === NEXT) return 0;
  const far = skipped(name, index, places);
  if (far > 255) throw broken(`label \`${name}\` is ${far} instructions away, a jump skips 255`);
  return far;
}

function skipped(name: string, index: number, places: ReadonlyMap<string, number>): number {
  const place = places.get(name);
  if (place === undefined) throw broken(`there is no label \`${name}\``);
  if (place <= index) throw broken(`label \`${name}\` is behind its jump`);
  return place - index - 1;
}

function broken(what: string): CofferdamError {
  return new CofferdamError("INTERNAL", `seccomp program: ${what}`);
}
