import type { ApprovalHandler } from "../../approval/handler.ts";
import { thrownText, visible } from "../../errors.ts";
import type { McpServer } from "../../tool/mcp-settings.ts";
import { answerOf, CODES, carriesQuestions, errorAnswer, wantsInput } from "./answers.ts";
import { ClientAsks } from "./asks.ts";
import { Forwards } from "./forwards.ts";
import type { Guard } from "./gatekeeper.ts";
import { eachMessage, turnsIfLarge } from "./large-messages.ts";
import { LineReader } from "./lines.ts";
import { Outbox } from "./outbox.ts";
import { withVisibleRoots } from "./roots.ts";
import type { WrappedServer } from "./server.ts";
import { ServerWants } from "./server-wants.ts";
import { ToolCalls } from "./tool-calls.ts";
import { ToolList } from "./tool-list.ts";
import type { Turn } from "./turn.ts";
import { Turns } from "./turns.ts";
import { type Fault, type Members, type Message, memberOf, membersOf, printLine } from "./wire.ts";

/** So much that is no message of the protocol a server may say before it is ended. */
const MOST_GARBAGE = 100;
/** So many of them are told one by one. */
const MOST_TOLD = 3;

/** What a gateway stands between, and what decides there. */
export interface GatewayOptions {
  readonly server: string;
  readonly policy: Pick<McpServer, "annotations">;
  readonly guard: Guard;
  /** How long the server may take for one request, in milliseconds; null: as long as it likes. */
  readonly wallMs: number | null;
  /** Starts the server, when the client first speaks; why not, where it can't be. */
  readonly start: () => Promise<WrappedServer | string>;
  /** Writes a line to the client; comes back once it has been taken. */
  readonly toClient: (line: string) => Promise<void>;
  /** What did not pass, for the record and whoever looks. */
  readonly tell: (what: string, because: string) => void;
}

/**
 * Between an MCP client and a server inside walls: what either says is read, checked and said anew. Calls of tools, and what
 * the server wants of the client, go through the gate; lists of tools and of roots lose what must not pass; all else goes on with
 * the same content, whatever it is. Nothing of the server's goes to the client that it did not ask for, or that the server may
 * not say by itself.
 */
export class Gateway {
  readonly #options: GatewayOptions;
  readonly #asks: ClientAsks;
  readonly #turns: Turns;
  readonly #forwards: Forwards;
  readonly #wants: ServerWants;
  readonly #calls: ToolCalls;
  readonly #tools: ToolList;
  readonly #clientLines = new LineReader();
  readonly #serverLines = new LineReader();
  readonly #toServer = new Outbox(() => this.end("it does not read what it is sent"));
  readonly #started = Promise.withResolvers<void>();
  readonly #over = Promise.withResolvers<string>();
  /** The last of what is on its way to the client: behind it stands all else. */
  #lastToClient: Promise<void> = Promise.resolve();
  #server: WrappedServer | null = null;
  #isBegun = false;
  #hasEnded = false;
  #garbage = 0;

