/** Requests and readers for tests of jobs. */
import assert from 'node:assert/strict';
import type { JobFacts } from '../../src/contract/jobs/job.ts';
import { type Answer, ask } from '../support/asking/ask.ts';

type Service = { url: string };

export const asyncHeaders = { prefer: 'respond-async' };

export const askForJob = (service: Service, body: unknown): Promise<Answer<JobFacts>> =>
  ask<JobFacts>(service, '/psi', {
    method: 'POST',
    headers: { ...asyncHeaders, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

export type ReadEvent = { id: number; event: string; data: Record<string, unknown> };

const toEvent = (text: string): ReadEvent[] => {
  const [, id, event, data] = /^id: (\d+)\nevent: (\w+)\ndata: (.*)$/m.exec(text) ?? [];
  return id === undefined ? [] : [{ id: Number(id), event: event ?? '', data: JSON.parse(data ?? '') }];
};

/** Yields the events of a job as they arrive. */
export async function* followJob(service: Service, id: string, after?: number): AsyncGenerator<ReadEvent> {
  const headers = after === undefined ? {} : { 'last-event-id': String(after) };
  const response = await fetch(`${service.url}/jobs/${id}/events`, { headers });
  assert.equal(response.status, 200);
  let text = '';
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const parts = `${text}${piece}`.split('\n\n');
    text = parts.pop() ?? '';
    yield* parts.flatMap(toEvent);
  }
}

export async function followToEnd(service: Service, id: string, after?: number): Promise<ReadEvent[]> {
  const events: ReadEvent[] = [];
  for await (const event of followJob(service, id, after)) events.push(event);
  return events;
}
