/** Which test shows each row of the platform's HTTP entry (v8-surface.md 5.5, 8.3). */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const ENTRY = 'test/entry/entry.test.ts';
const ROWS_TEST = 'test/entry/spec-rows.test.ts';

/** The row, file of its test and the test's title. */
const ROWS: readonly (readonly [row: string, file: string, title: string])[] = [
  ['5.5 text', ENTRY, 'text, a page in a sandbox, or JSON as it is'],
  ['5.5 text of an HTML engine', ROWS_TEST, 'ResponseType HTML makes pages of texts'],
  ['5.5 anything else is JSON as it is', ENTRY, 'text, a page in a sandbox, or JSON as it is'],
  ['5.5 files, inline and attached', ENTRY, 'files: pictures to look at, others to save'],
  ['5.5 ResponseFile and ResponseType File', ROWS_TEST, 'ResponseFile 1 and ResponseType File answer with files'],
  ['5.5 magic bytes, junk before %PDF-', 'test/core/entry.test.ts', 'kinds of files are known by their first bytes'],
  ['5.5 a file engine without a file', ENTRY, 'files: pictures to look at, others to save'],
  ['5.5 redirects', ENTRY, 'redirects to safe places, but none for programs'],
  ['5.5 StopHttp: the text in Data', ENTRY, 'is told that an engine is not for HTTP, in Data'],
  ['5.5 engine disabled', ROWS_TEST, 'IsEnable 0: Code 0 and the text in Data'],
  ['5.5 engine unknown', ENTRY, 'nowhere else: unknown engines are Code 0'],
  ['5.5 not logged in', ENTRY, 'is nobody without a valid token of this tenant'],
  ['5.5 role not allowed, query only', ENTRY, 'may call what the roles of the engine allow'],
  ['5.5 status 200 also of failures', ENTRY, 'an exception as Code 0 with its place'],
  ['5.5 oversized bodies', ENTRY, 'bodies that are too large for a script, and for the host'],
  ['8.3 /apiengine/{key}, five verbs', ENTRY, 'at /apiengine/{key}, in any case, with every method'],
  ['8.3 any ApiAddress', ENTRY, 'at an address of its own'],
  ['8.3 /api/ApiEngine/Run, header apiengine', ENTRY, 'at /api/ApiEngine/Run, and anywhere with the header'],
  ['8.3 order of the tenant', ENTRY, 'is that of the path, before query, form, body, token and header'],
  ['8.3 invalid tenant', ENTRY, 'is never one by default, and an unknown one'],
  ['8.3 merging of the body', ENTRY, 'query, form and JSON as parameters'],
  ['8.3 multipart', ENTRY, 'files of a multipart form as Base64 by their names'],
  ['8.3 bearer, Token and form field', ENTRY, 'is the token in Authorization, in Token, or in a form field'],
  ['8.3 logins and rotated tokens', 'test/entry/people.test.ts', 'are known by their token, which is renewed'],
  ['8.3 token of another tenant', ENTRY, 'is nobody without a valid token of this tenant'],
  ['8.3 ApiRole, Level 9999, malformed', ROWS_TEST, 'ApiRole: ids, rows of roles, everybody for an empty list'],
  ['8.3 twins of FormEngine', ROWS_TEST, 'do what the methods of scripts do, by both spellings'],
  ['8.3 *Anonymous', ROWS_TEST, 'refuse an Id that is no value, a condition that is missing'],
];

for (const [row, file, title] of ROWS) {
  test(`${row} has its test: ${title}`, () => {
    const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
    assert.ok(text.includes(title), `${file} has no such test`);
  });
}
