import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { COMMANDS } from '../../src/cli/command-table.ts';
import { CLIENT_OPTIONS, GENERAL_OPTIONS } from '../../src/cli/parse-arguments.ts';

describe('the pages on the command line', () => {
  for (const page of ['cli.md', 'cli.zh-CN.md']) {
    it(`name every command and every option: ${page}`, () => {
      const text = readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8');
      for (const command of COMMANDS) {
        const line = text.split('\n').find((row) => row.includes(`v8host ${command.name}`));
        assert.ok(line !== undefined, command.name);
        for (const option of Object.keys(command.options)) assert.ok(line.includes(`--${option}`), option);
      }
      for (const option of Object.keys({ ...CLIENT_OPTIONS, ...GENERAL_OPTIONS })) {
        assert.ok(text.includes(`--${option}`), option);
      }
    });
  }
});
