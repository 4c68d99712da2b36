import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeResponse, isKnownCharset } from '../../src/core/response-text.ts';

const GBK_ORDER = [0xb6, 0xa9, 0xb5, 0xa5];
const ascii = (text: string): number[] => [...text].map((char) => char.charCodeAt(0));

describe('the text of a response', () => {
  const cases: readonly [
    what: string,
    bytes: readonly number[],
    type: string | undefined,
    text: string,
    exact: boolean,
  ][] = [
    ['UTF-8 without a word about it', [0xe8, 0xae, 0xa2], undefined, '订', true],
    ['UTF-8 as declared', [0xe8, 0xae, 0xa2], 'application/json; charset=utf-8', '订', true],
    ['GBK as declared', GBK_ORDER, 'text/plain; charset=GBK', '订单', false],
    ['GB18030 in quotes', GBK_ORDER, 'text/plain; charset="gb18030"', '订单', false],
    ['a charset in single quotes', GBK_ORDER, "text/html; Charset='gb2312'", '订单', false],
    ['a charset that no standard knows', [0x61], 'text/plain; charset=klingon', 'a', true],
    ['a mark before the declaration', [0xef, 0xbb, 0xbf, 0x7b, 0x7d], 'text/plain; charset=gbk', '{}', false],
    ['UTF-16 by its mark', [0xff, 0xfe, 0x61, 0x00], undefined, 'a', false],
    ['UTF-16, big-endian', [0xfe, 0xff, 0x00, 0x61], undefined, 'a', false],
    [
      'XML that declares itself',
      [...ascii('<?xml version="1.0" encoding="GBK"?><a>'), ...GBK_ORDER],
      'application/xml',
      '<?xml version="1.0" encoding="GBK"?><a>订单',
      false,
    ],
    ['XML in what is no XML', ascii('<?xml encoding="GBK"?>'), 'text/plain', '<?xml encoding="GBK"?>', true],
    ['what is no text', [0x61, 0xff, 0x62], undefined, 'a\ufffdb', false],
    ['nothing', [], undefined, '', true],
  ];
  for (const [what, bytes, type, text, exact] of cases) {
    it(`reads ${what}`, () => assert.deepEqual(decodeResponse(Uint8Array.from(bytes), type), { text, exact }));
  }

  it('takes the script’s charset only where the server names none', () => {
    const bytes = Uint8Array.from(GBK_ORDER);
    assert.equal(decodeResponse(bytes, 'text/plain', 'gbk').text, '订单');
    assert.notEqual(decodeResponse(bytes, 'text/plain; charset=utf-8', 'gbk').text, '订单');
  });

  it('says of exact text that its UTF-8 is the body', () => {
    const bytes = new TextEncoder().encode('订单 {"a":1}\u0000\r\n');
    const { text, exact } = decodeResponse(bytes, 'text/plain');
    assert.equal(exact, true);
    assert.deepEqual(new TextEncoder().encode(text), bytes);
  });

  it('knows charsets by any of their names', () => {
    assert.deepEqual(['GBK', 'utf8', 'latin1', 'klingon', undefined].map(isKnownCharset), [
      true,
      true,
      true,
      false,
      false,
    ]);
  });
});
