/**
 * Encrypts stored secrets with AES-256-GCM. A sealed text opens only in its place, such as the row of one client, so that
 * a copy of it in another row is worthless.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** No key opens a sealed text, or the text was changed. */
export class SealedError extends Error {}

export type Vault = {
  /** Name of the key that seals, which does not reveal it. */
  readonly keyId: string;
  /** Names of all keys, which open. */
  readonly keyIds: readonly string[];
  seal(text: string, place: string): string;
  /** @throws SealedError */
  open(sealed: string, place: string): string;
  /** Returns whether the key that seals has sealed this. */
  isCurrent(sealed: string): boolean;
  /** Returns a digest from which no one without the key can guess the text. */
  digest(text: string): string;
};

const derive = (key: Uint8Array, purpose: string, bytes = 32): Buffer =>
  Buffer.from(hkdfSync('sha256', key, '', `rangelight ${purpose}`, bytes));

/** @param keys at least one, each of 32 bytes; the first seals, all open */
export function createVault(keys: readonly Uint8Array[]): Vault {
  const ring = new Map(keys.map(key => [derive(key, 'id', 6).toString('hex'), derive(key, 'seal')]));
  const [first] = ring;
  if (!first || !keys[0]) throw new Error('a vault without a key');
  const [keyId, sealing] = first;
  const digesting = derive(keys[0], 'digest');

  return {
    keyId,
    keyIds: [...ring.keys()],
    seal(text, place) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, sealing, nonce).setAAD(Buffer.from(place));
      const content = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return `${keyId}.${Buffer.concat([nonce, cipher.getAuthTag(), content]).toString('base64url')}`;
    },
    open(sealed, place) {
      const [id = '', packed = ''] = sealed.split('.');
      const key = ring.get(id);
      if (!key) throw new SealedError('no key');
      try {
        const bytes = Buffer.from(packed, 'base64url');
        const options = { authTagLength: tagBytes };
        const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), options)
          .setAAD(Buffer.from(place))
          .setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
        return decipher.update(bytes.subarray(nonceBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8');
      } catch (cause) {
        throw new SealedError('changed', { cause });
      }
    },
    isCurrent: sealed => sealed.startsWith(`${keyId}.`),
    digest: text => createHmac('sha256', digesting).update(text).digest('base64url'),
  };
}
