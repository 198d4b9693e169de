/** An element of an XML document: its name, attributes, and the text and elements in it. */
export type Element = {
  name: string;
  attributes: Record<string, string>;
  text: string;
  children: Element[];
};

const token =
  /<\?xml [^?]*\?>|<(\/?)([A-Za-z][\w:.-]*)((?:\s+[\w:.-]+="[^"<]*")*)\s*(\/?)>|([^<]+)/y;

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function unescaped(text: string): string {
  if (/&(?!(amp|lt|gt|quot|apos);)/.test(text)) throw new Error('An ampersand is not escaped.');
  return text.replace(/&(\w+);/g, (_, name: string) => entities[name] ?? '');
}

/** The one root element of a document. Throws where it is not well-formed, for the part of XML 1.0 that we write. */
export function parseXml(source: string): Element {
  const root: Element = { name: '', attributes: {}, text: '', children: [] };
  const open = [root];
  token.lastIndex = 0;
  while (token.lastIndex < source.length) {
    const at = token.lastIndex;
    const match = token.exec(source);
    const parent = open.at(-1);
    if (match === null || parent === undefined) throw new Error(`Not well-formed at ${at}.`);
    const [, closing, name, attributes = '', selfClosing, text] = match;
    if (text !== undefined) parent.text += unescaped(text);
    if (name === undefined) continue;
    if (closing) {
      if (open.pop()?.name !== name) throw new Error(`</${name}> closes another element.`);
      continue;
    }
    const pairs = [...attributes.matchAll(/([\w:.-]+)="([^"]*)"/g)];
    const element: Element = {
      name,
      attributes: Object.fromEntries(pairs.map(([, key, value = '']) => [key, unescaped(value)])),
      text: '',
      children: [],
    };
    parent.children.push(element);
    if (!selfClosing) open.push(element);
  }
  const [only, ...others] = root.children;
  if (open.length !== 1 || only === undefined || others.length > 0) {
    throw new Error('A document has one root element.');
  }
  return only;
}
