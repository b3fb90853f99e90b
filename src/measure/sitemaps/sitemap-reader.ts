/**
 * Reads a sitemap in pieces, as they arrive: XML of the protocol, RSS, Atom, or one URL per line. Only the five entities of XML
 * are expanded, and only URLs are stored.
 */
import { SaxesParser } from 'saxes';

export class NotASitemap extends Error {
  /** Whether it is an HTML page, which may have links. */
  readonly isPage: boolean;
  constructor(reason: string, isPage = false) {
    super(reason);
    this.name = 'NotASitemap';
    this.isPage = isPage;
  }
}

export type SitemapReader = {
  /** @throws NotASitemap */
  write(text: string): void;
  /** @throws NotASitemap */
  end(): void;
};

export type OnEntry = (kind: 'page' | 'sitemap', address: string) => void;

/** URLs are cut near this length, which exceeds that of any valid URL, so that they count as invalid. */
const mostAddressCharacters = 4096;
/** Max size of an unfinished token, which the parser buffers. No tag or text of a sitemap is nearly as long. */
const mostOpenCharacters = 1_000_000;
const mostDepth = 64;

/** Paths of addresses below the root: of sitemaps, and of RSS. */
const kinds: ReadonlyMap<string, 'page' | 'sitemap'> = new Map([
  ['url/loc', 'page'],
  ['sitemap/loc', 'sitemap'],
  ['channel/item/link', 'page'],
]);
const roots = ['urlset', 'sitemapindex', 'rss', 'feed'];

const prefixOf = (name: string): string => name.slice(0, name.indexOf(':') + 1);
const withoutPrefix = (name: string): string => name.slice(name.indexOf(':') + 1);

/** Recognises HTML by its start, because the parser would only report that it is not well-formed. */
const isHtml = (head: string): boolean => /^<(?:!doctype\s+html|html)\b/i.test(head);
const headCharacters = 64;

const sayRoot = (name: string): string =>
  name.toLowerCase() === 'html'
    ? 'it is an HTML page'
    : `its root is <${name.slice(0, 40)}>, not <urlset>, <sitemapindex>, <rss> or <feed>`;

function createXmlReader(onEntry: OnEntry): SitemapReader {
  const parser = new SaxesParser();
  const path: string[] = [];
  let address: string | undefined;
  let openCharacters = 0;
  let hasRoot = false;
  let head = '';

  let rootPrefix = '';
  /** Returns the kind of address at the path, such as `<urlset><url><loc>`; `<image:loc>` has another prefix. */
  const kindHere = () => (path.length > 4 ? undefined : kinds.get(path.slice(1).join('/')));
  const add = (text: string): void => {
    if (address !== undefined && address.length <= mostAddressCharacters) address += text;
  };

  parser.on('error', ({ message }) => {
    if (!hasRoot && isHtml(head)) throw new NotASitemap('it is an HTML page', true);
    // The parser's message contains a line and a column.
    throw new NotASitemap(`it is not well-formed XML (${message.slice(0, 120)})`);
  });
  parser.on('opentag', ({ name, attributes }) => {
    openCharacters = 0;
    const local = withoutPrefix(name);
    if (!hasRoot && !roots.includes(local)) throw new NotASitemap(sayRoot(local), local.toLowerCase() === 'html');
    if (!hasRoot) rootPrefix = prefixOf(name);
    hasRoot = true;
    path.push(prefixOf(name) === rootPrefix ? local : name);
    if (path.length > mostDepth) throw new NotASitemap('its tags are nested too deep');
    if (kindHere()) address = '';
    const { href, rel = 'alternate' } = attributes as Record<string, string>;
    // Atom names the page of an entry in an attribute.
    if (path.join('/') === 'feed/entry/link' && href && rel === 'alternate')
      onEntry('page', href.trim().slice(0, mostAddressCharacters));
  });
  parser.on('closetag', () => {
    openCharacters = 0;
    const kind = kindHere();
    if (kind && address !== undefined) onEntry(kind, address.trim());
    address = undefined;
    path.pop();
  });
  parser.on('text', add);
  parser.on('cdata', add);

  return {
    write(text) {
      openCharacters += text.length;
      if (head.length < headCharacters) head += text.slice(0, headCharacters);
      parser.write(text);
      if (openCharacters > mostOpenCharacters) throw new NotASitemap('it has a tag or a text of more than 1 MB');
    },
    end: () => void parser.close(),
  };
}

/** Reads one URL per line, as the protocol allows for text files. */
function createTextReader(onEntry: OnEntry): SitemapReader {
  let rest = '';
  let hasAddress = false;
  const read = (line: string): void => {
    const address = line.trim();
    if (address === '') return;
    if (/^https?:\/\//i.test(address)) hasAddress = true;
    else if (!hasAddress) throw new NotASitemap('it is neither XML nor a list of URLs');
    onEntry('page', address.slice(0, mostAddressCharacters));
  };
  return {
    write(text) {
      const lines = (rest + text).split(/\r\n|\r|\n/);
      rest = lines.pop() ?? '';
      for (const line of lines) read(line);
      if (rest.length > mostOpenCharacters) throw new NotASitemap('it has a line of more than 1 MB');
    },
    end() {
      read(rest);
      if (!hasAddress) throw new NotASitemap('it is empty');
    },
  };
}

/** Selects the format by the first character that is not white space. */
export function createSitemapReader(onEntry: OnEntry): SitemapReader {
  let reader: SitemapReader | undefined;
  return {
    write(text) {
      const begun = reader ? text : text.trimStart();
      if (begun === '') return;
      reader ??= begun.startsWith('<') ? createXmlReader(onEntry) : createTextReader(onEntry);
      reader.write(begun);
    },
    end() {
      if (!reader) throw new NotASitemap('it is empty');
      reader.end();
    },
  };
}
