import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { isAbsent, toReason } from './fileFault.ts';

/** A program with its leading arguments, or what is wrong with it. */
export type ResolvedCommand =
  | { readonly kind: 'command'; readonly command: readonly [string, ...string[]] }
  | { readonly kind: 'problem'; readonly message: string };

/**
 * Finds the program of a command. Text that names a file, relative to `directory`, is the program even with blanks in it;
 * other text is split at blanks. A first word without a slash that names no file is left to PATH.
 */
export function resolveCommand(
  command: string | readonly string[],
  directory: string,
): ResolvedCommand {
  const words = typeof command === 'string' ? toWords(command, directory) : command;
  const [program, ...rest] = words;
  if (program === undefined || program.trim() === '') {
    return { kind: 'problem', message: 'must not be empty' };
  }
  const file = resolve(directory, program);
  if (!program.includes('/') && !isFile(file)) {
    return { kind: 'command', command: [program, ...rest] };
  }
  const message = findFault(file);
  return message === undefined
    ? { kind: 'command', command: [file, ...rest] }
    : { kind: 'problem', message };
}

function toWords(command: string, directory: string): readonly string[] {
  return isFile(resolve(directory, command)) ? [command] : command.trim().split(/\s+/);
}

function isFile(file: string): boolean {
  try {
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

function findFault(file: string): string | undefined {
  try {
    if (!statSync(file).isFile()) return `"${file}" is not a file`;
  } catch (error) {
    return isAbsent(error) ? `"${file}" does not exist` : toReason(error);
  }
  try {
    accessSync(file, constants.X_OK);
    return undefined;
  } catch {
    return `"${file}" is not executable: run chmod +x "${file}"`;
  }
}
