/** Why a program can't be started in the sandbox, and the next thing to do. */
export interface Unstartable {
  readonly reason: string;
  readonly hint: string;
}
