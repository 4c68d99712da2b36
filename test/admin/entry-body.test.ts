import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FastifyRequest } from 'fastify';
import { readEntryBody } from '../../src/admin/entry-body.ts';
import { coerceError } from '../../src/core/errors.ts';

const MULTIPART = 'multipart/form-data; boundary=b';

function read(contentType: string, text: string) {
  const request = { headers: { 'content-type': contentType } } as unknown as FastifyRequest;
  return readEntryBody(request, Buffer.from(text));
}

async function refusal(contentType: string, text: string): Promise<string> {
  const error = await read(contentType, text).then(() => undefined, coerceError);
  return `${error?.code} ${error?.params.rule}`;
}

const parts = (count: number): string =>
  `${'--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n'.repeat(count)}--b--\r\n`;

describe('bodies of millions of tiny things', () => {
  // To take these apart held up the host for seconds to minutes. Counted, they cost milliseconds.
  const million = 1_000_000;
  const bodies: readonly (readonly [string, string, string])[] = [
    ['urlencoded', 'application/x-www-form-urlencoded', 'a=1&'.repeat(million)],
    ['urlencoded without values', 'application/x-www-form-urlencoded', '&'.repeat(million)],
    ['multipart', MULTIPART, parts(200_000)],
    ['JSON list', 'application/json', `[${'{},'.repeat(million)}1]`],
    [
      'JSON with a long number, which is read with care',
      'application/json',
      `[12345678901234567${',1'.repeat(million)}]`,
    ],
    ['brackets alone', 'application/json', '['.repeat(million)],
  ];
  for (const [name, contentType, text] of bodies) {
    it(`are refused before they are taken apart: ${name}`, async () => {
      assert.match(
        await refusal(contentType, text),
        /^(REQUEST_INVALID ≤ \d+|JSON_INVALID .*more than 500000 values)$/,
      );
    });
  }

  it('are no reason to refuse what is long', async () => {
    assert.equal((await read(MULTIPART, parts(900))).form.a?.length, 2 * 900 - 1);
    const text = ',{['.repeat(million);
    assert.equal((await read('application/json', JSON.stringify({ text }))).values.text, text);
  });
});

describe('the boundary of a multipart body', () => {
  it('is read in one way only, or the body is refused', async () => {
    assert.equal((await read('multipart/form-data; charset=utf-8; boundary="b"', parts(1))).form.a, '1');
    for (const boundary of ['', '; boundary="\\b"', '; x="; boundary=zz"; boundary=b', '; boundary=zz; boundary=b']) {
      assert.match(await refusal(`multipart/form-data${boundary}`, parts(1)), /RFC 7578/, boundary);
    }
  });
});

describe('an XML body', () => {
  it('knows the five entities of XML and no word of JavaScript', async () => {
    const { values } = await read('text/xml', '<x><a>&toString;&lt;&#20013;</a><__proto__>1</__proto__></x>');
    assert.deepEqual(values, { a: '&toString;<中' });
  });
});
