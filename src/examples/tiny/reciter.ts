import { GgufFile } from './ggufFile.ts';
import { makeRandom, type Random } from './random.ts';
import type { TinyModelSettings } from './tinyModelSettings.ts';
import { CHAT_TEMPLATE, writeTinyText } from './tinyText.ts';

/** The tokens of a reciting model; those of its text are the last ones, in order. */
interface Vocabulary {
  readonly tokens: readonly Token[];
  readonly firstWord: number;
  readonly endOfTurn: number;
}

interface Token {
  readonly piece: string;
  readonly type: number;
}

const HEADS = 4;
const NORMAL = 1;
const UNKNOWN = 2;
const CONTROL = 3;
const USER_DEFINED = 4;
const BYTE = 6;
const FILL_IN_THE_MIDDLE = ['prefix', 'suffix', 'middle', 'pad'] as const;

/**
 * A llama model with random weights, but for its output layer: that maps each word of a text to the word that follows it,
 * and every other token to the first word. So it recites the text, whatever the prompt, and then ends its turn; told to
 * ignore the end, it starts over.
 */
export function makeReciter(settings: TinyModelSettings): Buffer {
  const { embeddingLength, layers } = settings;
  const random = makeRandom(settings.seed);
  const vocabulary = makeVocabulary(writeTinyText(settings, random));
  const embedding = makeEmbedding(vocabulary, embeddingLength, random);
  const output = makeOutput(vocabulary, embeddingLength, embedding, random);

  const file = new GgufFile();
  describe(file, settings, vocabulary);
  const shape = [embeddingLength, vocabulary.tokens.length];
  file.tensor('token_embd.weight', shape, embedding);
  file.tensor('output_norm.weight', [embeddingLength], ones(embeddingLength));
  file.tensor('output.weight', shape, output);
  for (let layer = 0; layer < layers; layer++) addLayer(file, layer, settings, random);
  return file.toBytes();
}

function makeVocabulary(text: readonly string[]): Vocabulary {
  const bytes = Array.from({ length: 256 }, (_, byte) => {
    const digits = byte.toString(16).toUpperCase().padStart(2, '0');
    return { piece: `<0x${digits}>`, type: BYTE };
  });
  const beforeText: readonly Token[] = [
    { piece: '<unk>', type: UNKNOWN },
    ...['<s>', '</s>'].map(control),
    ...bytes,
    ...['<|im_start|>', '<|im_end|>'].map(control),
    ...FILL_IN_THE_MIDDLE.map((name) => control(`<|fim_${name}|>`)),
    { piece: '\u2581', type: NORMAL },
  ];
  const words = text.map((piece) => {
    const isMark = /^<\/?(tool_call|think)>$/.test(piece);
    if (isMark) return { piece, type: USER_DEFINED };
    return { piece: piece.replaceAll(' ', '\u2581'), type: NORMAL };
  });
  return {
    tokens: [...beforeText, ...words],
    firstWord: beforeText.length,
    endOfTurn: beforeText.findIndex(({ piece }) => piece === '<|im_end|>'),
  };
}

function control(piece: string): Token {
  return { piece, type: CONTROL };
}

/** Random directions of length 1 in all places but the first, which marks the tokens outside the text. */
function makeEmbedding({ tokens, firstWord }: Vocabulary, length: number, random: Random) {
  const all = new Float32Array(tokens.length * length);
  for (let token = 0; token < tokens.length; token++) {
    const row = all.subarray(token * length, (token + 1) * length);
    let squares = 0;
    for (let place = 1; place < length; place++) {
      const value = random.normal();
      row[place] = value;
      squares += value ** 2;
    }
    const share = token < firstWord ? Math.SQRT1_2 : 1;
    const scale = share / Math.sqrt(squares);
    for (let place = 1; place < length; place++) row[place] = (row[place] ?? 0) * scale;
    row[0] = token < firstWord ? Math.SQRT1_2 : 0;
  }
  return all;
}

