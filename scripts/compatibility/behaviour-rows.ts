import type { BehaviourRow } from './member-row.ts';

/** Rules on which the platform's sources contradict each other, or from which this host departs. */
export const BEHAVIOUR_ROWS: readonly BehaviourRow[] = [
  {
    topic: ['Acknowledging a message', '消息确认'],
    platform: ['Nothing, text and lists acknowledge it, too.', '无返回值、文本、数组也会确认。'],
    here: [
      'Only an object with `Code: 1`; `@legacyAck on` reads results as the platform did.',
      '只有含 `Code: 1` 的对象；`@legacyAck on` 按平台规则。',
    ],
    test: [
      'test/app/public-reports.test.ts',
      'only an explicit Code 1 acknowledges; every other ending has a reason for its author',
    ],
  },
  {
    topic: ['Value of the last statement', '最后一条语句的值'],
    platform: ['It is the result when nothing is returned.', '没有 return 时作为结果。'],
    here: ['It is not: an acknowledgement is said.', '不是结果：确认必须明确写出。'],
    test: ['test/sandbox/outcomes.test.ts', 'the value of the last statement is not the result'],
  },
  {
    topic: ['`await` at the top', '顶层 `await`'],
    platform: ['Works in later versions.', '后期版本支持。'],
    here: ['Works, also before what is no promise.', '支持，对非 Promise 也无害。'],
    test: ['test/sandbox/outcomes.test.ts', 'top-level await works, and await of something that is no promise too'],
  },
  {
    topic: ['A condition that cannot be understood', '无法识别的条件'],
    platform: ['Is dropped, so that more rows are read or written.', '被丢弃，读写更多数据。'],
    here: ['Is refused with its number.', '拒绝并指出第几个条件。'],
    test: ['test/core/where.test.ts', 'WHERE_INVALID'],
  },
  {
    topic: ['`_Where` of `V8.MongoDb`: lists', '`V8.MongoDb` 的 `_Where`：列表'],
    platform: [
      '`In` and `NotIn` take text with commas; a list is no condition at all.',
      '`In`、`NotIn` 只认逗号分隔的文本；数组等于没有条件。',
    ],
    here: ['Both; the parts of a text stay texts.', '两者都可以；文本的各部分按文本比较。'],
    test: ['test/contract/documents.contract.ts', '(b) lists, their JSON text, and text with commas'],
  },
  {
    topic: ['`_Where` of `V8.MongoDb`: Like', '`V8.MongoDb` 的 `_Where`：Like'],
    platform: ['Every Like means contains.', '所有 Like 都是“包含”。'],
    here: [
      '`StartLike` and `EndLike` are anchored; the text is literal, in any case of letters.',
      '`StartLike`、`EndLike` 有锚定；按字面匹配，不分大小写。',
    ],
    test: ['test/contract/documents.contract.ts', '(c) Like is literal, in any case, and anchored'],
  },
  {
    topic: ['`_Where` of `V8.MongoDb`: AND, OR, brackets', '`V8.MongoDb` 的 `_Where`：AND、OR、括号'],
    platform: [
      'The last AND or OR governs the list; brackets are flattened.',
      '最后一个 AND 或 OR 决定整个列表；括号被展平。',
    ],
    here: ['Each counts, AND before OR, and brackets group.', '每个都起作用，AND 先于 OR，括号分组。'],
    test: ['test/contract/documents.contract.ts', '(d), (e) each AND and OR counts, and brackets group'],
  },
  {
    topic: ['`_Where` of `V8.MongoDb`: conditions in error', '`V8.MongoDb` 的 `_Where`：错误的条件'],
    platform: ['Disappear, so that more documents are found.', '消失，结果变多。'],
    here: [
      'Are refused with their number. As there: null asks for nothing, an unknown operator is `=`, fewer than three parts are nothing; the last two warn.',
      '拒绝并指出第几个条件。与平台一致：null 忽略该条件，未知运算符按 `=`，少于三个部分被忽略；后两种会给出警告。',
    ],
    test: ['test/core/document-where.test.ts', '_Where of documents that cannot be read is refused'],
  },
  {
    topic: ['Update or delete without a matching row', '更新或删除没有匹配的行'],
    platform: ['Code 1 with DataCount 0; formerly 1006.', 'Code 1、DataCount 0；早期为 1006。'],
    here: ['Code 1 with DataCount 0.', 'Code 1、DataCount 0。'],
    test: ['test/v8-api/form-engine-write.test.ts', 'answers Code 1 with DataCount 0 when the row is absent'],
  },
  {
    topic: ['`_PageSize`', '`_PageSize`'],
    platform: ['1,000 when omitted; called a maximum in places.', '省略时为 1000；部分文档称为最大值。'],
    here: [
      'Without paging at most 10,000 rows, else a failure; 1,000 when only `_PageIndex` is given.',
      '不分页时最多 10,000 行，超过则失败；只给 `_PageIndex` 时为 1000。',
    ],
    test: ['test/v8-api/form-engine-read.test.ts', 'takes pages of 1,000 rows when only _PageIndex is given'],
  },
  {
    topic: ['Member that neither product has', '两者都没有的成员'],
    platform: ['Undefined.', 'undefined。'],
    here: ['Undefined: `typeof V8.X.Y === "function"` tells.', 'undefined：可用 `typeof V8.X.Y === "function"` 判断。'],
    test: ['test/sandbox/surface-members.test.ts', 'is undefined'],
  },
  {
    topic: ['Unsupported member', '不支持的成员'],
    platform: ['–', '–'],
    here: [
      'A function that answers `Code: 0` with `MEMBER_UNSUPPORTED` and what to do instead.',
      '返回 `Code: 0`、`MEMBER_UNSUPPORTED` 以及替代办法的函数。',
    ],
    test: [
      'test/sandbox/surface-members.test.ts',
      'every unsupported member is a function that says so and what to do',
    ],
  },
  {
    topic: ['`JSON.stringify`', '`JSON.stringify`'],
    platform: ['Replaced: no replacer, no indent.', '被替换：不支持 replacer 和缩进。'],
    here: ['The language’s own.', '语言自带的函数。'],
    test: ['test/sandbox/outcomes.test.ts', 'a result is what JSON makes of it'],
  },
];
