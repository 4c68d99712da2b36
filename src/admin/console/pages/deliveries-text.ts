import { defineText } from '../text/text.ts';

export const DELIVERIES = defineText(
  {
    title: '投递',
    about: '最近的运行，新的在前。按 EventId 可以查看一个事件的完整经过。',
    find: 'EventId',
    open: '查看经过',
    state: '结果',
    noQueue: '直接调用',
    emptyTitle: '还没有运行',
    empty: '向队列发送一条消息，它的每次运行都会出现在这里。',
    columns: {
      startedAt: '时间',
      eventId: 'EventId',
      engineKey: '接口引擎',
      verdict: '结果',
      queue: '队列',
      took: '用时',
    },
  },
  {
    title: 'Deliveries',
    about: 'The latest runs, newest first. Enter an EventId to see the whole story of an event.',
    find: 'EventId',
    open: 'Show its story',
    state: 'Result',
    noQueue: 'a call',
    emptyTitle: 'No runs yet',
    empty: 'Send a message to a queue: each of its runs is shown here.',
    columns: {
      startedAt: 'Time',
      eventId: 'EventId',
      engineKey: 'Engine',
      verdict: 'Result',
      queue: 'Queue',
      took: 'Took',
    },
  },
);
