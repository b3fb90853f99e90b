/** Three services on one database with a fake remote analyser, and helpers for the answers of their clients. */
import type { Problem } from '../../src/contract/problem.ts';
import { type FakePsi, startFakePsi } from '../support/analysers/fake-psi.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { type Scope, startService } from '../support/start-service.ts';
import type { OwnPostgres } from '../support/surroundings/own-postgres.ts';
import { until } from '../support/until.ts';

type Answered = { cache: { status: string }; error?: Problem };
export type Service = { readonly url: string };

export const toSettings = (fake: FakePsi, databaseUrl: string) => ({
  PSI_ENDPOINT: fake.endpoint,
  DATABASE_URL: databaseUrl,
  TARGETS: 'public',
});

export async function startThree(scope: Scope, postgres: OwnPostgres, environment: Record<string, string> = {}) {
  const fake = await startFakePsi(scope);
  const databaseUrl = await postgres.createDatabase();
  const start = () => startService(scope, { ...toSettings(fake, databaseUrl), ...environment });
  const services = [await start(), await start(), await start()] as const;
  return { fake, databaseUrl, start, services };
}

export const target = (name: string) => withQuery('/psi', { url: `https://example.com/${name}`, strategy: 'mobile' });

export const get = (service: Service, name: string, init: RequestInit = {}) =>
  ask<Answered>(service, target(name), init);

export const statusOf = async (service: Service, name: string) => (await get(service, name)).body.cache.status;

/** Waits until a result of one service is a hit of the other: they find each other again within a second or two. */
export async function untilShared(one: Service, other: Service): Promise<void> {
  let page = 0;
  await until(async () => {
    page += 1;
    await get(one, `shared-${page}`);
    return (await statusOf(other, `shared-${page}`)) === 'hit';
  });
}
