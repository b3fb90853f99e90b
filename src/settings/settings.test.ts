import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { settingTable } from './setting-table.ts';
import {
  findDataFolder,
  findMisspelledSettings,
  readSettings,
  type Settings,
  SettingsError,
  secretsOf,
} from './settings.ts';

const key = 'AIza-not-a-real-key';
const clientKey = 'a-key-of-a-client';
const names = Object.keys(settingTable);
const toFlag = (name: string) => `--${name.toLowerCase().replaceAll('_', '-')}`;

const faultsOf = (env: NodeJS.ProcessEnv, args: readonly string[] = []): string[] => {
  try {
    readSettings(env, args);
  } catch (error) {
    assert.ok(error instanceof SettingsError);
    const [first, ...faults] = error.message.split('\n');
    assert.equal(first, 'Rangelight cannot start with these settings:');
    return faults.map(fault => fault.trim());
  }
  return [];
};

test('every setting has its default', () => {
  assert.deepEqual(readSettings({}), {
    host: '127.0.0.1',
    port: 8000,
    loopbackOnly: true,
    apiKeys: [],
    adminKeys: [],
    rateLimit: 0,
    trustProxy: [],
    allowedHosts: ['localhost'],
    psiApiKey: undefined,
    psiEndpoint: undefined,
    psiTimeoutMs: 150_000,
    psiConcurrency: 4,
    psiRatePerMinute: 60,
    cruxApiKey: undefined,
    cruxEndpoint: 'https://chromeuxreport.googleapis.com/v1/records:queryRecord',
    cacheTtlMs: 3_600_000,
    cacheStaleMs: 86_400_000,
    cacheMaxBytes: 256_000_000,
    dataDir: findDataFolder({ env: {}, platform: process.platform, isRoot: process.getuid?.() === 0 }),
    databaseUrl: undefined,
    role: 'all',
    callbackKey: undefined,
    keepDays: undefined,
    keepBytes: undefined,
    keepArtifactBytes: undefined,
    lighthouseConcurrency: 2,
    lighthouseLoads: 'auto',
    accessKeys: undefined,
    lighthouseRepeats: 2,
    lighthouseQueue: 50,
    lighthouseTimeoutMs: 120_000,
    lighthouseSpare: true,
    chromePath: undefined,
    chromeSandbox: 'auto',
    targets: 'any',
    errorPages: 'html',
    noindex: false,
    debug: false,
    logLevel: 'info',
    shutdownDelayMs: 0,
    shutdownGraceMs: 25_000,
    traces: undefined,
    system: { path: '', cacheHome: undefined },
  } satisfies Settings);
});

const accessKeys = [1, 2].map(byte => Buffer.alloc(32, byte).toString('base64'));

