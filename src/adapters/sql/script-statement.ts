import { AppError } from '../../core/errors.ts';

/** Words that may begin a script's statement; each works on rows and none commits (delivery.md F2). */
const ALLOWED = /^(select|insert|update|delete|replace|with)\b/i;

/** `/*!50000 commit *\/` is a comment to others and a statement to the server. */
const EXECUTABLE_COMMENT = /\/\*M?!/i;

/**
 * The last check before a script's statement reaches a server that has no authorizer of its own.
 * @throws AppError DB_STATEMENT.
 */
export function assertRowStatement(text: string): void {
  const first = text.replace(/^(\s|\(|\/\*(?!M?!)[\s\S]*?\*\/|(--\s|#)[^\n]*(\n|$))+/i, '');
  if (ALLOWED.test(first) && !EXECUTABLE_COMMENT.test(text)) return;
  throw new AppError('DB_STATEMENT', {
    message: 'only SELECT, INSERT, UPDATE, DELETE and REPLACE are allowed in a script, without executable comments',
  });
}
