export function saveBlob(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // By then the browser has begun to read it.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Saves a text as a file. */
export const download = (name: string, type: string, text: string): void => saveBlob(name, new Blob([text], { type }));

/** Copies a text. Only a secure origin has a clipboard; elsewhere the browser copies what is selected. */
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
