import { toDownloadName } from '../../presentation/download-name.ts';

export function saveBlob(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has started to read the blob by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Saves text as a file that is named after its pages. */
export const download = (urls: readonly string[], extension: string, type: string, text: string): void =>
  saveBlob(toDownloadName(urls, new Date(), extension), new Blob([text], { type }));

export const downloadJson = (urls: readonly string[], value: unknown): void =>
  download(urls, 'json', 'application/json', JSON.stringify(value, null, 2));

/** Copies text. The clipboard needs a secure origin; otherwise the browser copies a selection. */
export async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard)
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
  const field = document.createElement('textarea');
  field.value = text;
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  return isCopied;
}
