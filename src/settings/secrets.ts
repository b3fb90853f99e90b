import type { Settings } from './settings.ts';

/** As it stands in the URL, and as it is sent. */
const passwordsOf = (databaseUrl: string | undefined): string[] => {
  const { password = '' } = (databaseUrl && URL.parse(databaseUrl)) || {};
  return password === '' ? [] : [...new Set([password, decodeURIComponent(password)])];
};

/** No text that leaves the process may have one of these. */
export const secretsOf = ({ apiKeys, psiApiKey, cruxApiKey, databaseUrl, callbackKey }: Settings): string[] => {
  const callbackSecret = callbackKey && Buffer.from(callbackKey).toString('base64');
  return [...apiKeys, psiApiKey, cruxApiKey, ...passwordsOf(databaseUrl), callbackSecret].filter(
    key => key !== undefined,
  );
};
