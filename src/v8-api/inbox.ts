/** V8.Inbox.Once, in two host calls: between them the sandbox runs the script's function (prelude/inbox.js). */
import { type DosResult, succeed } from '../core/dos-result.ts';
import { type Call, hostCall } from './host-call.ts';

export const INBOX = { 'Inbox.Begin': hostCall(begin), 'Inbox.End': hostCall(end) } as const;

const DONE = { zh: '此键已处理过，未再执行。', en: 'This key was done before, nothing ran.' } as const;

/** Begin(key): `DataAppend.Ran` says whether the function runs. */
async function begin(call: Call): Promise<DosResult> {
  const [key] = call.args;
  call.context.touch(typeof key === 'string' ? key.slice(0, 128) : '');
  const begun = await call.context.beginOnce(key ?? null);
  if (begun === 'claimed') return { ...succeed(), DataAppend: { Ran: true } };
  return { ...succeed(null, { Msg: DONE[call.lang] }), DataAppend: { Ran: false } };
}

/** End(keep). */
async function end(call: Call): Promise<DosResult> {
  await call.context.endOnce(call.args[0] === true);
  return { ...succeed(), DataAppend: { Ran: true } };
}
