import { GgufFile } from './ggufFile.ts';
import { makeRandom } from './random.ts';
import type { TinyModelSettings } from './tinyModelSettings.ts';

const HEADS = 4;
const MEAN_POOLING = 1;
const RANK_POOLING = 4;
const NORMAL = 1;
const UNKNOWN = 2;
const CONTROL = 3;
const SPECIAL_TOKENS = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'];

/** A BERT model with random weights and a vocabulary of single letters, for embeddings or, with a rank head, reranking. */
export function makeEncoder(settings: TinyModelSettings): Buffer {
  const { kind, embeddingLength: width, layers } = settings;
  const random = makeRandom(settings.seed);
  const tokens = listTokens();
  const positions = Math.min(settings.contextTokens, 512);
  const file = new GgufFile();
  describe(file, settings, tokens, positions);

  const some = (count: number, size: number) =>
    new Float32Array(count).map(() => random.normal() * size);
  const addLinear = (name: string, from: number, to: number) =>
    file
      .tensor(`${name}.weight`, [from, to], some(from * to, 1 / Math.sqrt(from)))
      .tensor(`${name}.bias`, [to], some(to, 0.02));
  const addNorm = (name: string) =>
    file
      .tensor(`${name}.weight`, [width], new Float32Array(width).fill(1))
      .tensor(`${name}.bias`, [width], some(width, 0.02));

  file
    .tensor('token_embd.weight', [width, tokens.length], some(width * tokens.length, 1))
    .tensor('position_embd.weight', [width, positions], some(width * positions, 0.1))
    .tensor('token_types.weight', [width, 2], some(width * 2, 0.1));
  addNorm('token_embd_norm');
  for (let layer = 0; layer < layers; layer++) {
    const block = `blk.${layer}`;
    for (const part of ['q', 'k', 'v', 'output']) addLinear(`${block}.attn_${part}`, width, width);
    addNorm(`${block}.attn_output_norm`);
    addLinear(`${block}.ffn_up`, width, width * 2);
    addLinear(`${block}.ffn_down`, width * 2, width);
    addNorm(`${block}.layer_output_norm`);
  }
  if (kind === 'rerank') {
    addLinear('cls', width, width);
    addLinear('cls.output', width, 1);
  }
  return file.toBytes();
}

/** For each printable character a piece that starts a word and one that goes on; the tokenizer lowers its input. */
function listTokens(): readonly string[] {
  const characters = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index));
  const small = characters.filter((character) => character === character.toLowerCase());
  return [...SPECIAL_TOKENS, ...small.flatMap((character) => [`\u2581${character}`, character])];
}

function describe(
  file: GgufFile,
  { kind, name, embeddingLength, layers }: TinyModelSettings,
  tokens: readonly string[],
  positions: number,
): void {
  file
    .text('general.architecture', 'bert')
    .text('general.type', 'model')
    .text('general.name', name)
    .count('general.file_type', 0)
    .count('bert.vocab_size', tokens.length)
    .count('bert.context_length', positions)
    .count('bert.embedding_length', embeddingLength)
    .count('bert.block_count', layers)
    .count('bert.feed_forward_length', embeddingLength * 2)
    .count('bert.attention.head_count', HEADS)
    .float('bert.attention.layer_norm_epsilon', 1e-6)
    .bool('bert.attention.causal', false)
    .count('bert.pooling_type', kind === 'rerank' ? RANK_POOLING : MEAN_POOLING)
    .count('tokenizer.ggml.token_type_count', 2)
    .text('tokenizer.ggml.model', 'bert')
    .text('tokenizer.ggml.pre', 'default')
    .texts('tokenizer.ggml.tokens', tokens)
    .floats(
      'tokenizer.ggml.scores',
      tokens.map(() => -1000),
    )
    .integers(
      'tokenizer.ggml.token_type',
      tokens.map((_, id) => typeOf(id)),
    )
    .count('tokenizer.ggml.padding_token_id', 0)
    .count('tokenizer.ggml.unknown_token_id', 1)
    .count('tokenizer.ggml.cls_token_id', 2)
    .count('tokenizer.ggml.bos_token_id', 2)
    .count('tokenizer.ggml.eos_token_id', 3)
    .count('tokenizer.ggml.seperator_token_id', 3) // sic: the format's own spelling
    .count('tokenizer.ggml.mask_token_id', 4);
  if (kind === 'rerank') file.texts('bert.classifier.output_labels', ['relevance']);
}

function typeOf(id: number): number {
  if (id === 1) return UNKNOWN;
  return id < SPECIAL_TOKENS.length ? CONTROL : NORMAL;
}