/** Name, field, text and value of each setting; every value differs from the default. */
const readings: readonly (readonly [name: string, field: keyof Settings, text: string, value: unknown])[] = [
  ['HOST', 'host', '192.168.1.5', '192.168.1.5'],
  ['PORT', 'port', '9000', 9000],
  ['PORT', 'port', '0', 0],
  ['PORT', 'port', '65535', 65_535],
  ['ADMIN_KEYS', 'adminKeys', `${clientKey}, ${clientKey}-2,`, [clientKey, `${clientKey}-2`]],
  ['API_KEYS', 'apiKeys', `${clientKey}, ${clientKey}-2,`, [clientKey, `${clientKey}-2`]],
  ['RATE_LIMIT', 'rateLimit', '10', 10],
  ['RATE_LIMIT', 'rateLimit', '100000', 100_000],
  ['TRUST_PROXY', 'trustProxy', '10.0.0.0/8, ::1,192.168.1.5', ['10.0.0.0/8', '::1', '192.168.1.5']],
  ['ALLOWED_HOSTS', 'allowedHosts', 'any', 'any'],
  ['ALLOWED_HOSTS', 'allowedHosts', 'Lab.Example.COM., box,10.0.0.1', ['lab.example.com', 'box']],
  ['PSI_API_KEY', 'psiApiKey', key, key],
  ['PSI_ENDPOINT', 'psiEndpoint', 'http://psi.test:81', 'http://psi.test:81/'],
  ['PSI_ENDPOINT', 'psiEndpoint', 'HTTPS://psi.test/v5?a=1', 'https://psi.test/v5?a=1'],
  ['PSI_TIMEOUT', 'psiTimeoutMs', '5', 5000],
  ['PSI_TIMEOUT', 'psiTimeoutMs', '5s', 5000],
  ['PSI_TIMEOUT', 'psiTimeoutMs', '1.25', 1250],
  ['PSI_TIMEOUT', 'psiTimeoutMs', '1', 1000],
  ['PSI_TIMEOUT', 'psiTimeoutMs', '3600', 3_600_000],
  ['PSI_CONCURRENCY', 'psiConcurrency', '1', 1],
  ['PSI_CONCURRENCY', 'psiConcurrency', '100', 100],
  ['PSI_RATE', 'psiRatePerMinute', '240', 240],
  ['CRUX_API_KEY', 'cruxApiKey', key, key],
  [
    'CRUX_ENDPOINT',
    'cruxEndpoint',
    'http://crux.test/v1/records:queryRecord',
    'http://crux.test/v1/records:queryRecord',
  ],
  ['CACHE_STALE', 'cacheStaleMs', '0', 0],
  ['CACHE_TTL', 'cacheTtlMs', '0', 0],
  ['CACHE_TTL', 'cacheTtlMs', '31536000s', 31_536_000_000],
  ['CACHE_SIZE', 'cacheMaxBytes', '1', 1_000_000],
  ['CACHE_SIZE', 'cacheMaxBytes', '512 MB', 512_000_000],
  ['CACHE_SIZE', 'cacheMaxBytes', '64mb', 64_000_000],
  ['DATA_DIR', 'dataDir', '/srv/a folder/results', '/srv/a folder/results'],
  ['DATA_DIR', 'dataDir', 'results', resolve('results')],
  ['DATA_DIR', 'dataDir', 'none', undefined],
  ['DATA_DIR', 'dataDir', 'None', undefined],
  ['DATABASE_URL', 'databaseUrl', 'postgres://me:p%40ss@db.test/lab', 'postgres://me:p%40ss@db.test/lab'],
  ['ROLE', 'role', 'all', 'all'],
  ['KEEP_DAYS', 'keepDays', '7', 7],
  ['KEEP_SIZE', 'keepBytes', '100 MB', 100_000_000],
  ['KEEP_ARTIFACTS', 'keepArtifactBytes', '1', 1_000_000],
  ['LIGHTHOUSE_CONCURRENCY', 'lighthouseConcurrency', '1', 1],
  ['LIGHTHOUSE_LOADS', 'lighthouseLoads', '2', '2'],
  ['LIGHTHOUSE_REPEATS', 'lighthouseRepeats', '0', 0],
  ['LIGHTHOUSE_QUEUE', 'lighthouseQueue', '0', 0],
  ['LIGHTHOUSE_QUEUE', 'lighthouseQueue', '10000', 10_000],
  ['LIGHTHOUSE_TIMEOUT', 'lighthouseTimeoutMs', '60', 60_000],
  ['CHROME_PATH', 'chromePath', '/opt/a folder/chrome', '/opt/a folder/chrome'],
  ['LIGHTHOUSE_SPARE', 'lighthouseSpare', 'off', false],
  ['CHROME_SANDBOX', 'chromeSandbox', 'on', 'on'],
  ['CHROME_SANDBOX', 'chromeSandbox', 'off', 'off'],
  ['TARGETS', 'targets', 'public', 'public'],
  ['TARGETS', 'targets', 'Build.Corp, 10.0.0.0/8', ['build.corp', '10.0.0.0/8']],
  ['ERROR_PAGES', 'errorPages', 'json', 'json'],
  ['NOINDEX', 'noindex', 'true', true],
  ['DEBUG_HEADERS', 'debug', 'true', true],
  ['LOG_LEVEL', 'logLevel', 'silent', 'silent'],
  ['ACCESS_KEY', 'accessKeys', accessKeys.join(', '), accessKeys.map(text => Buffer.from(text, 'base64'))],
  ['CALLBACK_SECRET', 'callbackKey', `whsec_${'QUJD'.repeat(8)}`, Buffer.from('ABC'.repeat(8))],
  ['SHUTDOWN_DELAY', 'shutdownDelayMs', '1', 1000],
  ['SHUTDOWN_GRACE', 'shutdownGraceMs', '1', 1000],
];

test('a role that shares its work requires a database', () => {
  const databaseUrl = 'postgres://db.test/lab';
  for (const role of ['api', 'worker']) {
    assert.throws(() => readSettings({ ROLE: role }), /ROLE: \w+ needs DATABASE_URL/);
    assert.equal(readSettings({ ROLE: role, DATABASE_URL: databaseUrl }).role, role);
  }
});

