/** A program that reaches hosts from inside, and its way to the egress proxy. Tests try each statement. */
export interface Client {
  /** The program, and its part if several are about one: the first column, unique. */
  readonly name: string;
  /** The action in a few words. */
  readonly does: string;
  /** Programs that must be on PATH. */
  readonly needs: readonly [string, ...string[]];
  /** A line of shell, run without a sandbox, that succeeds if the other parts are installed, such as a library. */
  readonly has?: string;
  /** A machine for tests may lack it. */
  readonly isOptional?: true;
  /** Texts in the folder in which the line runs, by path. */
  readonly files?: Readonly<Record<string, string>>;
  readonly scheme: "http" | "https";
  /**
   * The tried steps for bash, which stops at the first failure. `{web}` is the scheme and the host, `{host}` the host
   * alone, `{ca}` the file with the certificate that it trusts.
   */
  readonly line: readonly string[];
  /** Variables that it obeys: with them it works unchanged, without them it reaches nothing. Empty: it knows no proxies. */
  readonly obeys: readonly string[];
  /** Its message for an unlisted host; for any host if it knows no proxies. */
  readonly says: string;
  /** The alternative if it knows no proxies. */
  readonly instead?: string;
}
