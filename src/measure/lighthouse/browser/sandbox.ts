import { AnalysisError } from '../../../contract/errors.ts';
import type { User } from '../worker-processes/worker-process.ts';

export type SandboxMode = 'auto' | 'on' | 'off';
export type SandboxState = 'untested' | 'on' | 'off' | 'unavailable';

/** `nobody` on Linux. It owns no files, and can read only what every user can read. */
const unprivileged: User = { uid: 65534, gid: 65534 };

const guidance =
  'Run the service as a normal user, from a folder which that user can read, and allow user namespaces. CHROME_SANDBOX=off accepts the risk.';

/**
 * Uses Chromium's sandbox if the kernel allows it. For root, for which Chromium refuses the sandbox, the worker runs as
 * an unprivileged user. If the sandbox is unusable, `auto` continues without it, on loopback only and with a warning;
 * `on` never does.
 */
export function createSandbox(settings: {
  mode: SandboxMode;
  loopbackOnly: boolean;
  isRoot: boolean;
  warn: (message: string) => void;
}) {
  let user = settings.isRoot ? unprivileged : undefined;
  let wanted = settings.mode !== 'off';
  let state: SandboxState = wanted ? 'untested' : 'off';
  /**
   * Whether the sandbox has worked. If so, it is never disabled, because the worker that reports a refusal may be
   * compromised by a page.
   */
  let hasWorked = false;
  /** Last warning, so that it is not repeated at each try. */
  let lastWarning: string | undefined;

  const giveUpSandbox = (reason: string): boolean => {
    if (hasWorked) return false;
    if (settings.mode === 'auto' && settings.loopbackOnly) {
      settings.warn(`Audits run WITHOUT Chromium's sandbox: ${reason}. ${guidance}`);
      wanted = false;
      state = 'off';
      return true;
    }
    const message = `Local audits are unavailable: ${reason}. ${guidance}`;
    if (message !== lastWarning) settings.warn(message);
    lastWarning = message;
    state = 'unavailable';
    return false;
  };

  return {
    get state(): SandboxState {
      return state;
    },
    /**
     * Returns how to start workers and browsers now.
     * @throws AnalysisError `lighthouse_unavailable` if every way has failed
     */
    plan(): { user: User | undefined; sandbox: boolean } {
      if (state === 'unavailable')
        throw new AnalysisError('lighthouse_unavailable', `Chromium's sandbox cannot be used here. ${guidance}`);
      return { user, sandbox: wanted };
    },
    /** Reports that a browser started as planned. */
    confirm(): void {
      if (!wanted) return;
      state = 'on';
      hasWorked = true;
    },
    /**
     * Reports that a worker could not start as the unprivileged user. Returns whether there is another way to try, which
     * a parallel audit may have found.
     */
    loseUser(reason: string): boolean {
      if (!user) return settings.isRoot;
      if (wanted && !giveUpSandbox(`the audit worker cannot run as an unprivileged user (${reason})`)) return false;
      user = undefined;
      return true;
    },
    /** Forgets earlier failures, because the cause may have been repaired. The next audit tries again. */
    reconsider(): void {
      if (state === 'unavailable') state = 'untested';
    },
    /** Reports that a browser could not start with its sandbox. The return value is that of `loseUser`. */
    loseSandbox(reason: string): boolean {
      if (!wanted) return settings.mode !== 'off';
      return giveUpSandbox(`the browser cannot use it (${reason})`);
    },
  };
}
export type Sandbox = ReturnType<typeof createSandbox>;

/**
 * Matches Chromium's messages when its sandbox is unusable: the kernel refuses namespaces, or the browser runs as root.
 */
export const isSandboxRefusal = (message: string): boolean =>
  /No usable sandbox|Failed to move to new namespace|running as root without --no-sandbox|setuid sandbox/i.test(
    message,
  );
