// The service worker of the page. Browsers of phones show notifications by one. It sees no request of the page, and
// stores nothing: an inbox from a cache could be an old one.

/** A window of the page. */
interface PageWindow {
  postMessage(message: unknown): void;
  focus(): Promise<unknown>;
}

/** A click on a notification, which names its request. */
interface NotificationClick extends Event {
  readonly notification: { readonly data: unknown; close(): void };
  waitUntil(work: Promise<unknown>): void;
}

/** The part of a service worker's scope (https://www.w3.org/TR/service-workers) that is used here. */
interface WorkerScope {
  readonly clients: {
    matchAll(options: { readonly type: "window"; readonly includeUncontrolled: true }): Promise<PageWindow[]>;
    openWindow(url: string): Promise<unknown>;
  };
  skipWaiting(): Promise<void>;
  addEventListener(type: "install", listener: () => void): void;
  addEventListener(type: "notificationclick", listener: (event: NotificationClick) => void): void;
}

declare const self: WorkerScope;

/** Shows the request in an open page, or opens one. */
async function open(approvalId: unknown): Promise<void> {
  if (typeof approvalId !== "string") return;
  const [page] = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  if (page === undefined) {
    await self.clients.openWindow(`./#request=${encodeURIComponent(approvalId)}`);
    return;
  }
  page.postMessage({ approvalId });
  // A browser may refuse to bring it to the front.
  await page.focus().catch(() => undefined);
}

// A later version replaces this one at once.
self.addEventListener("install", () => void self.skipWaiting());
self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data));
});
