/** A host call that a script does not wait for at once. */
export interface AsyncCall {
  /** Unique within its run. */
  readonly id: number;
  readonly name: string;
  /** JSON array. */
  readonly args: string;
}

/** What a lane that waits says: its new calls, and when a timer of the script is due. */
export interface LaneWait {
  /** Milliseconds until the next timer; undefined when there is none. */
  readonly timerMs: number | undefined;
  readonly calls: readonly AsyncCall[];
}

/** The answer to an async call: JSON text. */
export interface AsyncAnswer {
  readonly id: number;
  readonly json: string;
}

const CALL_LINE = /^(\d{1,10}) ([A-Za-z0-9.]+) (.*)$/s;
const TIMER_LINE = /^\d{0,15}$/;

/** Writes the text of a `wait` frame: the timer, then a line for each call. JSON has no line feed of its own. */
export function writeWaitText(wait: LaneWait): string {
  let text = wait.timerMs === undefined ? '' : String(wait.timerMs);
  for (const { id, name, args } of wait.calls) text += `\n${id} ${name} ${args}`;
  return text;
}

/** Reads the text of a `wait` frame; undefined when it is none. */
export function readWaitText(text: string): LaneWait | undefined {
  const [timer = '', ...lines] = text.split('\n');
  if (!TIMER_LINE.test(timer)) return undefined;
  const calls: AsyncCall[] = [];
  for (const line of lines) {
    const [, id = '', name = '', args = ''] = CALL_LINE.exec(line) ?? [];
    if (id === '') return undefined;
    calls.push({ id: Number(id), name, args });
  }
  return { timerMs: timer === '' ? undefined : Number(timer), calls };
}

/** Writes the text of a `step` frame, which the script's side of the sandbox reads: a line for each answer. */
export function writeStepText(answers: readonly AsyncAnswer[]): string {
  return answers.map(({ id, json }) => `${id} ${json}`).join('\n');
}
