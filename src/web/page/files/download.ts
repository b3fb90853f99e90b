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
