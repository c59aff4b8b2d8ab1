import { type JsonPlace, list, object, scalar, text, word } from '../json/jsonPlace.ts';

/** Token counts, and times and speeds about them, by their names at the backends. */
const FIGURES = [
  'prompt_tokens',
  'completion_tokens',
  'input_tokens',
  'output_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
  'cached_tokens',
  'reasoning_tokens',
  'cache_n',
  'prompt_n',
  'prompt_per_second',
  'predicted_n',
  'predicted_per_second',
  'draft_n',
  'draft_n_accepted',
  'tokens_per_second',
  'tokens_predicted',
  'tokens_evaluated',
  'prompt_eval_count',
  'prompt_eval_duration',
  'eval_count',
  'eval_duration',
  'load_duration',
] as const;

export type Figure = (typeof FIGURES)[number];

/** What else is wanted of an answer. */
export type Remark =
  | 'result'
  | 'generated'
  | 'call'
  | 'calling'
  | 'errorMark'
  | 'finish'
  | 'status'
  | 'error'
  | 'errorText'
  | 'message';

export type AnswerField = Figure | Remark;

type Place = JsonPlace<AnswerField>;

const figures: ReadonlySet<AnswerField> = new Set(FIGURES);

/** Whether it is a figure, and no remark. */
export function isFigure(field: AnswerField): field is Figure {
  return figures.has(field);
}

/** OpenAI's, Anthropic's, and that of the Responses API. */
const USAGE: Place = object<AnswerField>({
  prompt_tokens: scalar('prompt_tokens'),
  completion_tokens: scalar('completion_tokens'),
  input_tokens: scalar('input_tokens'),
  output_tokens: scalar('output_tokens'),
  cache_read_input_tokens: scalar('cache_read_input_tokens'),
  cache_creation_input_tokens: scalar('cache_creation_input_tokens'),
  prompt_tokens_details: object({ cached_tokens: scalar('cached_tokens') }),
  input_tokens_details: object({ cached_tokens: scalar('cached_tokens') }),
  completion_tokens_details: object({ reasoning_tokens: scalar('reasoning_tokens') }),
  output_tokens_details: object({ reasoning_tokens: scalar('reasoning_tokens') }),
});

/** llama.cpp's. */
const TIMINGS: Place = object<AnswerField>({
  cache_n: scalar('cache_n'),
  prompt_n: scalar('prompt_n'),
  prompt_per_second: scalar('prompt_per_second'),
  predicted_n: scalar('predicted_n'),
  predicted_per_second: scalar('predicted_per_second'),
  draft_n: scalar('draft_n'),
  draft_n_accepted: scalar('draft_n_accepted'),
});

/** vLLM's `metrics` and LM Studio's `stats`. */
const METRICS: Place = object<AnswerField>({
  tokens_per_second: scalar('tokens_per_second'),
  speculative_decoding: object({
    num_draft_tokens: scalar('draft_n'),
    num_accepted_draft_tokens: scalar('draft_n_accepted'),
  }),
});

const ERROR: Place = object<AnswerField>({ message: scalar('errorText') }, scalar('error'));

/** A piece of a choice. */
const DELTA: Place = object<AnswerField>({
  content: text('generated'),
  reasoning_content: text('generated'),
  reasoning: text('generated'),
  refusal: text('generated'),
  function_call: object({ arguments: text('generated') }),
  tool_calls: list(
    object<AnswerField>({ function: object({ arguments: text('generated') }) }, scalar('calling')),
  ),
});

/** A choice's answer, where it is no stream. */
const CHOICE_MESSAGE: Place = object<AnswerField>({
  tool_calls: list(object({}, scalar('calling'))),
});

/** What the Responses API makes: text, reasoning, calls. */
const ITEM: Place = object<AnswerField>({ type: word('calling', ['function_call']) });

/** Anthropic's and Ollama's an object; in an error it is the text itself. */
const MESSAGE: Place = object<AnswerField>(
  {
    usage: USAGE,
    content: text('generated'),
    thinking: text('generated'),
    tool_calls: list(object({}, scalar('call'))),
  },
  scalar('message'),
);

/** Anthropic's an object; in events of the Responses API it is the text itself. */
const EVENT_DELTA: Place = object<AnswerField>(
  {
    text: text('generated'),
    thinking: text('generated'),
    partial_json: text('generated'),
    stop_reason: scalar('finish'),
  },
  text('generated'),
);

/** Of a response that does not go on. */
const STATUS: Place = word('status', ['completed', 'incomplete', 'failed']);

/** Of the Responses API an object; Ollama's is the text itself. */
const RESPONSE: Place = object<AnswerField>(
  { usage: USAGE, error: ERROR, status: STATUS, output: list(ITEM) },
  text('generated'),
);

const MEMBERS: Readonly<Record<string, Place>> = {
  object: word('errorMark', ['error']),
  type: word('errorMark', ['error']),
  status: STATUS,
  usage: USAGE,
  timings: TIMINGS,
  metrics: METRICS,
  stats: METRICS,
  choices: list(
    object<AnswerField>({
      delta: DELTA,
      message: CHOICE_MESSAGE,
      text: text('generated'),
      finish_reason: scalar('finish'),
    }),
  ),
  output: list(ITEM),
  item: ITEM,
  message: MESSAGE,
  delta: EVENT_DELTA,
  response: RESPONSE,
  content: text('generated'),
  thinking: text('generated'),
  stop_reason: scalar('finish'),
  stop_type: scalar('finish'),
  done_reason: scalar('finish'),
  error: ERROR,
  tokens_predicted: scalar('tokens_predicted'),
  tokens_evaluated: scalar('tokens_evaluated'),
  prompt_eval_count: scalar('prompt_eval_count'),
  prompt_eval_duration: scalar('prompt_eval_duration'),
  eval_count: scalar('eval_count'),
  eval_duration: scalar('eval_duration'),
  load_duration: scalar('load_duration'),
};

/** Where the facts stand in an answer, or in one event of it; an array is one of whole results. */
export const ANSWER: Place = list(object(MEMBERS, scalar('result')), object(MEMBERS));
