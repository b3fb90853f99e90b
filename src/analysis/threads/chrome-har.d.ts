declare module 'chrome-har' {
  type Named = { readonly name: string; readonly value: string };
  type Message = {
    headers: readonly Named[];
    cookies: readonly Named[];
    postData?: unknown;
    content?: unknown;
  };
  type Har = { log: { entries: { request: Message; response: Message }[] } };

  /** @param messages of the DevTools protocol, of the domains Network and Page */
  export function harFromMessages(messages: readonly unknown[]): Har;
}
