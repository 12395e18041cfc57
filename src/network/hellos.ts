import type { ByteReader } from "./byte-reader.ts";
import { serverNameIn } from "./hello.ts";

/** Content types of TLS records (RFC 8446, section 5.1). */
const [CHANGE_CIPHER_SPEC, ALERT, HANDSHAKE, APPLICATION_DATA, HEARTBEAT] = [20, 21, 22, 23, 24];
const TLS: readonly (number | undefined)[] = [
  CHANGE_CIPHER_SPEC,
  ALERT,
  HANDSHAKE,
  APPLICATION_DATA,
  HEARTBEAT,
];

/** The type of a handshake message that is a hello (RFC 8446, section 4), and of one of SSL 2 (RFC 5246, appendix E.2). */
const HELLO = 1;

/** A hello is never longer: real ones have a few kilobytes. */
const MOST_HELLO = 64 * 1024;

/** Two hellos at most: the second where a server asks for one (RFC 8446, section 4.1.4). */
const MOST_HELLOS = 2;

/** So many records may stand around them that hold nothing: clients send one (RFC 8446, appendix D.4). */
const MOST_OTHERS = 4;

/**
 * Passes on what a program says first, as long as it could be a TLS hello that can be read: each must ask for a host that
 * `maySay` lets it. True where all else may be passed on unread: it is no TLS, or what follows is encrypted. What looks
 * like TLS and does not begin with a hello, as some servers put up with, asks for no host.
 */
export async function passHellos(
  said: ByteReader,
  maySay: (serverName: string) => boolean,
  pass: (bytes: Buffer) => void,
): Promise<boolean> {
  if (!(await startsLikeTls(said))) return true;
  for (let [hellos, others] = [0, 0]; ; ) {
    const header = await said.peek(5);
    if (header === null) return hellos > 0;
    const [type, length] = [header[0], header.readUInt16BE(3)];
    const isEmpty = type === HANDSHAKE && length === 0;
    if (hellos > 0 && (type === CHANGE_CIPHER_SPEC || isEmpty) && others < MOST_OTHERS) {
      others += 1;
      pass(await said.take(5 + length));
      continue;
    }
    const isHello = type === HANDSHAKE && !isEmpty && (await said.peek(6))?.[5] === HELLO;
    // Behind the first hello whatever is none is a part of what only both ends can read.
    if (!isHello && hellos > 0 && !isEmpty) return true;
    const hello = isHello && hellos < MOST_HELLOS ? await takeHello(said) : null;
    if (!maySay(hello === null ? "" : await serverNameIn(hello))) return false;
    if (hello === null) return false;
    pass(hello);
    hellos += 1;
  }
}

/** By its first three bytes: a record of TLS, or a hello of SSL 2. */
async function startsLikeTls(said: ByteReader): Promise<boolean> {
  const [first = 0, second, third] = (await said.peek(3)) ?? said.held;
  return (TLS.includes(first) && second === 3) || ((first & 0x80) !== 0 && third === HELLO);
}

/** The records that hold one hello, whole; null where they hold anything besides, or too much. */
async function takeHello(said: ByteReader): Promise<Buffer | null> {
  const records: Buffer[] = [];
  let message = Buffer.alloc(0);
  for (;;) {
    const header = await said.take(5);
    const body = await said.take(header.readUInt16BE(3));
    if (header[0] !== HANDSHAKE) return null;
    records.push(header, body);
    message = Buffer.concat([message, body]);
    const whole = message.length < 4 ? MOST_HELLO : 4 + message.readUIntBE(1, 3);
    if (message.length > whole || whole > MOST_HELLO || records.length > MOST_HELLO / 64) return null;
    if (message.length === whole) return Buffer.concat(records);
  }
}
