import type { Random } from './random.ts';
import type { TinyModelSettings } from './tinyModelSettings.ts';

/** The chat template of the reciting models: ChatML, with tools and thoughts as Qwen writes them. */
export const CHAT_TEMPLATE = [
  "{%- if tools %}{{- '<|im_start|>system\\nYou may call these tools:\\n<tools>' }}",
  "{%- for tool in tools %}{{- '\\n' + (tool | tojson) }}{%- endfor %}",
  '{{- \'\\n</tools>\\nCall one so:\\n<tool_call>\\n{"name": <name>, "arguments": <arguments>}\\n</tool_call><|im_end|>\\n\' }}{%- endif %}',
  '{%- for message in messages %}',
  "{{- '<|im_start|>' + ('user' if message.role == 'tool' else message.role) + '\\n' }}",
  "{%- if message.role == 'tool' %}{{- '<tool_response>\\n' + message.content + '\\n</tool_response>' }}",
  "{%- else %}{%- if message.reasoning_content %}{{- '<think>\\n' + message.reasoning_content + '\\n</think>\\n\\n' }}{%- endif %}",
  "{{- message.content or '' }}{%- endif %}",
  '{%- for call in message.tool_calls or [] %}',
  '{{- \'\\n<tool_call>\\n{"name": "\' + call.function.name + \'", "arguments": \' + (call.function.arguments | tojson) + \'}\\n</tool_call>\' }}',
  "{%- endfor %}{{- '<|im_end|>\\n' }}{%- endfor %}",
  "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}",
].join('');

/**
 * The pieces of the text that a model recites, one token each and all different. Each has three characters or more: the
 * tokenizer only joins two neighbours into a known token, so no prompt ever becomes one of these.
 */
export function writeTinyText(settings: TinyModelSettings, random: Random): readonly string[] {
  const opening = writeOpening(settings);
  const rest = settings.kind === 'tool' ? [] : inventWords(settings.words, random, opening);
  const pieces = [...opening, ...rest];
  if (pieces.some((piece) => piece.length < 3)) throw new RangeError('the name is too short');
  return pieces;
}

function writeOpening({ kind, name }: TinyModelSettings): readonly string[] {
  if (kind === 'code') return [`def ${name.replaceAll(/\W/g, '_')}`, '(x):\n', '    return'];
  if (kind === 'think') {
    return ['<think>', '\nLet', ' me', ' see.\n', '</think>', `\n\n${name}`, ' answers:'];
  }
  if (kind !== 'tool') return [name, ' says:'];
  const call = ['\n{"name"', ': "get_weather"', ', "arguments"', ': {"city"', ': "Recife"', '}}\n'];
  return ['<tool_call>', ...call, '</tool_call>'];
}

function inventWords(count: number, random: Random, taken: readonly string[]): readonly string[] {
  const pick = (letters: string) => letters[Math.floor(random.uniform() * letters.length)] ?? '';
  const words = new Set<string>();
  while (words.size < count) {
    let word = ' ';
    for (let left = 2 + Math.floor(random.uniform() * 2); left > 0; left--) {
      word += pick('bdfgklmnprstvz') + pick('aeiou');
    }
    if (words.size % 9 === 8) word += '.';
    if (!taken.includes(word)) words.add(word);
  }
  return [...words];
}
