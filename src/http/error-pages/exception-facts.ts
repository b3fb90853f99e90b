import { basename, isAbsolute, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';

/** Facts of a thrown value that may be shown: paths outside the project are removed. */
export type ExceptionFacts = {
  readonly className: string;
  readonly message: string;
  /** Source file of the first stack frame, relative to the project root; `unknown` if there is none. */
  readonly file: string;
  readonly line: number;
  /** One line for each stack frame, without the message. */
  readonly frames: readonly string[];
};

type SourceLine = { readonly location: string; readonly file: string; readonly line: number };

const PROJECT_ROOT = fileURLToPath(new URL('../../../', import.meta.url));

export function toExceptionFacts(thrown: unknown, root = PROJECT_ROOT): ExceptionFacts {
  if (!(thrown instanceof Error)) {
    return { className: typeof thrown, message: toText(thrown), file: 'unknown', line: 0, frames: [] };
  }
  const lines = toFrameLines(thrown);
  const sourceLines = lines.map(line => readSourceLine(line, root));
  const first = sourceLines.find(found => found !== undefined);
  return {
    className: thrown.constructor.name === 'Error' ? thrown.name : thrown.constructor.name,
    message: thrown.message,
    file: first?.file ?? 'unknown',
    line: first?.line ?? 0,
    frames: lines.map((line, index) => toShownFrame(line, sourceLines[index])),
  };
}

function toText(thrown: unknown): string {
  return typeof thrown === 'string' ? thrown : inspect(thrown, { depth: 1, customInspect: false });
}

// The message is removed first: a hostile one could contain lines that look like frames.
function toFrameLines({ stack = '', message }: Error): string[] {
  const start = stack.indexOf(message);
  const trace = start < 0 ? stack : stack.slice(start + message.length);
  return trace
    .split('\n')
    .map(line => line.trim())
    .filter(line => line.startsWith('at '));
}

function readSourceLine(frame: string, root: string): SourceLine | undefined {
  const [, location, line] = /^at (?:async )?(?:.*? \()?(.+?):(\d+):\d+\)?$/.exec(frame) ?? [];
  if (location === undefined) return undefined;
  return { location, file: toShownPath(toPath(location), root), line: Number(line) };
}

function toPath(location: string): string {
  if (!location.startsWith('file://')) return location;
  try {
    return fileURLToPath(location);
  } catch {
    return basename(location);
  }
}

function toShownPath(path: string, root: string): string {
  if (path.startsWith('node:')) return path;
  if (!isAbsolute(path)) return basename(path);
  const inside = relative(root, path);
  if (!inside.startsWith('..') && !isAbsolute(inside)) return inside;
  const dependency = path.lastIndexOf('node_modules');
  return dependency < 0 ? basename(path) : path.slice(dependency);
}

function toShownFrame(frame: string, source: SourceLine | undefined): string {
  return source === undefined ? frame : frame.replace(source.location, () => source.file);
}
