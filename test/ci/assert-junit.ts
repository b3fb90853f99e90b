/** Checks JUnit XML against the schema that the readers of pipelines share. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { validateXML } from 'xmllint-wasm';

const schema = readFileSync(new URL('junit.xsd', import.meta.url), 'utf8');

export async function assertJunit(xml: string): Promise<void> {
  const { valid, errors } = await validateXML({
    xml: { fileName: 'junit.xml', contents: xml },
    schema: { fileName: 'junit.xsd', contents: schema },
  });
  assert.ok(valid, `${errors.map(({ rawMessage }) => rawMessage).join('\n')}\n${xml.slice(0, 2000)}`);
}
