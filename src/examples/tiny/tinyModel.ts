import { makeEncoder } from './encoder.ts';
import { makeReciter } from './reciter.ts';
import type { TinyModelKind, TinyModelSettings } from './tinyModelSettings.ts';

const DEFAULTS = { seed: 1, words: 48, embeddingLength: 64, layers: 2, contextTokens: 4096 };

/**
 * The bytes of a GGUF file with a model of about 0.5 MB that llama-server loads in a moment.
 * The same arguments make the same bytes. Throws when an option is out of bounds.
 */
export function makeTinyModel(
  kind: TinyModelKind,
  options: Partial<Omit<TinyModelSettings, 'kind'>> = {},
): Buffer {
  const settings = { ...DEFAULTS, name: `tiny-${kind}`, ...options, kind };
  const { embeddingLength } = settings;
  if (embeddingLength % 32 !== 0 || embeddingLength < 64) {
    throw new RangeError('embeddingLength must be a multiple of 32, at least 64');
  }
  return kind === 'embed' || kind === 'rerank' ? makeEncoder(settings) : makeReciter(settings);
}
