import {
  ALLOW,
  ARCH_OFFSET,
  ERRNO_NAMES,
  ERRNOS,
  KILL_PROCESS,
  NUMBER_OFFSET,
  RETURN_ERRNO,
} from "../../src/backend/seccomp/abi.ts";
import { INSTRUCTION_BYTES, OPCODES } from "../../src/backend/seccomp/assemble.ts";
import { CofferdamError } from "../../src/errors.ts";

/**
 * A seccomp program in numbered lines: `jeq 16 ? 9 : 5` goes to 9 when the loaded word is 16, else to 5. Throws
 * `INTERNAL` for bytes that `assemble` does not make.
 */
export function printSeccomp(program: Uint8Array): string {
  if (program.byteLength % INSTRUCTION_BYTES !== 0)
    throw unreadable(`${program.byteLength} bytes are no whole instructions`);
  const view = new DataView(program.buffer, program.byteOffset, program.byteLength);
  const count = program.byteLength / INSTRUCTION_BYTES;
  return Array.from(
    { length: count },
    (_, index) => `${String(index).padStart(4)}  ${printInstruction(view, index)}`,
  ).join("\n");
}

function printInstruction(view: DataView, index: number): string {
  const at = index * INSTRUCTION_BYTES;
  const code = view.getUint16(at, true);
  const value = view.getUint32(at + 4, true);
  const targets = `${index + 1 + view.getUint8(at + 2)} : ${index + 1 + view.getUint8(at + 3)}`;
  switch (code) {
    case OPCODES.ld:
      return `ld   ${printWord(value)}`;
    case OPCODES.ja:
      return `ja   ${index + 1 + value}`;
    case OPCODES.ret:
      return `ret  ${printAnswer(value)}`;
    case OPCODES.jeq:
      return `jeq  ${printNumber(value)} ? ${targets}`;
    case OPCODES.jgt:
      return `jgt  ${printNumber(value)} ? ${targets}`;
    case OPCODES.jge:
      return `jge  ${printNumber(value)} ? ${targets}`;
    case OPCODES.jset:
      return `jset ${printNumber(value)} ? ${targets}`;
    default:
      throw unreadable(`instruction ${index} has the unknown code 0x${code.toString(16)}`);
  }
}

function printWord(offset: number): string {
  if (offset === NUMBER_OFFSET) return "number";
  if (offset === ARCH_OFFSET) return "arch";
  if (offset < 16) return `pointer.${offset === 8 ? "low" : "high"}`;
  return `argument ${Math.floor((offset - 16) / 8)}.${offset % 8 === 0 ? "low" : "high"}`;
}

/** Call numbers as tables list them, in decimal; request codes, masks and architectures in hexadecimal. */
function printNumber(value: number): string {
  return value < 1024 ? String(value) : `0x${value.toString(16)}`;
}

function printAnswer(value: number): string {
  if (value === ALLOW) return "allow";
  if (value === KILL_PROCESS) return "kill process";
  const errno = ERRNO_NAMES.find((name) => value === (RETURN_ERRNO | ERRNOS[name]));
  return errno ?? `0x${value.toString(16)}`;
}

function unreadable(what: string): CofferdamError {
  return new CofferdamError("INTERNAL", `seccomp program: ${what}`);
}
