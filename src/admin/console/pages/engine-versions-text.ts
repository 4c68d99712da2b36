import { defineText } from '../text/text.ts';

export const VERSIONS = defineText(
  {
    title: '版本',
    about: '每次保存都留下一个版本。回退会把旧版本的源码另存为新版本，历史不会丢失。',
    empty: '还没有版本：保存后这里会列出。',
    columns: { no: '编号', savedAt: '时间', author: '保存者', origin: '来源', version: '版本', actions: '' },
    origins: { push: '上传', save: '保存', rollback: '回退到', found: '数据库中手工修改' },
    nobody: '未知',
    inForce: '生效中',
    change: '改了什么',
    beside: '与编辑器比较',
    rollBack: '回退到此版本',
    changeTitle: (no: number) => `版本 ${no} 的改动`,
    besideTitle: (no: number) => `版本 ${no} → 编辑器中的源码`,
    askRollBack: (no: number) => `回退到版本 ${no}？下一条消息就用它；编辑器中未保存的修改会丢失。`,
  },
  {
    title: 'Versions',
    about:
      'Each save leaves a version. Rolling back saves an older source as a new version: nothing of the history is lost.',
    empty: 'No versions yet: a save makes the first.',
    columns: { no: 'No.', savedAt: 'When', author: 'Saved by', origin: 'By', version: 'Version', actions: '' },
    origins: { push: 'push', save: 'save', rollback: 'roll back to', found: 'a change in the database' },
    nobody: 'not known',
    inForce: 'in force',
    change: 'What it changed',
    beside: 'Compare with the editor',
    rollBack: 'Roll back to it',
    changeTitle: (no: number) => `What version ${no} changed`,
    besideTitle: (no: number) => `Version ${no} → the text in the editor`,
    askRollBack: (no: number) =>
      `Roll back to version ${no}? The next message runs it; changes in the editor that are not saved are lost.`,
  },
);
