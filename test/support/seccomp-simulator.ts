/**
 * An interpreter of seccomp programs that shares no line with the assembler: it reads the bytes as
 * the kernel's documents describe them (Documentation/userspace-api/seccomp_filter.rst,
 * Documentation/networking/filter.rst), and is stricter than the kernel where bytes make no sense.
 */

/** The `AUDIT_ARCH_*` values of include/uapi/linux/audit.h that tests speak about. */
export const AUDIT = {
  x64: 0xc000003e,
  arm64: 0xc00000b7,
  i386: 0x40000003,
  arm: 0x40000028,
  riscv64: 0xc00000f3,
} as const;

/** One system call as a filter sees it; arguments left out are 0. */
export interface SimulatedCall {
  readonly arch: number;
  readonly number: number;
  readonly args?: readonly bigint[];
}

/** What the program answers: `allow`, `kill process`, `errno N`, or another value in hexadecimal. Throws for a program the kernel would not take. `step` is told of each instruction. */
export function simulateSeccomp(
  program: Uint8Array,
  call: SimulatedCall,
  step: (at: number) => void = () => undefined,
): string {
  const code = new DataView(program.buffer, program.byteOffset, program.byteLength);
  const count = program.byteLength / 8;
  if (!Number.isInteger(count) || count < 1 || count > 4096)
    throw new Error(`${program.byteLength} bytes are no program`);
  const data = seccompData(call);
  let accumulator = 0;
  for (let at = 0; at < count; ) {
    step(at);
    const operand = code.getUint32(at * 8 + 4, true);
    const skip = { yes: code.getUint8(at * 8 + 2), no: code.getUint8(at * 8 + 3) };
    const opcode = code.getUint16(at * 8, true);
    at += 1;
    if (opcode === 0x06) return nameAnswer(operand);
    if (opcode === 0x05) at += operand;
    else if (opcode === 0x20) accumulator = loadWord(data, operand);
    else at += compare(opcode, accumulator, operand) ? skip.yes : skip.no;
  }
  throw new Error("ran off the end of the program");
}

/** `struct seccomp_data`: int nr, u32 arch, u64 instruction_pointer, u64 args[6]. */
function seccompData(call: SimulatedCall): DataView {
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, call.number, true);
  data.setUint32(4, call.arch, true);
  data.setBigUint64(8, 0x7fff_1234_5678_9abcn, true);
  for (const [index, value] of (call.args ?? []).entries()) data.setBigUint64(16 + index * 8, value, true);
  return data;
}

function loadWord(data: DataView, offset: number): number {
  if (offset % 4 !== 0 || offset >= 64) throw new Error(`load from ${offset}`);
  return data.getUint32(offset, true);
}

function compare(opcode: number, accumulator: number, operand: number): boolean {
  if (opcode === 0x15) return accumulator === operand;
  if (opcode === 0x25) return accumulator > operand;
  if (opcode === 0x35) return accumulator >= operand;
  if (opcode === 0x45) return (accumulator & operand) !== 0;
  throw new Error(`unknown opcode 0x${opcode.toString(16)}`);
}

function nameAnswer(value: number): string {
  if (value === 0x7fff0000) return "allow";
  if (value === 0x80000000) return "kill process";
  if (value >>> 16 === 0x0005) return `errno ${value & 0xffff}`;
  return `0x${value.toString(16)}`;
}
