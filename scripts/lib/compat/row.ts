/** One thing that people do with a tool, and what is known of it inside the walls. Tried with and without walls. */
export interface Row {
  /** The tool, and what of it where several rows are about one: the first column, and no two rows share it. */
  readonly name: string;
  /** What is done, in a few words. */
  readonly does: string;
  /** Programs that must be on PATH. The first one's version is the row's. */
  readonly needs: readonly [string, ...string[]];
  /** Packages of npm that lie in the project's `node_modules`, as `name@version`; the first one's is then the row's. */
  readonly packages?: readonly string[];
  /** Texts in the project, by path. */
  readonly files?: Readonly<Record<string, string>>;
  /** What a person did before, as steps for bash, run in the project without walls; `~` lies beside it. */
  readonly before?: readonly string[];
  /**
   * What is tried, as steps for bash, which stops at the first that fails: it works when all are done. `{port}` and
   * `{socket}` are where servers of the host's answer, `{free}` is a port where none does.
   */
  readonly line: readonly string[];
  /** What the next call of the same session does with what the line made, as steps of the same kind. */
  readonly next?: readonly string[];
  /** What runs the line where there are no walls, instead of bash; `$LINE` is the line. */
  readonly twinArgv?: readonly [string, ...string[]];
  /**
   * A part of the config without which it does not work, as YAML on one line. `/home/you` is the home folder of the
   * person, and `/home/you/project` the project.
   */
  readonly setting?: string;
  /** Left out: it works. */
  readonly fails?: Failure;
  /** Tried by the tests as well: it takes a moment, and needs nothing but what such tests need anyway. */
  readonly isQuick?: true;
}

/** How the walls make it fail, by design. */
export interface Failure {
  /** What it says then; what this matches stands in the table. */
  readonly says: RegExp;
  /** What helps instead. `told`: the outcome of the call must say it by itself. */
  readonly remedy: string;
}

/** Rows under one heading. */
export interface Group {
  readonly title: string;
  readonly rows: readonly Row[];
}
