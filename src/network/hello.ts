/** The type of the server name extension, and of its only kind of name (RFC 6066, section 3). */
const [SERVER_NAME, HOST_NAME] = [0, 0];

/**
 * The host that a TLS hello asks for (RFC 8446, section 4.1.2; RFC 5246, section 7.4.1.2), from the body of its
 * message. Empty if it asks for none. Null if any byte is malformed: two ends could read that in two ways.
 */
export function serverNameIn(body: Buffer): string | null {
  const at = new Fields(body);
  // The version and 32 random bytes; a session; ciphers; compressions.
  const isWhole = at.skip(34) && at.vector(1) !== null && at.vector(2) !== null && at.vector(1) !== null;
  if (!isWhole) return null;
  if (at.isOver) return "";
  const all = at.vector(2);
  if (all === null || !at.isOver) return null;
  const names: Buffer[] = [];
  for (const extensions = new Fields(all); !extensions.isOver; ) {
    const [type, data] = [extensions.number(2), extensions.vector(2)];
    if (type === null || data === null) return null;
    if (type === SERVER_NAME) names.push(data);
  }
  const [name, ...others] = names;
  if (name === undefined) return "";
  return others.length > 0 ? null : hostIn(name);
}

function hostIn(extension: Buffer): string | null {
  const at = new Fields(extension);
  const list = at.vector(2);
  if (list === null || !at.isOver) return null;
  const inside = new Fields(list);
  if (inside.number(1) !== HOST_NAME) return null;
  const host = inside.vector(2);
  return host === null || host.length === 0 || !inside.isOver ? null : host.toString("latin1");
}

/** Reads numbers and vectors in turn (RFC 8446, section 3); null past the end. */
class Fields {
  #left: Buffer;

  constructor(bytes: Buffer) {
    this.#left = bytes;
  }

  get isOver(): boolean {
    return this.#left.length === 0;
  }

  number(bytes: 1 | 2): number | null {
    return this.#taken(bytes)?.readUIntBE(0, bytes) ?? null;
  }

  /** The bytes after a length field of `bytes` bytes. */
  vector(bytes: 1 | 2): Buffer | null {
    const length = this.number(bytes);
    return length === null ? null : this.#taken(length);
  }

  skip(bytes: number): boolean {
    return this.#taken(bytes) !== null;
  }

  #taken(bytes: number): Buffer | null {
    if (this.#left.length < bytes) return null;
    const taken = this.#left.subarray(0, bytes);
    this.#left = this.#left.subarray(bytes);
    return taken;
  }
}
