import type { Settings } from './settings.ts';

/** As it stands in the URL, and as it is sent. */
const passwordsOf = (databaseUrl: string | undefined): string[] => {
  const { password = '' } = (databaseUrl && URL.parse(databaseUrl)) || {};
  return password === '' ? [] : [...new Set([password, decodeURIComponent(password)])];
};

/** No text that leaves the process may have one of these. */
export const secretsOf = ({ apiKeys, psiApiKey, cruxApiKey, databaseUrl }: Settings): string[] =>
  [...apiKeys, psiApiKey, cruxApiKey, ...passwordsOf(databaseUrl)].filter(key => key !== undefined);
