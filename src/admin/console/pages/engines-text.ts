import { defineText } from '../text/text.ts';

export const ENGINES = defineText(
  {
    title: '接口引擎',
    about: '处理队列消息、设备事件和接口调用的脚本。脚本头部的 @queue 决定它处理哪个队列。',
    emptyTitle: '还没有接口引擎',
    empty: '新建一个，或在命令行用 v8host push 目录 上传一组脚本。',
    create: '新建接口引擎',
    key: 'Key',
    keyHint: '字母、数字、_ 和 -，最多 50 个字符',
    name: '名称',
    version: '版本',
    enabled: '启用',
    on: '启用',
    off: '停用',
    isNew: '尚未保存',
    back: '返回接口引擎',
    source: '源码',
    save: '保存',
    saved: '已保存，下一条消息就用新版本',
    unsaved: '有未保存的修改',
    switchOn: '启用接口引擎',
    switchOff: '停用接口引擎',
    conflictTitle: (version: string) =>
      version === '' ? '没有保存：这个接口引擎已被删除' : `没有保存：别人已保存版本 ${version}`,
    conflict: '请比较后选择：读取别人的版本并放弃你的修改，或先在编辑器中合并，再覆盖保存。',
    conflictDiff: '别人的版本 → 你的修改',
    takeTheirs: '放弃我的修改，用别人的版本',
    saveMine: '用我的覆盖',
    with: '用什么试',
    sample: '示例消息',
    earlier: '以前的投递',
    delivery: '以前的投递',
    choose: '选择一次投递',
    noDelivery: '这个接口引擎最近没有投递：先在“队列绑定”页发送一条消息，或用示例消息。',
    tryEarlier: '用这次投递试运行',
    tryDraftHint: '运行编辑器中的源码（无需保存）；数据会回滚，消息不会发出',
    callSavedHint: '运行已保存的版本，真的执行：数据会保存',
    line: (line: number) => `第 ${line} 行`,
    test: '试运行',
    input: '消息（JSON）',
    inputHint: '作为队列消息时是 V8.Param.Message.Message；直接调用时是 V8.Param。',
    try: '用这条消息试运行',
    tryHint: '数据会回滚，消息不会发出',
    call: '直接调用',
    callHint: '真的执行：数据会保存',
    answer: '返回',
    notJson: '消息不是合法的 JSON',
  },
  {
    title: 'Engines',
    about:
      'Scripts that handle queue messages, device events and calls. @queue in a script’s header says which queue is its own.',
    emptyTitle: 'No engines yet',
    empty: 'Create one here, or upload a directory of scripts by v8host push DIR.',
    create: 'New engine',
    key: 'Key',
    keyHint: 'Letters, digits, _ and -, at most 50 characters',
    name: 'Name',
    version: 'Version',
    enabled: 'State',
    on: 'on',
    off: 'off',
    isNew: 'not saved yet',
    back: 'Back to the engines',
    source: 'Source',
    save: 'Save',
    saved: 'Saved: the next message runs the new version',
    unsaved: 'Changes are not saved',
    switchOn: 'Switch on',
    switchOff: 'Switch off',
    conflictTitle: (version: string) =>
      version === ''
        ? 'Nothing was saved: the engine was deleted'
        : `Nothing was saved: somebody else saved version ${version}`,
    conflict:
      'Compare and choose: take theirs and give up your changes, or merge in the editor and save yours over it.',
    conflictDiff: 'Theirs → yours',
    takeTheirs: 'Give up mine, take theirs',
    saveMine: 'Save mine over it',
    with: 'With',
    sample: 'a sample message',
    earlier: 'an earlier delivery',
    delivery: 'Earlier delivery',
    choose: 'Choose a delivery',
    noDelivery: 'The engine had no deliveries lately: send a message on the page of the bindings, or use a sample.',
    tryEarlier: 'Try with this delivery',
    tryDraftHint: 'runs the text in the editor, unsaved; data is rolled back, no message is sent',
    callSavedHint: 'runs the saved version for real: data is saved',
    line: (line: number) => `line ${line}`,
    test: 'Test run',
    input: 'Message (JSON)',
    inputHint: 'As a queue message it is V8.Param.Message.Message, in a call it is V8.Param.',
    try: 'Try with this message',
    tryHint: 'data is rolled back, no message is sent',
    call: 'Call it',
    callHint: 'for real: data is saved',
    answer: 'Answer',
    notJson: 'The message is no valid JSON',
  },
);

/** What a new engine begins with. */
export const NEW_ENGINE = defineText(
  `/**
 * 说明它做什么。
 *
 * @apiName 新的接口引擎
 * @queue my.queue
 * @retry 3
 */

// 消息的业务数据。写数据、发消息都在同一个事务里，返回 {Code: 1} 后一起生效。
const data = V8.Param.Message.Message;

return { Code: 1, Data: data };
`,
  `/**
 * What it does.
 *
 * @apiName New engine
 * @queue my.queue
 * @retry 3
 */

// What the message says. Data and messages are one transaction: they take effect together after {Code: 1}.
const data = V8.Param.Message.Message;

return { Code: 1, Data: data };
`,
);
