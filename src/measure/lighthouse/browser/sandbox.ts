import { AnalysisError } from '../../../contract/errors.ts';
import type { User } from '../cells/worker-process.ts';

export type SandboxMode = 'auto' | 'on' | 'off';
export type SandboxState = 'untested' | 'on' | 'off' | 'unavailable';

/** `nobody` on every Linux: owns no files, may read what all may read. */
const unprivileged: User = { uid: 65534, gid: 65534 };

const guidance =
  'Run the service as a normal user, from a folder which that user can read, and allow user namespaces. CHROME_SANDBOX=off accepts the risk.';

export type Sandbox = {
  readonly state: SandboxState;
  /** How to start workers and browsers now. @throws AnalysisError `lighthouse_unavailable` when there is no way left */
  plan(): { user: User | undefined; sandbox: boolean };
  /** A browser started as planned. */
  confirm(): void;
  /**
   * A worker could not start as the unprivileged user. Returns whether there is another way to try: also when
   * another audit, planned at the same time, has found it already.
   */
  loseUser(reason: string): boolean;
  /** A browser could not start with its sandbox. Returns as `loseUser` does. */
  loseSandbox(reason: string): boolean;
  /** What was found impossible may have been mended since: the next audit finds out. */
  reconsider(): void;
};

/**
 * Chromium's sandbox is kept wherever the kernel lets it be; for root, which Chromium refuses, by running the worker
 * as an unprivileged user. Where it cannot be, `auto` continues without it on loopback only, and says so; never
 * silently, and never when `on`.
 */
export function createSandbox(settings: {
  mode: SandboxMode;
  loopbackOnly: boolean;
  isRoot: boolean;
  warn: (message: string) => void;
}): Sandbox {
  let user = settings.isRoot ? unprivileged : undefined;
  let wanted = settings.mode !== 'off';
  let state: SandboxState = wanted ? 'untested' : 'off';
  /** Then it is never given up: who says that it is refused may be a worker that a page has taken over. */
  let hasWorked = false;
  /** It is tried again and again: one warning is enough. */
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
    get state() {
      return state;
    },
    plan() {
      if (state === 'unavailable')
        throw new AnalysisError('lighthouse_unavailable', `Chromium's sandbox cannot be used here. ${guidance}`);
      return { user, sandbox: wanted };
    },
    confirm() {
      if (!wanted) return;
      state = 'on';
      hasWorked = true;
    },
    loseUser(reason) {
      if (!user) return settings.isRoot;
      if (wanted && !giveUpSandbox(`the audit worker cannot run as an unprivileged user (${reason})`)) return false;
      user = undefined;
      return true;
    },
    reconsider() {
      if (state === 'unavailable') state = 'untested';
    },
    loseSandbox(reason) {
      if (!wanted) return settings.mode !== 'off';
      return giveUpSandbox(`the browser cannot use it (${reason})`);
    },
  };
}

/** What Chromium prints when the kernel refuses the namespaces its sandbox is made of. */
export const isSandboxRefusal = (message: string): boolean =>
  /No usable sandbox|Failed to move to new namespace|running as root without --no-sandbox|setuid sandbox/i.test(
    message,
  );
