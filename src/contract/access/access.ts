/**
 * The access to a private page: credentials, stored state, a recorded login, and the proof that the page it measured was
 * the private one. `access-faults.ts` states what a schema cannot.
 */

import Type, { type Static, type TSchema } from 'typebox';
import { arrayOf, component, time } from '../fields.ts';

export const accessBounds = {
  /** Max size of a whole access as JSON. A session of a large application has 20 KB. */
  bytes: 256 * 1024,
  steps: 200,
  headers: 20,
  cookies: 200,
  origins: 20,
  items: 500,
  secrets: 20,
  nameCharacters: 256,
  /** Chrome's own limit of a cookie, and the usual limit of servers for a header. */
  valueCharacters: 8_192,
  pemCharacters: 32_768,
  /** Max duration of a recording, in milliseconds. */
  loginMs: 60_000,
} as const;

/** Names of accesses. They have no slash, because they are parts of paths. */
export const profileName = /^[A-Za-z0-9][\w.-]{0,63}$/;

const { nameCharacters, valueCharacters } = accessBounds;

const name = Type.String({ minLength: 1, maxLength: nameCharacters });
const value = Type.String({ maxLength: valueCharacters });
/** Stored items, such as the tokens of a single-page application, are longer than a header. */
const storedValue = Type.String({ maxLength: accessBounds.bytes });
const origin = Type.String({ maxLength: 300, description: 'Scheme, host and port' });
const pem = Type.String({ maxLength: accessBounds.pemCharacters });
const strict = { additionalProperties: false };
const list = <S extends TSchema>(items: S, maxItems: number) => Type.Array(items, { maxItems });

const Cookie = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: nameCharacters }),
    value,
    domain: Type.Optional(Type.String({ maxLength: 253 })),
    path: Type.Optional(Type.String({ maxLength: 1024 })),
    /** Unix time in seconds; −1 for a session cookie. */
    expires: Type.Optional(Type.Number()),
    httpOnly: Type.Optional(Type.Boolean()),
    secure: Type.Optional(Type.Boolean()),
    sameSite: Type.Optional(Type.Enum(['Strict', 'Lax', 'None'])),
    partitionKey: Type.Optional(Type.String({ maxLength: 300 })),
  },
  strict,
);
export type AccessCookie = Readonly<Static<typeof Cookie>>;

const Item = Type.Object({ name: Type.String({ maxLength: nameCharacters }), value: storedValue }, strict);

/** The storage state that Playwright writes. */
const State = Type.Object(
  {
    cookies: Type.Optional(list(Cookie, accessBounds.cookies)),
    origins: Type.Optional(
      list(
        Type.Object(
          {
            origin,
            localStorage: Type.Optional(list(Item, accessBounds.items)),
            indexedDB: Type.Optional(
              Type.Array(Type.Unknown(), { maxItems: 0, description: 'Databases are not brought along' }),
            ),
          },
          strict,
        ),
        accessBounds.origins,
      ),
    ),
  },
  strict,
);

/** Steps of a recording that this service replays; the others run code of the caller, or belong to other tools. */
export const stepTypes = [
  ...(['setViewport', 'navigate', 'click', 'doubleClick', 'hover', 'change'] as const),
  ...(['keyDown', 'keyUp', 'scroll', 'waitForElement', 'close'] as const),
];

