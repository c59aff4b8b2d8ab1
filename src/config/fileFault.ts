/** The code of a file system error, such as ENOENT, or an empty text. */
export function readErrorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** Whether the error says that there is nothing at that path. */
export function isAbsent(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(readErrorCode(error));
}

/** Why a file could not be read, in a few words. */
export function toReason(error: unknown): string {
  return `cannot be read: ${error instanceof Error ? error.message : String(error)}`;
}
