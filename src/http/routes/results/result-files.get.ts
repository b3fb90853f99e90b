/** Files of a stored result: its report, final screenshot, trace and network log. */
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { Static } from 'typebox';
import type { ReportFile } from '../../../analysis/threads/tasks.ts';
import type { Threads } from '../../../analysis/threads/threads.ts';
import type { CompareResult } from '../../../contract/analysis/answers.ts';
import { AnalysisError } from '../../../contract/errors.ts';
import { maxNetworkLogBytes } from '../../../contract/json-bounds.ts';
import type { Caller } from '../../../measure/fair-turns.ts';
import { toSideNames } from '../../../presentation/side-names.ts';
import type { EntryKind } from '../../../storage/database/tables.ts';
import type { ArtifactName, Entry, ResultStore } from '../../../storage/results/store.ts';
import { toFileName } from '../../../web/report/file-policy.ts';
import { toExperimentReport } from '../../../web/report/render-experiment.ts';
import { sendReport } from '../../answers/send-report.ts';
import type { Operation, Route, RouteParts } from '../../route.ts';
import { toCaller } from '../../server/full-turns.ts';
import { askStore, findEntry, findFull, type StoreSources } from './stored.ts';

/* Errors for a missing part of a stored result. */

type ServedArtifact = {
  /** End of the artifact's path, and of the file name. */
  readonly part: 'trace' | 'network-log';
  readonly name: ArtifactName;
  /** Words for messages. */
  readonly words: readonly [one: string, many: string];
};

const noArtifact = ({ words: [one, many] }: ServedArtifact, [elsewhere]: readonly string[], isShared: boolean) => {
  if (elsewhere !== undefined) {
    const where = `The ${one} of this result is on the disk of another machine, with the machine_id ${elsewhere}.`;
    return new AnalysisError('result_not_found', `${where} Ask the instance there.`);
  }
  const where = isShared ? `, and none is stored if another machine than the requested one audited the page` : '';
  const why = `${many} are removed first to make room${where}.`;
  return new AnalysisError('result_not_found', `No ${one} of this result is stored. ${why}`);
};

type DrawnPart = 'report' | 'screenshot';

const ofLoad = (part: DrawnPart) =>
  `There is no ${part} of this result: its full data is not stored, or contains none.`;

/** Reasons why an entry lacks a part, by its kind. */
const noPartWords: Readonly<Record<EntryKind, (part: DrawnPart) => string>> = {
  result: ofLoad,
  run: ofLoad,
  failure: part => `The page could not be measured, so there is no ${part} of it.`,
  comparison: part => `A comparison has no ${part} of its own: use the id of one of its results.`,
  experiment: part => `An experiment has no ${part}: its loads are not stored.`,
};

const noPart = ({ kind }: Entry, part: DrawnPart) => new AnalysisError('result_not_found', noPartWords[kind](part));

export type ResultFileSources = StoreSources &
  Pick<RouteParts, 'fullTurns' | 'toClientId'> & {
    threads: Pick<Threads, 'drawReport' | 'drawComparison' | 'readScreenshot' | 'writeHar'>;
  };

const toOperation = (part: Pick<Operation, 'path' | 'summary' | 'description'> & { fileType: string }): Operation => ({
  method: 'GET',
  tag: 'results',
  ...part,
});

const trace: ServedArtifact = { part: 'trace', name: 'trace', words: ['trace', 'Traces'] };
const networkLog: ServedArtifact = { part: 'network-log', name: 'network_log', words: ['network log', 'Network logs'] };

const idOf = ({ params }: { params: unknown }): string => (params as { id: string }).id;

export const resultReportRoute = ({ store, threads, fullTurns, toClientId }: ResultFileSources): Route => {
  async function draw(entry: Entry, caller: Caller): Promise<ReportFile> {
    const { id, kind, summary } = entry;
    if (kind === 'comparison') {
      const body = JSON.parse(summary) as Static<typeof CompareResult>;
      const analyser = 'analyser' in body.psi ? body.psi.analyser : undefined;
      return threads.drawComparison({ body, names: toSideNames(analyser) }, caller);
    }
    if (kind === 'experiment') return toExperimentReport(JSON.parse(summary));
    const full = await findFull(store, id);
    const drawn = full && (await threads.drawReport({ summary, full }, caller));
    if (!drawn) throw noPart(entry, 'report');
    return drawn;
  }

  return {
    operation: toOperation({
      path: '/results/{id}/report',
      summary: 'A stored result as an HTML report',
      description: 'The report of this result or comparison. Nothing is measured.',
      fileType: 'text/html',
    }),
    effort: 'action',
    handle: async (request, reply) => {
      const entry = await findEntry(store, idOf(request));
      const { url, kind, source, strategy } = entry;
      const caller = toCaller(toClientId, request, reply);
      const word = kind === 'experiment' ? kind : source === 'compare' ? 'compared' : source;
      const name = toFileName(url, word, strategy);
      return fullTurns.sendWhole(async () => sendReport(reply, await draw(entry, caller), name), reply, caller);
    },
  };
};

