/** The text with its percent escapes undone; as it is where they are broken. */
export function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
