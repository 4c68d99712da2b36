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