test('allowed targets do not depend on the address that a worker listens on', () => {
  const shared = { DATABASE_URL: 'postgres://db.test/lab' };
  assert.equal(readSettings({ ...shared, ROLE: 'worker' }).targets, 'public');
  assert.equal(readSettings({ ...shared, ROLE: 'api' }).targets, 'public');
  assert.equal(readSettings(shared).targets, 'any');
});

test('the readings below cover every setting', () => {
  assert.deepEqual(new Set(readings.map(([name]) => name)), new Set(names));
});

test('every setting is read from the environment, and as a flag in both forms', () => {
  for (const [name, field, text, value] of readings) {
    const flag = toFlag(name);
    assert.deepEqual(readSettings({ [name]: text })[field], value, `${name}=${text}`);
    assert.deepEqual(readSettings({}, [flag, text])[field], value, `${flag} ${text}`);
    assert.deepEqual(readSettings({}, [`${flag}=${text}`])[field], value, `${flag}=${text}`);
  }
});

test('whitespace around a value is removed', () => {
  for (const [name, field, text, value] of readings)
    assert.deepEqual(readSettings({ [name]: ` ${text}\n` })[field], value, `${name}=${text}`);
});

test('switches accept the usual words, in any case', () => {
  for (const text of ['1', 't', 'y', 'on', 'yes', 'true', 'TRUE', 'Yes'])
    assert.equal(readSettings({ DEBUG_HEADERS: text }).debug, true, text);
  for (const text of ['0', 'f', 'n', 'off', 'no', 'false', 'FALSE', 'No'])
    assert.equal(readSettings({ DEBUG_HEADERS: text }).debug, false, text);
});

