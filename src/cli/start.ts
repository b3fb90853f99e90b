/** Runs the command as a process: handles its streams and signals, and sets its exit code. */
import { onStopSignals } from '../service/stop-signals.ts';

/** Exit codes of signals: 128 plus the number of the signal, as in shells. */
const signalCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

async function run(): Promise<never> {
  // The module is imported on demand, because `serve` does not need it.
  const { runCommand } = await import('./run-command.ts');
  const { argv, stdin, stdout, stderr } = process;
  const interrupted = new AbortController();
  let code: number | undefined;
  onStopSignals(['SIGINT', 'SIGTERM', 'SIGHUP'], {
    onFirst(signal) {
      code ??= signalCodes[signal];
      interrupted.abort();
    },
    // Workers end by themselves when their parent has ended.
    onAgain: signal => process.exit(signalCodes[signal]),
  });
  // The launcher was killed. It gives this process a moment to cancel running work (bin/rangelight.js).
  process.once('disconnect', () => {
    code ??= signalCodes.SIGHUP;
    interrupted.abort();
  });
  // `write` receives each error, and decides whether it matters.
  for (const stream of [stdout, stderr]) stream.on('error', () => {});
  try {
    const ended = await runCommand(argv.slice(2), {
      env: process.env,
      stdin,
      stdout,
      stderr,
      signal: interrupted.signal,
    });
    process.exit(code ?? ended);
  } catch (error) {
    if (code === undefined) console.error(error);
    process.exit(code ?? 3);
  }
}

if (process.argv[2] === 'serve') {
  process.argv.splice(2, 1);
  const needsNoPage = /\bworker\b|--help|--version/.test([process.env.ROLE, ...process.argv.slice(2)].join(' '));
  if (!needsNoPage) {
    // A process of its own bundles the page while this one loads the service. `registerWeb` reports a failure.
    const { readWebAssets } = await import('../http/routes/web-assets.ts');
    readWebAssets().catch(() => {});
  }
  await import('../service/main.ts');
} else {
  await run();
}
