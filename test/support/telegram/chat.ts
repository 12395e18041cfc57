import { onTestFinished } from "vitest";
import type { HandlerAnswer } from "../../../src/approval/handler.ts";
import type { RequestOptions } from "../../../src/approval/pending-request.ts";
import { Channel, type ChannelOptions } from "../../../src/channel/telegram/channel.ts";
import type { Timing } from "../../../src/channel/telegram/question.ts";
import type { CofferdamError } from "../../../src/errors.ts";
import type { ApprovalRequest } from "../../../src/policy/request.ts";
import type { Store } from "../../../src/store/store.ts";
import { bringing, type Desk, desk } from "../approval/desk.ts";
import { requestWith } from "../approval/request.ts";
import { ANN, BOB, BotApi, type Message } from "./bot-api.ts";
import { CHAT, SECOND_MS, TOKEN } from "./one-bot.ts";

/** For what comes soon on a machine that has nothing else to do. */
export const PATIENT = { timeout: 30_000, interval: 2 } as const;

/** One process that asks in Telegram: its broker, its channel, and what the channel was in trouble with. */
export interface Asker extends Desk {
  readonly channel: Channel;
  readonly trouble: readonly CofferdamError[];
  /** Puts a request to the chat; the answer is waited for, unless told otherwise. */
  ask(given?: Partial<ApprovalRequest>, more?: Partial<RequestOptions>): Promise<HandlerAnswer>;
  /** The same, and the message that it becomes. */
  asked(given?: Partial<ApprovalRequest>, more?: Partial<RequestOptions>): Promise<Asked>;
  /** As when the process ends. */
  end(): Promise<void>;
}

/** A question that stands in the chat. */
export interface Asked {
  readonly answer: Promise<HandlerAnswer>;
  readonly message: Message;
}

/** A Telegram of the test's own. Gone after the test. */
export async function telegram(secondMs = SECOND_MS): Promise<BotApi> {
  const api = await BotApi.start(secondMs);
  onTestFinished(() => api[Symbol.asyncDispose]());
  return api;
}

/** A channel of Ann and Bob, in which seconds are short. */
function channelAt(api: BotApi, given: Partial<ChannelOptions>, timing: Timing): Channel {
  const options = { token: TOKEN, chat: CHAT, approvers: [ANN.id, BOB.id], apiRoot: api.root, ...given };
  const channel = new Channel({ onTrouble: () => undefined, ...options }, timing);
  onTestFinished(() => channel[Symbol.asyncDispose]());
  return channel;
}

/** A process that asks in Telegram, over a store that others may share. */
export function asker(
  api: BotApi,
  given: Partial<ChannelOptions> & {
    readonly store?: Store;
    readonly runId?: string;
    readonly secondMs?: number;
  } = {},
): Asker {
  const { store, runId, secondMs = SECOND_MS, ...options } = given;
  const trouble: CofferdamError[] = [];
  const clock: { current: () => number } = { current: Date.now };
  const onTrouble = (error: CofferdamError): void => void trouble.push(error);
  const channel = channelAt(api, { onTrouble, ...options }, { now: () => clock.current(), secondMs });
  const at = desk({ ...(store === undefined ? {} : { store }), ...(runId === undefined ? {} : { runId }) });
  clock.current = () => at.clock.now;
  const ask: Asker["ask"] = async (request, more) => {
    const bring = { ...bringing([]), handlers: [channel], ...more };
    const answer = await at.broker.request(requestWith(request), bring);
    if (answer.status === "not-sent") throw new Error(answer.reason);
    return answer;
  };
  const end = async (): Promise<void> => {
    await at.broker[Symbol.asyncDispose]();
    await channel[Symbol.asyncDispose]();
  };
  onTestFinished(end);
  const asked: Asker["asked"] = async (request, more) => {
    const before = new Set(api.messages.keys());
    const answer = ask(request, more);
    // Who fails does so before the message comes, or is looked at by the test.
    answer.catch(() => undefined);
    const message = await api.message("", ({ id, buttons }) => !before.has(id) && buttons.length > 0);
    return { answer, message };
  };
  return { ...at, channel, trouble, ask, asked, end };
}