/** Fields that several types of steps share. The Recorder writes more, which have no effect on a replay. */
const Step = Type.Object({
  type: Type.String({ maxLength: 40 }),
  url: Type.Optional(Type.String({ maxLength: 2048 })),
  selectors: Type.Optional(
    list(
      Type.Union([
        Type.String({ maxLength: 1000 }),
        Type.Array(Type.String({ maxLength: 1000 }), { minItems: 1, maxItems: 10 }),
      ]),
      10,
    ),
  ),
  value: Type.Optional(value),
  key: Type.Optional(Type.String({ maxLength: 40 })),
  button: Type.Optional(Type.Enum(['primary', 'secondary', 'auxiliary', 'back', 'forward'])),
  offsetX: Type.Optional(Type.Number()),
  offsetY: Type.Optional(Type.Number()),
  x: Type.Optional(Type.Number()),
  y: Type.Optional(Type.Number()),
  width: Type.Optional(Type.Integer({ minimum: 100, maximum: 4000 })),
  height: Type.Optional(Type.Integer({ minimum: 100, maximum: 4000 })),
  deviceScaleFactor: Type.Optional(Type.Number({ minimum: 0.5, maximum: 4 })),
  isMobile: Type.Optional(Type.Boolean()),
  hasTouch: Type.Optional(Type.Boolean()),
  isLandscape: Type.Optional(Type.Boolean()),
  frame: Type.Optional(Type.Array(Type.Integer({ minimum: 0, maximum: 50 }), { maxItems: 5 })),
  visible: Type.Optional(Type.Boolean()),
  count: Type.Optional(Type.Integer({ minimum: 0, maximum: 1000 })),
  operator: Type.Optional(Type.Enum(['>=', '==', '<='])),
  target: Type.Optional(Type.Literal('main', { description: 'Other tabs are not replayed' })),
  assertedEvents: Type.Optional(
    list(
      Type.Object({
        type: Type.String({ maxLength: 40 }),
        url: Type.Optional(Type.String({ maxLength: 2048 })),
      }),
      5,
    ),
  ),
});
export type Step = Readonly<Static<typeof Step>>;

const Recording = Type.Object({
  title: Type.Optional(Type.String({ maxLength: 1000 })),
  timeout: Type.Optional(Type.Number({ minimum: 1, maximum: accessBounds.loginMs })),
  steps: Type.Array(Step, { minItems: 1, maxItems: accessBounds.steps }),
});

export const Expect = Type.Object(
  {
    url: Type.Optional(
      Type.String({ minLength: 1, maxLength: 500, description: 'Pattern of its URL, or of its path after `/`' }),
    ),
    selector: Type.Optional(Type.String({ minLength: 1, maxLength: 500, description: 'Element that it has' })),
    text: Type.Optional(Type.String({ minLength: 1, maxLength: 500, description: 'Text that it shows' })),
  },
  { ...strict, minProperties: 1 },
);
export type Expect = Readonly<Static<typeof Expect>>;

export const Access = Type.Object(
  {
    name: Type.Optional(
      Type.String({ pattern: profileName.source, description: 'Results with different names are different pages' }),
    ),
    headers: Type.Optional(Type.Record(name, value, { maxProperties: accessBounds.headers })),
    origins: Type.Optional(list(origin, accessBounds.origins)),
    cookies: Type.Optional(list(Cookie, accessBounds.cookies)),
    state: Type.Optional(State),
    session_storage: Type.Optional(
      Type.Record(origin, Type.Record(name, storedValue, { maxProperties: accessBounds.items }), {
        maxProperties: accessBounds.origins,
      }),
    ),
    basic_auth: Type.Optional(Type.Object({ username: value, password: value }, strict)),
    client_certificate: Type.Optional(
      Type.Object({ cert: pem, key: pem }, { ...strict, description: 'In PEM form, the key without a passphrase' }),
    ),
    login: Type.Optional(Recording),
    secrets: Type.Optional(Type.Record(name, value, { maxProperties: accessBounds.secrets })),
    expect: Type.Optional(Expect),
  },
  strict,
);
export type Access = Readonly<Static<typeof Access>>;

/** Returns the placeholders `${NAME}` of a typed value. */
export const placeholdersOf = (text: string): string[] =>
  [...text.matchAll(/\$\{([A-Za-z_]\w*)\}/g)].flatMap(([, name]) => name ?? []);

/** Returns the origins to which headers, credentials and a client certificate are sent. */
export const ownOriginsOf = ({ origins = [] }: Access, pageUrl: string): string[] => [
  ...new Set([pageUrl, ...origins].map(text => new URL(text).origin)),
];

/* Stored accesses, as their owner sees them: without secrets. */

export const AccessRequest = Type.Object(Access.properties, {
  ...{ $id: 'AccessRequest', title: 'AccessRequest', additionalProperties: false, 'x-read-whole': true },
  description: 'An access; `origins` names those of its pages',
});

export const AccessProfile = component('AccessProfile', 'A stored access, without its secrets', {
  name: Type.String(),
  origins: arrayOf(Type.String(), 'Origins of the pages that it is for'),
  created_at: time,
  updated_at: time,
});
export type AccessProfile = Static<typeof AccessProfile>;

export const AccessProfileList = component('AccessProfileList', 'The stored accesses of this client, by name', {
  profiles: Type.Array(AccessProfile),
});
