/** A program that reaches hosts from inside, and how it finds the egress proxy; what is said of it the tests try. */
export interface Client {
  /** The program, and what of it where several are about one: the first column, and no two share it. */
  readonly name: string;
  /** What is done, in a few words. */
  readonly does: string;
  /** Programs that must be on PATH. */
  readonly needs: readonly [string, ...string[]];
  /** A line of shell that says whether the rest of it is here, such as a library; run without walls. */
  readonly has?: string;
  /** A machine for tests may lack it. */
  readonly isOptional?: true;
  /** Texts in the folder in which the line runs, by path. */
  readonly files?: Readonly<Record<string, string>>;
  readonly scheme: "http" | "https";
  /**
   * What is tried, as steps for bash, which stops at the first that fails. `{web}` is the scheme and the host, `{host}` the
   * host alone, `{ca}` the file with the certificate that it trusts.
   */
  readonly line: readonly string[];
  /** Variables that it obeys: with them it works unchanged, without them it reaches nothing. Empty: it knows no proxies. */
  readonly obeys: readonly string[];
  /** What it says where the host is not listed; of one that knows no proxies, wherever the host is. */
  readonly says: string;
  /** Of one that knows no proxies: what helps. */
  readonly instead?: string;
}