test('every log level is accepted', () => {
  for (const level of ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    assert.equal(readSettings({ LOG_LEVEL: level }).logLevel, level);
});

test('an empty value counts as missing', () => {
  const defaults = readSettings({});
  for (const empty of ['', '   ']) {
    const env = Object.fromEntries(names.map(name => [name, empty]));
    assert.deepEqual(readSettings(env), defaults);
    assert.deepEqual(
      readSettings(
        {},
        names.map(name => `${toFlag(name)}=${empty}`),
      ),
      defaults,
    );
    assert.deepEqual(
      readSettings(
        {},
        names.flatMap(name => [toFlag(name), empty]),
      ),
      defaults,
    );
  }
});

test('a flag overrides the environment, the last flag wins, and an empty one is ignored', () => {
  const env = { PSI_TIMEOUT: '7' };
  assert.equal(readSettings(env, ['--psi-timeout', '5']).psiTimeoutMs, 5000);
  assert.equal(readSettings(env, ['--psi-timeout=5']).psiTimeoutMs, 5000);
  assert.equal(readSettings(env, ['--psi-timeout=5', '--psi-timeout', '6']).psiTimeoutMs, 6000);
  for (const empty of ['', '  ']) assert.equal(readSettings(env, [`--psi-timeout=${empty}`]).psiTimeoutMs, 7000);
});

test('a flag replaces an invalid value in the environment', () => {
  assert.equal(readSettings({ PORT: 'eighty' }, ['--port', '80']).port, 80);
});

test('a value that starts with a hyphen is accepted after an equals sign', () => {
  assert.equal(readSettings({}, ['--psi-api-key=-abc']).psiApiKey, '-abc');
});

test("only the settings' own names are read", () => {
  assert.deepEqual(readSettings({ port: '1', psi_timeout: '1', 'psi-timeout': '1', OTHER: 'x' }), readSettings({}));
});

test('durations are converted to whole milliseconds and sizes to whole bytes', () => {
  const durations = [
    ['PSI_TIMEOUT', 'psiTimeoutMs'],
    ['CACHE_TTL', 'cacheTtlMs'],
    ['LIGHTHOUSE_TIMEOUT', 'lighthouseTimeoutMs'],
    ['SHUTDOWN_DELAY', 'shutdownDelayMs'],
    ['SHUTDOWN_GRACE', 'shutdownGraceMs'],
  ] as const;
  for (const [name, field] of durations) {
    assert.equal(readSettings({ [name]: '2.01' })[field], 2010, name);
    assert.equal(readSettings({ [name]: '1.0015' })[field], 1002, name);
  }
  assert.equal(readSettings({ CACHE_SIZE: '1.3' }).cacheMaxBytes, 1_300_000);
});

const wholeFrom = (min: number, max: number) => `must be a whole number from ${min} to ${max}, not`;
const from = (min: number, max: number) => `must be a number from ${min} to ${max}, not`;

const notABlock = 'must be addresses or CIDRs such as 10.0.0.0/8, not';
const notAName = 'must be names without scheme and port, not';

const wrongValues: readonly (readonly [name: string, texts: readonly string[], fault: string])[] = [
  ['PORT', ['eighty', '-1', '65536', '80.5', '8e3', '0x50', '+80', '8 0', 'Infinity', 'NaN'], wholeFrom(0, 65_535)],
  ['RATE_LIMIT', ['-1', '1.5', '100001', 'off'], wholeFrom(0, 100_000)],
  ['TRUST_PROXY', ['true', '1', '10.0.0.0/33', 'loopback', '::1/129', '10.0.0.0/8/8', '*'], notABlock],
  ['ALLOWED_HOSTS', ['http://lab', 'lab:80', '*.lab', 'a b', '.lab', '[::1]'], notAName],
  ['PSI_TIMEOUT', ['soon', '-1', '3600.1', '1e3', '.5', '5.', '5,5', '0', '0.99'], from(1, 3600)],
  ['PSI_CONCURRENCY', ['0', '101', '1.5'], wholeFrom(1, 100)],
  ['CACHE_TTL', ['-1', '31536001', 'never'], from(0, 31_536_000)],
  ['CACHE_SIZE', ['0', '0.5', '1000001', '-1', '256KB'], from(1, 1_000_000)],
  ['LIGHTHOUSE_CONCURRENCY', ['0', '3', '1.5', 'two'], wholeFrom(1, 2)],
  ['LIGHTHOUSE_QUEUE', ['-1', '10001', '0.5'], wholeFrom(0, 10_000)],
  ['LIGHTHOUSE_TIMEOUT', ['3601', '-5', '0', '0.5'], from(1, 3600)],
  ['CHROME_SANDBOX', ['yes', 'AUTO', 'true'], 'must be one of auto, on, off, not'],
  ['ERROR_PAGES', ['xml', 'HTML'], 'must be one of html, json, not'],
  ['NOINDEX', ['maybe', '2'], 'must be true or false, not'],
  ['DEBUG_HEADERS', ['maybe', '2', 'ontrue'], 'must be true or false, not'],
  ['LOG_LEVEL', ['loud', 'verbose'], 'must be one of fatal, error, warn, info, debug, trace, silent, not'],
  ['SHUTDOWN_GRACE', ['3601', 'forever'], from(0, 3600)],
];

test('an invalid value is rejected with its name, the expected form, and the value', () => {
  for (const [name, texts, fault] of wrongValues)
    for (const text of texts) {
      assert.deepEqual(faultsOf({ [name]: text }), [`${name}: ${fault} '${text}'`]);
      assert.deepEqual(faultsOf({}, [`${toFlag(name)}=${text}`]), [`${name}: ${fault} '${text}'`]);
    }
});

test('an invalid list of targets names every invalid item', () => {
  const [fault = '', ...others] = faultsOf({ TARGETS: 'build.corp,https://a.b/,10.0.0.0/99' });
  assert.deepEqual(others, []);
  for (const part of [/^TARGETS: /, /'https:\/\/a\.b\/'/, /'10\.0\.0\.0\/99'/]) assert.match(fault, part);
  assert.doesNotMatch(fault, /build\.corp/);
  assert.match(faultsOf({ TARGETS: 'any,build.corp' }).join(), /^TARGETS: /);
  assert.match(faultsOf({ TARGETS: ',' }).join(), /^TARGETS: /);
});

test('empty lists and lists with too many entries are rejected', () => {
  assert.deepEqual(faultsOf({ API_KEYS: ',' }), ['API_KEYS: is an empty list: unset it to allow every client']);
  assert.deepEqual(faultsOf({ ALLOWED_HOSTS: ',' }), [
    'ALLOWED_HOSTS: is an empty list: write any, or the names of this service',
  ]);
  assert.deepEqual(faultsOf({ ALLOWED_HOSTS: 'any,lab' }), ["ALLOWED_HOSTS: has 'any' in a list: write any alone"]);
  assert.match(faultsOf({ TRUST_PROXY: ',' }).join(), /^TRUST_PROXY: must be addresses or CIDRs/);
});

test('an invalid client key is named by its position and not repeated', () => {
  const short = 'AIza-fifteen-ch';
  for (const text of [
    short,
    `${clientKey},${short}`,
    `${clientKey},AIza with a space in it`,
    'AIza-umlaut-is-ä-letter',
  ])
    for (const faults of [faultsOf({ API_KEYS: text }), faultsOf({}, [`--api-keys=${text}`])]) {
      assert.match(faults.join('\n'), /^API_KEYS: key [12] (?:has|contains) .*openssl rand -hex 24'$/);
      assert.doesNotMatch(faults.join('\n'), /AIza|client/);
    }
  assert.deepEqual(readSettings({ API_KEYS: `${short}x` }).apiKeys, [`${short}x`], '16 characters are enough');
});

test('an invalid endpoint is not repeated, because it may contain a key', () => {
  for (const text of [`nonsense?key=${key}`, `ftp://psi.test/?key=${key}`, `file:///${key}`, `http://:${key}@/`]) {
    const fault = 'PSI_ENDPOINT: must be the http or https URL of a PSI v5 endpoint';
    assert.deepEqual(faultsOf({ PSI_ENDPOINT: text }), [fault]);
    assert.deepEqual(faultsOf({}, ['--psi-endpoint', text]), [fault]);
  }
});

test('all faults are reported in one message', () => {
  const wrong = wrongValues.flatMap(([name, [text = '']]) => [{ name, text }]);
  const env = { ...Object.fromEntries(wrong.map(({ name, text }) => [name, text])), PSI_ENDPOINT: 'x', TARGETS: ',' };
  const named = (faults: readonly string[]) => faults.map(fault => fault.split(':')[0]).toSorted();
  const expected = Object.keys(env).toSorted();
  assert.deepEqual(named(faultsOf(env)), expected);
  assert.deepEqual(
    named(
      faultsOf(
        {},
        Object.entries(env).map(([name, text]) => `${toFlag(name)}=${text}`),
      ),
    ),
    expected,
  );
});

test('faults of flags do not hide those of other flags or of the environment', () => {
  const args = ['--no-such=1', '--port', 'eighty', '--other-one', 'x', '-abc', '--debug-headers'];
  assert.deepEqual(faultsOf({ LOG_LEVEL: 'loud' }, args).toSorted(), [
    '--debug-headers needs a value',
    "LOG_LEVEL: must be one of fatal, error, warn, info, debug, trace, silent, not 'loud'",
    "PORT: must be a whole number from 0 to 65535, not 'eighty'",
    'unknown flag --no-such',
    'unknown flag --other-one',
    'unknown flag -abc',
  ]);
});

test('a flag without a value is rejected, and does not consume the next flag', () => {
  assert.deepEqual(faultsOf({}, ['--port']), ['--port needs a value']);
  assert.deepEqual(faultsOf({}, ['--port', '--debug=true']), ['--port needs a value']);
  assert.deepEqual(faultsOf({}, ['--port', '-1']), ['--port needs a value']);
});

test('names that every object has are not flags', () => {
  for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty'])
    assert.deepEqual(faultsOf({}, [`--${name}=1`]), [`unknown flag --${name}`]);
});

test('no message contains the key, wherever it was put by mistake', () => {
  const mistakes: readonly (readonly string[])[] = [
    [key],
    ['--psi-api-key=', key],
    ['--psi-apikey', key],
    [`--psi-apikey=${key}`],
    [`-psi-api-key=${key}`],
    ['--psi-api-key', `-${key}`],
    ['--', key],
    ['--psi-endpoint', key],
  ];
  for (const args of mistakes) {
    const faults = faultsOf({ PSI_API_KEY: key, PORT: 'eighty' }, args);
    assert.equal(faults.length >= 2, true, args.join(' '));
    assert.ok(!faults.join('\n').includes('AIza'), faults.join('\n'));
  }
});

test('every setting that is a key is a secret', () => {
  const keyNames = names.filter(name => /_KEYS?$/.test(name));
  const given = Object.fromEntries(keyNames.map((name, at) => [name, `${clientKey}-${at}`]));
  const env = { ...given, ACCESS_KEY: String(accessKeys[0]) };
  assert.ok(keyNames.length >= 3);
  assert.deepEqual(secretsOf(readSettings(env)).sort(), Object.values(env).sort());
  assert.deepEqual(secretsOf(readSettings({})), []);
});

test('only a loopback address or localhost counts as reachable from this machine alone', () => {
  const hosts: readonly (readonly [string, boolean])[] = [
    ['127.0.0.1', true],
    ['127.1.2.3', true],
    ['::1', true],
    ['localhost', true],
    ['0.0.0.0', false],
    ['::', false],
    ['192.168.1.5', false],
    ['127.evil.example', false],
    ['127.0.0.1.example', false],
    ['localhost.example', false],
    ['128.0.0.1', false],
    ['example.com', false],
  ];
  for (const [host, isLoopback] of hosts) {
    const { loopbackOnly, targets, rateLimit, allowedHosts } = readSettings({ HOST: host });
    assert.deepEqual(
      { loopbackOnly, targets, rateLimit, allowedHosts },
      isLoopback
        ? { loopbackOnly: true, targets: 'any', rateLimit: 0, allowedHosts: ['localhost'] }
        : { loopbackOnly: false, targets: 'public', rateLimit: 60, allowedHosts: 'any' },
      host,
    );
  }
});

test('configured targets override the default, on loopback and elsewhere', () => {
  for (const host of ['127.0.0.1', '0.0.0.0']) {
    for (const targets of ['public', 'any'] as const)
      assert.equal(readSettings({ HOST: host, TARGETS: targets }).targets, targets);
    assert.deepEqual(readSettings({ HOST: host, TARGETS: '10.0.0.0/8' }).targets, ['10.0.0.0/8']);
  }
});

test('debug mode turns noindex on unless it is set', () => {
  const rows = [
    [{}, false],
    [{ DEBUG_HEADERS: 'true' }, true],
    [{ DEBUG_HEADERS: 'true', NOINDEX: 'false' }, false],
    [{ NOINDEX: 'true' }, true],
    [{ DEBUG_HEADERS: 'false', NOINDEX: 'true' }, true],
    [{ DEBUG_HEADERS: 'true', NOINDEX: '' }, true],
  ] as const;
  for (const [env, noindex] of rows) assert.equal(readSettings(env).noindex, noindex, JSON.stringify(env));
});

test('the browser is searched for in the folders of the system', () => {
  assert.deepEqual(readSettings({ PATH: '/usr/bin:/bin', XDG_CACHE_HOME: '/cache' }).system, {
    path: '/usr/bin:/bin',
    cacheHome: '/cache',
  });
});

test('settings are frozen, and each reading returns its own object', () => {
  const settings = readSettings({});
  assert.ok(Object.isFrozen(settings));
  assert.throws(() => Object.assign(settings, { port: 1 }), TypeError);
  assert.notEqual(readSettings({}), settings);
});

test('reading changes neither environment nor arguments', () => {
  const env = Object.freeze({ PORT: ' 80 ', TARGETS: 'A.corp' });
  const args = Object.freeze(['--psi-timeout', ' 5 ']);
  assert.equal(readSettings(env, args).psiTimeoutMs, 5000);
});

test("another program's DEBUG is ignored", () => {
  for (const text of ['puppeteer:*', '*', '1', 'app', 'false', ''])
    assert.equal(readSettings({ DEBUG: text }).debug, false, text);
  assert.equal(readSettings({ DEBUG: 'true' }).debug, true);
  assert.equal(readSettings({ DEBUG: 'true', DEBUG_HEADERS: 'false' }).debug, false);
});

test('a log level is read in any case, as other programs write it', () => {
  for (const [text, level] of [
    ['INFO', 'info'],
    ['Warning', 'warn'],
    ['debug', 'debug'],
  ] as const)
    assert.equal(readSettings({ LOG_LEVEL: text }).logLevel, level);
});

test('a variable that looks like a misspelled setting is reported, one of another program is not', () => {
  assert.deepEqual(findMisspelledSettings({ PSI_APIKEY: key, TARGET: 'x', HOSTNAME: 'x', NODE_ENV: 'x', PORT: '80' }), [
    'PSI_APIKEY in the environment is not a setting. Did you mean PSI_API_KEY?',
  ]);
  assert.deepEqual(faultsOf({}, ['8000']), ['argument 1 belongs to no flag']);
  assert.deepEqual(faultsOf({}, ['--prot', '80']), ['unknown flag --prot; did you mean --port?']);
});