  constructor(options: GatewayOptions) {
    this.#options = options;
    const { server, wallMs, policy, tell } = options;
    const toClient = (members: Members): void => this.#tellClient(members);
    const send = (members: Members): void => this.#toServer.send(printLine(members));
    // Nothing is judged before it is known what the server gets.
    const guard: Guard = async (...use) => {
      await this.#started.promise;
      return options.guard(...use);
    };
    this.#tools = new ToolList(server, policy.annotations);
    this.#asks = new ClientAsks({ toClient, rest: (turn, result) => this.#turns.rest(turn, result) });
    this.#turns = new Turns({
      asks: this.#asks,
      toClient,
      take: (turn, hasParams) => this.#take(turn, hasParams),
    });
    this.#wants = new ServerWants({
      server,
      guard,
      toClient,
      toServer: send,
      can: (what, turn) => this.#asks.can(what, turn),
      profile: () => this.#server?.profile ?? null,
      tell,
    });
    this.#forwards = new Forwards({ server, wallMs, send, isServerWaiting: () => this.#wants.isWaiting });
    const forward = (turn: Turn, params: Members): Promise<Members | null> => this.#forward(turn, params);
    this.#calls = new ToolCalls({ server, tools: this.#tools, guard, forward });
  }

  /** Asks whoever sits at the client. */
  get handler(): ApprovalHandler {
    return this.#asks.handler;
  }

  /** Why it ended, once it has. */
  get over(): Promise<string> {
    return this.#over.promise;
  }

  /** Takes what the client says; comes back when more can be taken. */
  async takeFromClient(chunk: Buffer): Promise<void> {
    for (const line of this.#clientLines.take(chunk)) {
      if (line.kind !== "text") this.#refuse({ because: WHY_NO_LINE[line.kind], id: null });
      else await eachMessage(line.text, (message) => this.#takeFromClient(message));
    }
    await this.#toServer.untilRoom();
  }

  /** Takes what the server says; comes back when what came of it has been taken, or has room to wait. */
  async takeFromServer(chunk: Buffer): Promise<void> {
    for (const line of this.#serverLines.take(chunk)) {
      if (line.kind === "too-long") this.end("it sent a message that is too long");
      else if (line.kind === "not-utf8") this.#drop(WHY_NO_LINE[line.kind]);
      else await eachMessage(line.text, (message) => this.#takeFromServer(message));
    }
    await this.#lastToClient;
    await this.#toServer.untilRoom();
  }

  /** The end: whoever waits is told why, and nothing goes on any more. */
  end(because: string): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const answer = errorAnswer(CODES.server, `the MCP server ${this.#options.server} is gone: ${because}`);
    this.#toServer.close();
    this.#wants.end();
    this.#turns.end(answer);
    this.#forwards.failAll(answer);
    this.#started.resolve();
    this.#over.resolve(because);
  }

  #takeFromClient(message: Message | Fault): void {
    if (this.#hasEnded) return;
    switch (message.kind) {
      case "fault":
        this.#refuse(message);
        break;
      case "request":
        if (message.method === "initialize") this.#asks.meet(message.params);
        this.#turns.begin(message);
        this.#begin();
        break;
      case "notification":
        this.#takeNews(message.method, message.params);
        this.#begin();
        break;
      case "result":
      case "error": {
        const { id } = message;
        const answer = message.kind === "result" ? { result: message.result } : { error: message.error };
        if (!this.#asks.take(id, answer)) this.#wants.takeAnswer(id, answer);
      }
    }
  }

  /** What the client tells: that it wants something no more, which also ends a question about it, or anything else. */
  #takeNews(method: string, params: Members | null): void {
    if (method === "notifications/cancelled") {
      const id = memberOf(params, "requestId");
      const turn = typeof id === "string" || typeof id === "number" ? this.#turns.cancel(id) : null;
      if (turn !== null && turn.sentAs !== null) this.#forwards.cancel(turn.sentAs, params ?? {});
    } else if (method.startsWith("notifications/"))
      this.#toServer.send(printLine({ method, ...paramsOf(params) }));
    // A server may do what it is only told to do, and nobody would have been asked.
    else this.#options.tell(`what the client told, ${visible(method)}`, "it is no notification");
  }

  async #take(turn: Turn, hasParams: boolean): Promise<Members | null> {
    if (turn.method === "tools/call") return this.#calls.call(turn);
    const answer = await this.#forward(turn, hasParams ? turn.params : null);
    return answer !== null && turn.method === "tools/list" ? this.#listed(turn, answer) : answer;
  }

  /** Sends a request to the server, once its walls have been looked at again. */
  async #forward(turn: Turn, params: Members | null): Promise<Members | null> {
    if (!this.#isBegun || this.#server === null) await this.#started.promise;
    const changes = this.#server?.changes() ?? [];
    if (changes.length > 0) this.end(`its walls are not as they were proven: ${changes.join("; ")}`);
    if (this.#hasEnded || this.#server === null || turn.stop.signal.aborted) return null;
    const shown = params === null ? null : withVisibleRoots(params, this.#server.profile);
    turn.sentAs = turn.id ?? `cofferdam:${turn.key}`;
    const answer = await this.#forwards.send(turn.sentAs, turn.method, shown);
    await turnsIfLarge(answer);
    const wanted = answer !== null && wantsInput(answer) ? await this.#wanted(turn, answer) : answer;
    await turnsIfLarge(answer);
    return wanted;
  }

  /** What the server wants before it answers passes the gate, or nothing of it reaches the client. */
  async #wanted(turn: Turn, answer: Members): Promise<Members> {
    const gated = await this.#wants.gated(answer, turn);
    if (typeof gated !== "string") return gated;
    const hint = "it depends on what the config says of this server's `sampling` and `elicitation`";
    return turn.method === "tools/call"
      ? answerOf({ kind: "denied", code: "APPROVAL_DENIED", reason: gated, hint }, turn.isModern)
      : errorAnswer(CODES.server, `Denied: ${gated}`);
  }

  #listed(turn: Turn, answer: Members): Members {
    const page = membersOf(answer["result"]);
    if (page === null) return answer;
    const filtered = this.#tools.filter(page, memberOf(turn.params, "cursor") === undefined);
    if (filtered === null) return errorAnswer(CODES.internal, "the server's list of tools is none");
    for (const { what, because } of filtered.leftOut) this.#options.tell(what, because);
    return { result: filtered.result };
  }

  #takeFromServer(message: Message | Fault): void {
    if (this.#hasEnded) return;
    if (this.#server === null) {
      this.#drop("it spoke before it was spoken to");
      return;
    }
    switch (message.kind) {
      case "fault":
        this.#drop(message.because);
        break;
      case "request":
        this.#wants.take(message);
        break;
      case "notification":
        this.#takeServerNews(message.method, message.params);
        break;
      case "result":
      case "error":
        if (!this.#forwards.take(message)) this.#drop("it answered what nobody asked");
    }
  }

  #takeServerNews(method: string, params: Members | null): void {
    const id = memberOf(params, "requestId");
    const isAboutId = typeof id === "string" || typeof id === "number";
    const isCancelled = method === "notifications/cancelled";
    if (isCancelled && isAboutId) this.#wants.cancel(id);
    // A stream that the client opened is ended by its own id.
    const isForClient = !isCancelled || (isAboutId && this.#forwards.has(id));
    if (!method.startsWith("notifications/")) this.#drop("it told what no server tells");
    else if (carriesQuestions(params))
      this.#options.tell(visible(method), "it carries questions, and nothing that is told may");
    else if (isForClient) this.#tellClient({ method, ...paramsOf(params) });
  }

  /** The client's first message starts the server. */
  #begin(): void {
    if (this.#isBegun || this.#hasEnded) return;
    this.#isBegun = true;
    void this.#start();
  }

  async #start(): Promise<void> {
    try {
      const server = await this.#options.start();
      if (typeof server === "string") this.end(server);
      if (this.#hasEnded || typeof server === "string") return;
      this.#server = server;
      this.#toServer.open((line) => server.write(line));
      this.#started.resolve();
    } catch (cause) {
      this.end(thrownText(cause));
    }
  }

  #tellClient(members: Members): void {
    this.#lastToClient = this.#options.toClient(printLine(members));
  }

  #refuse({ because, id }: Omit<Fault, "kind">): void {
    this.#tellClient({ id, ...errorAnswer(CODES.invalidRequest, because) });
  }

  #drop(because: string): void {
    this.#garbage += 1;
    if (this.#garbage <= MOST_TOLD) this.#options.tell("a message", because);
    if (this.#garbage > MOST_GARBAGE) this.end("it sent too much that is no message of the protocol");
  }
}

/** The params of a message; nothing where it has none. */
function paramsOf(params: Members | null): Members {
  return params === null ? {} : { params };
}

const WHY_NO_LINE = {
  "too-long": "the message is too long",
  "not-utf8": "it is not UTF-8",
} as const;
