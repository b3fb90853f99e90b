/** The addresses that a file in the form of `/etc/hosts` gives a name, in its order. */
export function findInHosts(text: string, name: string): string[] {
  return text.split('\n').flatMap(line => {
    const [address, ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/);
    return address && names.includes(name) ? [address] : [];
  });
}
