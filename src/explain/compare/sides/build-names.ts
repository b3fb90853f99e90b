/** Names that a build or a release gives to a file: another one of each, for the same file of the same page. */
import { withoutTokens } from './addresses.ts';

const kindOf = (sign: string): string => {
  if (/\d/.test(sign)) return 'digit';
  return /[A-Z]/.test(sign) ? 'capital' : 'letter';
};

const countTurns = (piece: string): number =>
  [...piece].filter((sign, at) => at > 0 && kindOf(sign) !== kindOf(piece.charAt(at - 1))).length;

/** Letters, capitals and digits take turns in a word only where it begins, and in `1200x800` once each way. */
const leastShareOfTurns = 0.4;

const isRandom = (text: string): boolean =>
  text.split(/[-_]/).reduce((turns, piece) => turns + countTurns(piece), 0) >= leastShareOfTurns * (text.length - 1);

/** esbuild and Angular write theirs in capitals. */
const isHash = (text: string): boolean => isRandom(text) || /^(?=.*[A-Z])[A-Z\d]+$/.test(text);

/** `main-Bq3x9LkA.js`, `chunk.3PQK4TZE.js`: bundlers take eight signs. */
const hash = /(?<=[-._/])[\w-]{8}(?=(?:\.min)?\.\w+$)/;

/** `main.a1b2c3.js`: six or seven, where digits and letters are mixed. */
const shortHash = /(?<=[-._])(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{6,7}(?=(?:\.min)?\.\w+$)/;

/** A folder for each release. */
const release = /(?<=\/)[\w-]{20,}(?=\/)/g;

/** Of a load, a session, a visitor. */
const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

export const withoutBuild = (path: string): string =>
  withoutTokens(
    path
      .replace(uuid, '*')
      .replace(hash, text => (isHash(text) ? '*' : text))
      .replace(shortHash, '*')
      .replace(release, text => (isRandom(text) ? '*' : text)),
  );
