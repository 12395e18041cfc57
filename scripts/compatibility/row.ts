/** One use of a tool, and its result in the sandbox. It is tried with and without the sandbox. */
export interface Row {
  /** The tool, and its part if several rows are about one: the first column, unique. */
  readonly name: string;
  /** The action in a few words. */
  readonly does: string;
  /** Programs that must be on PATH. The first one's version is the row's. */
  readonly needs: readonly [string, ...string[]];
  /** Packages of npm that lie in the project's `node_modules`, as `name@version`; the first one's is then the row's. */
  readonly packages?: readonly string[];
  /** Texts in the project, by path. */
  readonly files?: Readonly<Record<string, string>>;
  /** Preparation as steps for bash, in the project without a sandbox; `~` lies beside it. */
  readonly before?: readonly string[];
  /**
   * The tried steps for bash, which stops at the first failure: it works if all are done. Servers of the host answer at
   * `{port}` and `{socket}`, and none at the port `{free}`.
   */
  readonly line: readonly string[];
  /** The steps of the next call of the same session, on the results of the line. */
  readonly next?: readonly string[];
  /** The program that runs the line without a sandbox, instead of bash; `$LINE` is the line. */
  readonly controlArgv?: readonly [string, ...string[]];
  /**
   * A part of the config without which it does not work, as YAML on one line. `/home/you` is the home folder of the
   * person, and `/home/you/project` the project.
   */
  readonly setting?: string;
  /** Left out: it works. */
  readonly fails?: Failure;
  /** Also tried by the tests: it is quick, and needs no more than other tests. */
  readonly isQuick?: true;
}

/** A failure in the sandbox by design. */
export interface Failure {
  /** Matches its message; the match is shown in the table. */
  readonly says: RegExp;
  /** The alternative. `told`: the outcome of the call must name it. */
  readonly remedy: string;
}

/** Rows under one heading. */
export interface Group {
  readonly title: string;
  readonly rows: readonly Row[];
}
