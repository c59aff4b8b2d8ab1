/** Control characters, invisible ones and those that turn the direction of text; also the separators that some take for the end of a line. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** The text with everything that could break a line or steer a terminal as `\uXXXX`; inside of JSON it still means the same. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
