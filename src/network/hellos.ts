import type { ByteReader } from "./byte-reader.ts";
import { serverNameIn } from "./hello.ts";

/** Content types of TLS records (RFC 8446, section 5.1). */
const [CHANGE_CIPHER_SPEC, ALERT, HANDSHAKE] = [20, 21, 22];

/** Types of handshake messages (RFC 8446, section 4); one of SSL 2 has the same number (RFC 5246, appendix E.2). */
const [CLIENT_HELLO, SERVER_HELLO] = [1, 2];

/** The major version of every record of TLS; servers put up with others (Go, crypto/tls/conn.go: all below 16). */
const [MAJOR, MAX_MAJOR] = [3, 15];

/** A hello is never longer: real ones have a few kilobytes. */
const MAX_HELLO = 64 * 1024;

/** Maximum of records before a second hello: a change of ciphers, and early data (RFC 8446, section 4.2.10). */
const MAX_BETWEEN = 16;

/** The random bytes of a server that wants another hello (RFC 8446, section 4.1.3). */
const RETRY = Buffer.from("cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c", "hex");

/** The position of the random bytes in a record, and the maximum of warnings before it. */
const [RANDOM_AT, MAX_WARNINGS] = [11, 2];

/** The rules for a program's hellos, and the state of the server's first words. */
export interface HelloTalk {
  /** True if a hello may ask for this host: empty for none, null if unreadable. */
  readonly maySay: (serverName: string | null) => boolean;
  readonly pass: (bytes: Buffer) => void;
  /** True if the server wants another hello; resolves once the server has sent enough, or ended. */
  readonly wantsAnother: () => Promise<boolean>;
}

/**
 * Passes on the TLS hellos with which a program begins: each must ask for an allowed host. There is a second one if the
 * server wants it. True if everything else may be passed on unread: it is not TLS, or is encrypted.
 */
export async function passHellos(said: ByteReader, talk: HelloTalk): Promise<boolean> {
  if (!(await startsLikeTls(said))) return true;
  if (!(await passHello(said, talk))) return false;
  if (!(await talk.wantsAnother())) return true;
  for (let between = 0; between < MAX_BETWEEN; between += 1) {
    const header = await said.peek(5);
    if (header === null || header[0] === HANDSHAKE) break;
    talk.pass(await said.take(5 + header.readUInt16BE(3)));
  }
  return passHello(said, talk);
}

/** True if a server's first words ask for another hello; null if more bytes are needed. */
export function asksAgain(bytes: Buffer): boolean | null {
  let at = 0;
  for (let warnings = 0; warnings < MAX_WARNINGS && bytes[at] === ALERT; warnings += 1) {
    if (bytes.length < at + 5) return null;
    at += 5 + bytes.readUInt16BE(at + 3);
  }
  const [type, message] = [bytes[at], bytes[at + 5]];
  if (type !== undefined && type !== HANDSHAKE) return false;
  if (message !== undefined && message !== SERVER_HELLO) return false;
  const random = bytes.subarray(at + RANDOM_AT, at + RANDOM_AT + RETRY.length);
  return random.length < RETRY.length ? null : random.equals(RETRY);
}

/**
 * True if the first bytes are a record with a hello, a record that servers accept before it (a warning, a change of
 * ciphers, an empty one), or a hello of SSL 2. Other protocols begin with the same numbers now and then.
 */
async function startsLikeTls(said: ByteReader): Promise<boolean> {
  const [first = 0] = (await said.peek(1)) ?? [];
  if ((first & 0x80) !== 0) return (await said.peek(3))?.[2] === CLIENT_HELLO;
  if (![CHANGE_CIPHER_SPEC, ALERT, HANDSHAKE].includes(first)) return false;
  const header = await said.peek(5);
  if (header === null || (header[1] ?? 0) > MAX_MAJOR) return false;
  const length = header.readUInt16BE(3);
  if (first === ALERT) return length === 2;
  if (first === CHANGE_CIPHER_SPEC) return length <= 1;
  return length === 0 || (await said.peek(6))?.[5] === CLIENT_HELLO;
}

async function passHello(said: ByteReader, { maySay, pass }: HelloTalk): Promise<boolean> {
  const hello = await readHello(said);
  if (!maySay(hello === null ? null : serverNameIn(hello.body))) return false;
  if (hello !== null) pass(hello.records);
  return hello !== null;
}

/** The records of one complete hello; null if they hold anything else, or too much. */
async function readHello(
  said: ByteReader,
): Promise<{ readonly records: Buffer; readonly body: Buffer } | null> {
  const records: Buffer[] = [];
  let message = Buffer.alloc(0);
  for (;;) {
    const header = await said.take(5);
    if (header[0] !== HANDSHAKE || header[1] !== MAJOR) return null;
    const body = await said.take(header.readUInt16BE(3));
    records.push(header, body);
    message = Buffer.concat([message, body]);
    if (message.length > 0 && message[0] !== CLIENT_HELLO) return null;
    const whole = message.length < 4 ? MAX_HELLO : 4 + message.readUIntBE(1, 3);
    if (message.length > whole || whole > MAX_HELLO || records.length > MAX_HELLO / 64) return null;
    if (message.length === whole) return { records: Buffer.concat(records), body: message.subarray(4) };
  }
}