function makeOutput(
  { tokens, firstWord, endOfTurn }: Vocabulary,
  length: number,
  embedding: Float32Array,
  random: Random,
) {
  // Wide margins, so that the text is the same on every processor: the right word's logit is near 20.
  const gain = 20 / Math.sqrt(length);
  const noise = () => (random.normal() * gain) / (4 * Math.sqrt(length));
  const all = new Float32Array(tokens.length * length).map(noise);
  const add = (at: number, value: number) => {
    all[at] = (all[at] ?? 0) + value;
  };
  const follow = (token: number, next: number, weight: number) => {
    for (let place = 0; place < length; place++) {
      add(next * length + place, gain * weight * (embedding[token * length + place] ?? 0));
    }
  };
  const lastWord = tokens.length - 1;
  for (let word = firstWord; word < lastWord; word++) follow(word, word + 1, 1);
  follow(lastWord, endOfTurn, 1);
  follow(lastWord, firstWord, 0.75);
  add(firstWord * length, gain * Math.SQRT2);
  return all;
}

function describe(file: GgufFile, settings: TinyModelSettings, { tokens, endOfTurn }: Vocabulary) {
  const { name, embeddingLength, layers, contextTokens } = settings;
  const idOf = (wanted: string) => tokens.findIndex(({ piece }) => piece === wanted);
  file
    .text('general.architecture', 'llama')
    .text('general.type', 'model')
    .text('general.name', name)
    .count('general.file_type', 0)
    .count('llama.vocab_size', tokens.length)
    .count('llama.context_length', contextTokens)
    .count('llama.embedding_length', embeddingLength)
    .count('llama.block_count', layers)
    .count('llama.feed_forward_length', embeddingLength * 2)
    .count('llama.attention.head_count', HEADS)
    .count('llama.attention.head_count_kv', HEADS)
    .count('llama.rope.dimension_count', embeddingLength / HEADS)
    .float('llama.attention.layer_norm_rms_epsilon', 1e-5)
    .text('tokenizer.ggml.model', 'llama')
    .text('tokenizer.ggml.pre', 'default')
    .texts(
      'tokenizer.ggml.tokens',
      tokens.map(({ piece }) => piece),
    )
    .floats(
      'tokenizer.ggml.scores',
      tokens.map(({ type }, id) => (type === NORMAL ? -id : 0)),
    )
    .integers(
      'tokenizer.ggml.token_type',
      tokens.map(({ type }) => type),
    )
    .count('tokenizer.ggml.unknown_token_id', idOf('<unk>'))
    .count('tokenizer.ggml.bos_token_id', idOf('<s>'))
    .count('tokenizer.ggml.eos_token_id', idOf('</s>'))
    .count('tokenizer.ggml.eot_token_id', endOfTurn)
    .bool('tokenizer.ggml.add_bos_token', true)
    .bool('tokenizer.ggml.add_eos_token', false)
    .bool('tokenizer.ggml.add_space_prefix', false)
    .text('tokenizer.chat_template', CHAT_TEMPLATE);
  for (const part of FILL_IN_THE_MIDDLE) {
    file.count(`tokenizer.ggml.fim_${part.slice(0, 3)}_token_id`, idOf(`<|fim_${part}|>`));
  }
}

function addLayer(file: GgufFile, layer: number, settings: TinyModelSettings, random: Random) {
  const { embeddingLength: width, layers } = settings;
  const inner = width * 2;
  const add = (name: string, from: number, to: number, size: number) => {
    const weight = () => (random.normal() * size) / Math.sqrt(from);
    const values = new Float32Array(from * to).map(weight);
    file.tensor(`blk.${layer}.${name}.weight`, [from, to], values);
  };
  // What a layer adds back is small, so that the text's chain of words holds.
  const small = 0.02 / layers;
  file.tensor(`blk.${layer}.attn_norm.weight`, [width], ones(width));
  add('attn_q', width, width, 1);
  add('attn_k', width, width, 1);
  add('attn_v', width, width, 1);
  add('attn_output', width, width, small);
  file.tensor(`blk.${layer}.ffn_norm.weight`, [width], ones(width));
  add('ffn_gate', width, inner, 1);
  add('ffn_up', width, inner, 1);
  add('ffn_down', inner, width, small);
}

function ones(length: number): Float32Array {
  return new Float32Array(length).fill(1);
}
