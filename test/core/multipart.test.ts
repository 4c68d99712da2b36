import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { encodeMultipart, type FormPart } from '../../src/core/multipart.ts';

const BOUNDARY = 'v8host-5f1d0c';

/** Reads a form as another implementation does. */
function parse(body: Uint8Array): Promise<FormData> {
  const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
  return new Response(body.slice(), { headers }).formData();
}

describe('multipart bodies', () => {
  it('are written as RFC 7578 shows them', () => {
    const parts: FormPart[] = [
      { name: 'note', content: '好' },
      { name: 'a.txt', fileName: 'a.txt', content: Uint8Array.of(0, 255) },
    ];
    const text = new TextDecoder('latin1').decode(encodeMultipart(parts, 'B'));
    assert.equal(
      text,
      '--B\r\nContent-Disposition: form-data; name="note"\r\n\r\nå¥½\r\n' +
        '--B\r\nContent-Disposition: form-data; name="a.txt"; filename="a.txt"\r\n' +
        'Content-Type: application/octet-stream\r\n\r\n\u0000ÿ\r\n--B--\r\n',
    );
  });

  it('give the same bytes for the same parts', () => {
    const parts: FormPart[] = [{ name: 'a', content: 'b' }];
    assert.deepEqual(encodeMultipart(parts, BOUNDARY), encodeMultipart(parts, BOUNDARY));
  });

  it('let no name end its header', () => {
    const name = 'a"\r\nX-Evil: 1\r\n\r\n';
    const text = new TextDecoder().decode(encodeMultipart([{ name, fileName: name, content: '' }], 'B'));
    assert.equal(text.includes('\r\nX-Evil'), false);
    assert.ok(text.includes('name="a%22%0D%0AX-Evil: 1%0D%0A%0D%0A"; filename='));
  });

  it('are read back by another implementation', async () => {
    const name = fc
      .string({ minLength: 1, unit: 'grapheme' })
      .filter((text) => !/["\r\n%\\]/.test(text) && text.isWellFormed());
    const part = fc.record({ name, content: fc.uint8Array({ maxLength: 50 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 5 }), async (parts) => {
        const files = parts.map((each) => ({ ...each, fileName: each.name }));
        const form = await parse(encodeMultipart(files, BOUNDARY));
        const read = await Promise.all(
          [...form].map(async ([key, value]) => {
            const file = value as File;
            return { name: key, content: new Uint8Array(await file.arrayBuffer()), fileName: file.name };
          }),
        );
        assert.deepEqual(
          read,
          files.map((file) => ({ ...file, content: new Uint8Array(file.content) })),
        );
      }),
      { numRuns: 50 },
    );
  });
});
