import type { ApprovalRequest } from "../policy/request.ts";
import type { InboxState } from "./desk.ts";
import { part, say } from "./dom.ts";
import { type NotificationText, notificationText } from "./notification-text.ts";

/** Kept on this device: `on` names the tool and the project, `plain` names nothing. */
const KEY = "cofferdam-notifications";
const WORKER = "notification-worker.js";
/** One notification for all requests: many at once do not fill the screen. */
const TAG = "cofferdam";
/** Requests of one turn come at about the same time. Those of a stream are told about all the same. */
const GATHER_MS = 150;

type Setting = "off" | "on" | "plain";

/** Notifications about new requests while the page is in the background. Nothing is asked for before a click. */
export class RequestNotifications {
  readonly #parts = {
    open: part("notify-button", HTMLButtonElement),
    dialog: part("notify", HTMLDialogElement),
    state: part("notify-state", HTMLElement),
    turn: part("notify-turn", HTMLButtonElement),
    names: part("notify-names", HTMLInputElement),
  };
  readonly #onOpen: (approvalId: string) => void;
  #registration: ServiceWorkerRegistration | null = null;
  #setting: Setting = "off";
  #shown: string | null = null;
  /** New requests that are not told about yet. */
  #gathered: ApprovalRequest[] = [];
  /** The browser shows and removes one after the other. */
  #acts: Promise<void> = Promise.resolve();

  /** `onOpen`: the person clicked the notification of this request. */
  constructor(onOpen: (approvalId: string) => void) {
    this.#onOpen = onOpen;
    const { open, dialog, turn, names } = this.#parts;
    open.hidden = !isSupported();
    if (open.hidden) return;
    open.addEventListener("click", () => {
      this.#draw();
      dialog.showModal();
    });
    turn.addEventListener("click", () => void this.#turn());
    names.addEventListener("change", () => {
      if (this.#setting !== "off") this.#keep(names.checked ? "on" : "plain");
    });
    navigator.serviceWorker.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
      const id = idIn(data);
      if (id !== null) this.#onOpen(id);
    });
    const kept = localStorage.getItem(KEY);
    if ((kept === "on" || kept === "plain") && Notification.permission === "granted") void this.#start(kept);
    this.#draw();
  }

  /** Tells about a request that has just come, and how many others wait. */
  tell(request: ApprovalRequest, { waiting }: Pick<InboxState, "waiting">): void {
    if (this.#setting === "off" || (document.visibilityState === "visible" && document.hasFocus())) return;
    this.#gathered.push(request);
    if (this.#gathered.length === 1) setTimeout(() => this.#tellLatest(waiting), GATHER_MS);
  }

  /** Removes the notification of a request that no longer waits. */
  clear(approvalId: string): void {
    this.#inTurn(async () => {
      if (this.#shown !== approvalId) return;
      this.#shown = null;
      for (const one of (await this.#registration?.getNotifications({ tag: TAG })) ?? []) one.close();
    });
  }

  /** About those that were answered meanwhile there is nothing to tell. */
  #tellLatest(waiting: InboxState["waiting"]): void {
    const latest = this.#gathered.findLast(({ approvalId }) => waiting.has(approvalId));
    this.#gathered = [];
    if (latest === undefined || this.#setting === "off") return;
    const text = notificationText(latest, waiting.size - 1, this.#setting === "on");
    this.#inTurn(() => this.#show(latest.approvalId, text));
  }

  #inTurn(act: () => Promise<void>): void {
    // A browser that refuses leaves the page as it is.
    this.#acts = this.#acts.then(act).catch(() => undefined);
  }

  async #show(approvalId: string, { title, body }: NotificationText): Promise<void> {
    this.#shown = approvalId;
    const options = { body, tag: TAG, renotify: true, icon: "icon-192.png", data: approvalId };
    await this.#registration?.showNotification(title, options);
  }

  /** Asks the browser, after a click only. */
  async #turn(): Promise<void> {
    if (this.#setting !== "off") this.#keep("off");
    else if ((await Notification.requestPermission()) === "granted")
      await this.#start(this.#parts.names.checked ? "on" : "plain");
    this.#draw();
  }

  async #start(setting: Setting): Promise<void> {
    try {
      this.#registration = await navigator.serviceWorker.register(workerUrl());
      this.#keep(setting);
    } catch {
      this.#keep("off");
      say(this.#parts.state, "This browser could not start the part that shows notifications.");
    }
  }

  #keep(setting: Setting): void {
    this.#setting = setting;
    if (setting === "off") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, setting);
    this.#draw();
  }

  #draw(): void {
    const { open, state, turn, names } = this.#parts;
    const isOn = this.#setting !== "off";
    const isBlocked = Notification.permission === "denied";
    open.dataset["on"] = String(isOn);
    say(state, isBlocked ? BLOCKED : isOn ? ON : OFF);
    say(turn, isOn ? "Turn off" : "Turn on");
    turn.disabled = isBlocked;
    if (isOn) names.checked = this.#setting === "on";
  }
}

const ON = "New requests are shown while this page is in the background.";
const OFF = "Be told about new requests while this page is in the background.";
const BLOCKED = "The browser blocks notifications of this page. Allow them in its settings.";

/** Only for pages of this machine or behind TLS: browsers offer it to no others. */
function isSupported(): boolean {
  return window.isSecureContext && "Notification" in window && "serviceWorker" in navigator;
}

/** The request that the service worker names. */
function idIn(data: unknown): string | null {
  const id = typeof data === "object" && data !== null && "approvalId" in data ? data.approvalId : null;
  return typeof id === "string" ? id : null;
}

interface ScriptPolicy {
  createScriptURL(url: string): string;
}

/** Browsers with trusted types (https://www.w3.org/TR/trusted-types) take only an address that a policy made. */
function workerUrl(): string {
  const types: unknown = Reflect.get(window, "trustedTypes");
  if (!hasPolicies(types)) return WORKER;
  // The one policy that the page's headers allow makes the one address.
  policy ??= types.createPolicy("notifications", { createScriptURL: () => WORKER });
  return policy.createScriptURL(WORKER);
}

let policy: ScriptPolicy | undefined;

function hasPolicies(
  types: unknown,
): types is { createPolicy(name: string, rules: ScriptPolicy): ScriptPolicy } {
  return typeof types === "object" && types !== null && "createPolicy" in types;
}
