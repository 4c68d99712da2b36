import process from 'node:process';

/**
 * What every program of ours that a test starts has in its environment, beside what the test gives it: where programs
 * are, and where Node keeps what it knows of sources, with which hundreds of starts take half the processor time
 * (scripts/run-tests.ts).
 */
export const PROGRAM_ENVIRONMENT: Readonly<Record<string, string>> = {
  PATH: process.env.PATH ?? '',
  ...(process.env.NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }),
};