export const resultScreenshotRoute = ({ store, threads, fullTurns, toClientId }: ResultFileSources): Route => ({
  operation: toOperation({
    path: '/results/{id}/screenshot',
    summary: 'The final screenshot of a stored result',
    description: 'The page at the end of its load.',
    fileType: 'image/jpeg',
  }),
  effort: 'action',
  handle: async (request, reply) => {
    const entry = await findEntry(store, idOf(request));
    const caller = toCaller(toClientId, request, reply);
    const screenshot = await fullTurns.read(async () => {
      const full = await findFull(store, entry.id);
      return full && threads.readScreenshot({ full }, caller);
    }, caller);
    if (!screenshot) throw noPart(entry, 'screenshot');
    return reply
      .code(200)
      .header('content-type', screenshot.type)
      .header('cache-control', 'private, max-age=31536000, immutable')
      .send(Buffer.from(screenshot.bytes));
  },
});

/** Opens an artifact. It may be removed at any moment, but an open one can be read to its end. */
async function openArtifact(store: ResultStore | undefined, id: string, { name }: ServedArtifact) {
  const found = (await askStore(store, stored => stored.artifacts(id)))?.[name];
  const file = found && (await open(found.path).catch(() => undefined));
  return file && { found, file };
}

/** @throws AnalysisError if this machine has no such artifact */
async function openStored(store: ResultStore | undefined, id: string, artifact: ServedArtifact) {
  // A file that was compressed in the meantime has a different name.
  const opened = (await openArtifact(store, id, artifact)) ?? (await openArtifact(store, id, artifact));
  if (opened) return opened;
  const elsewhere = await askStore(store, stored => stored.artifactsElsewhere(id));
  throw noArtifact(artifact, elsewhere, store?.status().engine === 'postgres');
}

const artifactRoute =
  (artifact: ServedArtifact, texts: Pick<Operation, 'summary' | 'description'>) =>
  ({ store }: ResultFileSources): Route => ({
    operation: toOperation({ path: `/results/{id}/${artifact.part}`, fileType: 'application/gzip', ...texts }),
    effort: 'action',
    handle: async (request, reply) => {
      const entry = await findEntry(store, idOf(request));
      const { found, file } = await openStored(store, entry.id, artifact);
      const name = toFileName(entry.url, artifact.part, entry.strategy).replace(/html$/, 'json.gz');
      reply
        .code(200)
        .header('content-type', 'application/gzip')
        .header('content-disposition', `attachment; filename="${name}"`);
      if (found.isPacked) return reply.header('content-length', found.bytes).send(file.createReadStream());
      const packed = createGzip();
      // A failure of either stream ends both, and thus the response.
      pipeline(file.createReadStream(), packed, () => {});
      return reply.send(packed);
    },
  });

export const resultTraceRoute = artifactRoute(trace, {
  summary: 'The trace of a stored local audit',
  description:
    'A gzip file that the Performance panel of Chrome DevTools opens. Traces are removed earlier than the results they belong to.',
});

export const resultNetworkLogRoute = artifactRoute(networkLog, {
  summary: 'The network log of a stored local audit',
  description:
    'A gzip file with the DevTools messages of each request, as JSON. Network logs are removed earlier than the results they belong to.',
});

export const resultHarRoute = ({ store, threads, fullTurns, toClientId }: ResultFileSources): Route => ({
  operation: toOperation({
    path: '/results/{id}/har',
    summary: 'The requests of a stored local audit as a HAR file',
    description:
      'The network log in the format that the Network panel of DevTools and other tools import, without cookies, credentials and sent data.',
    fileType: 'application/json',
  }),
  effort: 'action',
  handle: async (request, reply) => {
    const entry = await findEntry(store, idOf(request));
    const caller = toCaller(toClientId, request, reply);
    return fullTurns.sendWhole(
      async () => {
        const { found, file } = await openStored(store, entry.id, networkLog);
        const isSmall = found.bytes <= maxNetworkLogBytes;
        const bytes = await (isSmall ? file.readFile() : Promise.resolve()).finally(() => file.close());
        const har = bytes && (await threads.writeHar({ bytes, isPacked: found.isPacked }, caller));
        if (!har)
          throw new AnalysisError('result_not_found', 'The network log of this result is damaged or too large.');
        const name = toFileName(entry.url, 'requests', entry.strategy).replace(/html$/, 'har');
        return reply
          .code(200)
          .header('content-type', 'application/json')
          .header('content-disposition', `attachment; filename="${name}"`)
          .send(Buffer.from(har));
      },
      reply,
      caller,
    );
  },
});
