/** A row of the compatibility page: members of the original platform's `V8`, and how they are here. */
export interface MemberRow {
  /**
   * Paths under `V8`, or `Family.*` for the functions of a family without a row of their own, or for an absent family as a whole. A path that begins with
   * `::` is a global, such as `::calc`.
   */
  readonly members: readonly string[];
  /** `same` as on the platform, `differs` in what the note says, `added` here alone, `absent` here: it reads as undefined. */
  readonly status: 'same' | 'differs' | 'added' | 'absent';
  /** What differs and why; for `same` what is worth knowing. English and 中文. */
  readonly note?: Note;
  /** The test that shows it. */
  readonly test: TestName;
}

/** A rule of the platform that is not about one member. */
export interface BehaviourRow {
  readonly topic: Note;
  readonly platform: Note;
  readonly here: Note;
  readonly test: TestName;
}

export type Note = readonly [en: string, zh: string];

/** File and title of a test, or of the group it stands in. */
export type TestName = readonly [file: string, title: string];
