const ANY_TEXT = `I am no language model but a small program that recites this text, one word at a time, so that you can
watch Jano at work. Each word counts as one token, and the speed that I report is the speed at which I really spoke.
When another model is wanted, I am stopped and its server is started in my place, as it would be with a real one.`;

const TEXTS: Readonly<Record<string, string>> = {
  chat: `good to hear from you! ${ANY_TEXT}`,
  code: `here is the function that you need.

// Works for numbers and, to the joy of all who read your logs, for strings.
export function add(a, b) {
  return a + b;
}

${ANY_TEXT}`,
};

/** What a model recites, cut into words with the space before each: all that it ever says, whatever the prompt. */
export function writeRecital(model: string): readonly string[] {
  const kind = model.replace(/^example-/u, '');
  const text = TEXTS[kind] ?? ANY_TEXT;
  return (
    `example-${kind} says: ${text.replaceAll(/(\S)\n(?=\S)/gu, '$1 ')}`.match(/\s*\S+/gu) ?? []
  );
}

/** How many words a text has; each is one token. */
export function countWords(text: string): number {
  return text.match(/\S+/gu)?.length ?? 0;
}
