import { z } from 'zod';
import { ownRule } from './validate.ts';

/** Ids of log lines: ULIDs of ours, and of rows that the platform wrote GUIDs. */
const LINE_ID = /^([0-7][0-9A-HJKMNP-TV-Z]{25}|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$/;

/** Another text would stand after every line, or before, and show nothing or everything without a word. */
export const lineId = z
  .string()
  .refine(
    (text) => LINE_ID.test(text),
    ownRule('须为日志行的 id，如上一次应答中的', 'the id of a line, as an answer gave it'),
  );
